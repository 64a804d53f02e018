// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/result_state.hpp>
#include <sessionkit/error.hpp>

#include <cstddef>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// The exception that `Result::value()` throws on a failure. The only other exception that the library throws
/// is `std::bad_alloc`.
class SESSIONKIT_API Exception : public std::exception {
 public:
  /// Makes the exception for a failure.
  explicit Exception(Error error) : error_(std::move(error)) {}
  /// Returns the message of the error.
  char const* what() const noexcept override { return error_.message.c_str(); }
  /// Returns the failure.
  Error const& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// A function that `Result::value()` calls on a failure, before it throws. It may end the program.
using FailureHandler = void (*)(Error const& error);

/// Sets the function that `Result::value()` calls on a failure, in all threads. Returns the previous
/// function. Null, the default, means that no function is called. If the function returns, `value()` throws
/// `Exception`. If the library was compiled without exceptions (`-fno-exceptions`), `value()` writes the
/// message to the standard error and calls `std::abort` instead.
SESSIONKIT_API FailureHandler set_failure_handler(FailureHandler handler) noexcept;

template <class T> class Result;

namespace detail {
/// Throws `Exception`, or ends the program if the library was compiled without exceptions. This function
/// exists so that the code for the throw is not compiled into each caller of `value()`.
[[noreturn]] SESSIONKIT_COLD SESSIONKIT_API void throw_error(Error const& error);
/// Returns the error of a result. If `error` is null, the result is a success, and the function returns an
/// error with `invalid_argument`. These functions exist so that their code is not compiled into each caller.
SESSIONKIT_COLD SESSIONKIT_API Error const& error_of(Error const* error) noexcept;
SESSIONKIT_COLD SESSIONKIT_API Error take_error(Error* error);

template <class U> inline constexpr bool is_result_v = false;
template <class U> inline constexpr bool is_result_v<Result<U>> = true;
/// True if this is a null pointer given for a text, or an object given for a view that would outlive it.
template <class Given, class T>
inline constexpr bool is_unsafe_value_v =
    (std::is_same_v<Given, std::nullptr_t> && std::is_convertible_v<char const*, T> && !std::is_pointer_v<T>)
    || (std::is_same_v<T, std::string_view> && std::is_class_v<Given>);
/// True if `U` is a type other than `T` from which a `Result<T>` may be made.
template <class U, class T, class Given = std::remove_cv_t<std::remove_reference_t<U>>>
inline constexpr bool becomes_value_v =
    !std::is_same_v<
        Given,
        T> && !std::is_same_v<Given, Error> && !is_result_v<Given> && !std::is_arithmetic_v<T> && !is_unsafe_value_v<Given, T> && std::is_convertible_v<U, T>;
}

/// A value or an `Error`: a small subset of C++23's `std::expected<T, Error>`. Check `ok()` before you use
/// `*r` or `r->`, which need a value. `value()` checks by itself and throws `Exception` on a failure.
/// Call `error()` only on a failure. On a success it returns an error with `invalid_argument`, so that a
/// caller does not try to handle an error that does not exist.
template <class T> class [[nodiscard]] Result : private detail::CopiesIf<std::is_copy_constructible_v<T>> {
 public:
  /// The type of the value.
  using value_type = T;

  /// Makes a success.
  Result(T value) : state_(std::move(value)) {}
  /// Makes a success from something that converts to `T`, for example a `Result<std::string>` from a string
  /// literal. (For an arithmetic type, the constructor above makes the conversion.)
  template <class U, class = std::enable_if_t<detail::becomes_value_v<U, T>>>
  Result(U&& value) : state_(T(std::forward<U>(value))) {}
  /// Makes a failure.
  SESSIONKIT_COLD Result(Error const& error) : state_(error) {}
  /// The same.
  SESSIONKIT_COLD Result(Error&& error) : state_(std::move(error)) {}
  /// Converts a result of a convertible type, for example `Result<shared_ptr<Derived>>` to
  /// `Result<shared_ptr<Base>>`.
  template <class U, class = std::enable_if_t<std::is_convertible_v<U, T> && !std::is_same_v<U, T>>>
  Result(Result<U> other)
      : state_(other.ok() ? State(T(std::move(other).value())) : State(std::move(other).error())) {}

  /// True if there is a value.
  bool ok() const noexcept { return state_.ok(); }
  /// The same as `ok`.
  explicit operator bool() const noexcept { return ok(); }

  /// Returns the value. On a failure, throws `Exception`; see `set_failure_handler` for builds without
  /// exceptions.
  T& value() & { return check(), *state_.value(); }
  /// The same.
  T const& value() const& { return check(), *state_.value(); }
  /// Returns the value itself instead of a reference, so that a range-for over `f().value().items` does not
  /// dangle.
  T value() && { return check(), std::move(*state_.value()); }

  /// The value. There must be one.
  T& operator*() & noexcept { return *state_.value(); }
  /// The same.
  T const& operator*() const& noexcept { return *state_.value(); }
  /// Moves the value out. There must be one.
  T operator*() && { return std::move(*state_.value()); }
  /// Gives access to a member of the value. There must be a value.
  T* operator->() noexcept { return state_.value(); }
  /// The same.
  T const* operator->() const noexcept { return state_.value(); }

  /// Returns the failure. On a success, returns an error with `invalid_argument`.
  Error const& error() const& noexcept { return detail::error_of(state_.error()); }
  /// The same, but moves the error out.
  Error error() && { return detail::take_error(state_.error()); }

 private:
  using State = detail::ResultState<T>;
  void check() const {
    if (!ok()) detail::throw_error(*state_.error());
  }
  State state_;
};

/// Success without a value (`return {};`), or an `Error`.
template <> class [[nodiscard]] Result<void> {
 public:
  /// Makes a success.
  Result() = default;
  /// Makes a failure.
  SESSIONKIT_COLD Result(Error const& error) : error_(error), ok_(false) {}
  /// The same.
  SESSIONKIT_COLD Result(Error&& error) : error_(std::move(error)), ok_(false) {}

  /// True on success.
  bool ok() const noexcept { return ok_; }
  /// The same as `ok`.
  explicit operator bool() const noexcept { return ok_; }
  /// Throws `Exception` on a failure.
  void value() const {
    if (!ok_) detail::throw_error(error_);
  }
  /// Returns the failure. On a success, returns an error with `invalid_argument`.
  Error const& error() const& noexcept { return detail::error_of(ok_ ? nullptr : &error_); }
  /// The same, but moves the error out.
  Error error() && { return detail::take_error(ok_ ? nullptr : &error_); }

 private:
  Error error_{Errc::invalid_argument};
  bool ok_ = true;
};

}}
