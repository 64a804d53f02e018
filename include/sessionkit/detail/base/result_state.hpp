// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A value or an error, like `std::variant<T, Error>`. The variant took a fifth of the compile time of all
/// sources.
template <class T> class ResultState {
 public:
  explicit ResultState(T&& value) : value_(std::move(value)), ok_(true) {}
  SESSIONKIT_COLD explicit ResultState(Error const& error) : error_(error), ok_(false) {}
  SESSIONKIT_COLD explicit ResultState(Error&& error) noexcept : error_(std::move(error)), ok_(false) {}
  ResultState(ResultState const& other) { construct(other); }
  ResultState(ResultState&& other) noexcept(moves_safely) { construct(std::move(other)); }
  ResultState& operator=(ResultState const& other) { return *this = ResultState(other); }
  ResultState& operator=(ResultState&& other) noexcept(moves_safely&& std::is_nothrow_move_assignable_v<T>) {
    if (ok_ && other.ok_)
      value_ = std::move(other.value_);
    else if (this != &other)
      replace(std::move(other));
    return *this;
  }
  ~ResultState() { destroy(); }

  bool ok() const noexcept { return ok_; }
  T* value() noexcept { return std::addressof(value_); }
  T const* value() const noexcept { return std::addressof(value_); }
  /// Null on a success.
  Error* error() noexcept { return ok_ ? nullptr : &error_; }
  Error const* error() const noexcept { return ok_ ? nullptr : &error_; }

 private:
  static constexpr bool moves_safely = std::is_nothrow_move_constructible_v<T>;

  // Puts an empty error into the state if the construction of a value throws.
  struct ErrorUnlessDone { // NOLINT(cppcoreguidelines-special-member-functions)
    ~ErrorUnlessDone() {
      if (!done) new (&state->error_) Error();
      if (!done) state->ok_ = false;
    }
    ResultState* state;
    bool done;
  };

  template <class Other> void construct(Other&& other) {
    if (other.ok_)
      new (std::addressof(value_)) T(std::forward<Other>(other).value_);
    else
      new (&error_) Error(std::forward<Other>(other).error_);
    ok_ = other.ok_;
  }
  void replace(ResultState&& other) {
    destroy();
    ErrorUnlessDone guard{this, moves_safely};
    construct(std::move(other));
    guard.done = true;
  }
  void destroy() noexcept {
    if (ok_)
      value_.~T();
    else
      error_.~Error();
  }

  union {
    T value_;     // NOLINT(readability-identifier-naming)
    Error error_; // NOLINT(readability-identifier-naming)
  };
  bool ok_;
};

/// A base class of results. If `Copies` is false, the result cannot be copied, because its value cannot be
/// copied.
template <bool Copies> struct CopiesIf {};
template <> struct CopiesIf<false> { // NOLINT(cppcoreguidelines-special-member-functions)
  CopiesIf() = default;
  CopiesIf(CopiesIf const&) = delete;
  CopiesIf(CopiesIf&&) = default;
  CopiesIf& operator=(CopiesIf const&) = delete;
  CopiesIf& operator=(CopiesIf&&) = default;
};

}}}
