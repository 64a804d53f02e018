// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/decimal_to_double.hpp>
#include <sessionkit/detail/json/json_decimal.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the value without its sign. Absent if the value is not integral or does not fit into 64 bits.
inline std::optional<std::uint64_t> magnitude_of(Decimal const& number) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  auto const push = [&](unsigned digit) {
    if (value > most / 10 || (value == most / 10 && digit > most % 10)) return false;
    value = value * 10 + digit;
    return true;
  };
  for (std::size_t i = 0; i < number.size(); ++i) {
    bool const before_point = static_cast<std::int64_t>(i) < number.point;
    if (before_point ? !push(number.digit(i)) : number.digit(i) != 0) return std::nullopt;
  }
  if (value == 0) return value;
  for (auto i = static_cast<std::int64_t>(number.size()); i < number.point; ++i)
    if (!push(0)) return std::nullopt;
  return value;
}

/// Returns the value of a number that consists of a few digits, as most integers do. Absent for any other
/// spelling.
inline std::optional<std::uint64_t> short_integer(std::string_view raw) noexcept {
  constexpr std::size_t most = std::numeric_limits<std::int64_t>::digits10;
  bool const zero_first = raw.size() > 1 && raw.front() == '0';
  if (raw.empty() || raw.size() > most || zero_first) return std::nullopt;
  std::uint64_t value = 0;
  for (char const c : raw) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

/// Returns the value of an integral number in any spelling (`5.0` and `1e3` count). Absent if the number is
/// not integral or is out of range.
inline std::optional<std::uint64_t> to_uint(std::string_view raw) noexcept {
  if (auto const value = short_integer(raw)) return value;
  auto const number = split_number(raw);
  if (!number) return std::nullopt;
  auto const magnitude = magnitude_of(*number);
  if (magnitude && number->negative && *magnitude != 0) return std::nullopt;
  return magnitude;
}

/// As `to_uint`, but the number may be negative; `-0` is 0.
inline std::optional<std::int64_t> to_int(std::string_view raw) noexcept {
  if (auto const value = short_integer(raw)) return static_cast<std::int64_t>(*value);
  auto const number = split_number(raw);
  if (!number) return std::nullopt;
  auto const magnitude = magnitude_of(*number);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!magnitude || *magnitude > most + (number->negative ? 1 : 0)) return std::nullopt;
  if (!number->negative) return static_cast<std::int64_t>(*magnitude);
  return *magnitude == 0 ? 0 : -static_cast<std::int64_t>(*magnitude - 1) - 1;
}

/// Returns the nearest double. Absent if the value is beyond the greatest double. A value closer to zero than
/// the smallest double becomes zero.
inline std::optional<double> to_double(std::string_view raw) noexcept {
  auto const number = split_number(raw);
  if (!number) return std::nullopt;
#if defined(__cpp_lib_to_chars)
  double value = 0;
  auto const read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (read.ec == std::errc()) return value;
// from_chars gives one error for too large and too small numbers. libstdc++ 11 also refuses subnormal
// numbers.
#if !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE >= 12
  if (is_one_or_more(*number)) return std::nullopt;
  return number->negative ? -0.0 : 0.0;
#endif
#endif
  return decimal_to_double(*number);
}

/// Returns the integer that is nearest to a number. Absent if the number does not fit into 64 bits.
inline std::optional<std::int64_t> to_rounded_int(std::string_view raw) noexcept {
  if (auto const whole = to_int(raw)) return whole;
  constexpr double most = 9.2e18;
  auto const number = to_double(raw);
  if (!number || *number < -most || *number > most) return std::nullopt;
  return std::llround(*number);
}

}}}
