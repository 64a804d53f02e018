// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A value in a text: a string or an integer. A string is stored as a view, so a `FormatValue` must not
/// outlive the expression that made it.
struct FormatValue {
  enum class Kind { text, signed_number, unsigned_number };

  FormatValue(std::string_view value) noexcept : kind(Kind::text), text(value) {}
  FormatValue(std::string const& value) noexcept : kind(Kind::text), text(value) {}
  FormatValue(char const* value) noexcept : kind(Kind::text), text(value) {}
  template <class N, std::enable_if_t<std::is_integral_v<N> && !std::is_same_v<N, char>, int> = 0>
  FormatValue(N value) noexcept
      : kind(std::is_signed_v<N> ? Kind::signed_number : Kind::unsigned_number),
        number(static_cast<std::uint64_t>(value)) {}

  Kind kind;
  std::string_view text = {};
  std::uint64_t number = 0;
};

/// Returns the pattern, which is in {fmt}'s syntax, with each `{}` replaced by the next value. All texts of
/// the library are made by this one function, so that a call site compiles to an array and a call. Test
/// `format_text` checks the patterns of the source tree.
SESSIONKIT_API std::string format_values(std::string_view pattern, FormatValue const* values,
                                         std::size_t count);

template <class... Values> std::string format_text(std::string_view pattern, Values const&... values) {
  FormatValue const all[] = {FormatValue(values)...};
  return format_values(pattern, all, sizeof...(Values));
}

}}}
