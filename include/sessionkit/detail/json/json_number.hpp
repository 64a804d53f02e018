// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/json/json_scan.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace sessionkit { inline namespace v0 { namespace detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Moves `p` over digits; false if there is none.
inline bool skip_digits(char const*& p, char const* end) noexcept {
  char const* const begin = p;
  while (p != end && is_digit(*p)) ++p;
  return p != begin;
}

/// Moves `p` over the longest number of RFC 8259 section 6. False if there is none; then `p` is at the fault.
SESSIONKIT_INLINE inline bool skip_number(char const*& p, char const* end) noexcept {
  if (p != end && *p == '-') ++p;
  if (p != end && *p == '0')
    ++p;
  else if (!skip_digits(p, end))
    return false;
  if (p != end && *p == '.') {
    ++p;
    if (!skip_digits(p, end)) return false;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    if (!skip_digits(p, end)) return false;
  }
  return true;
}

/// The digits of a number. `point` is how many of them are before the decimal point after the exponent is
/// applied.
struct Decimal {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t point = 0;

  std::size_t size() const noexcept { return whole.size() + fraction.size(); }
  unsigned digit(std::size_t i) const noexcept {
    return static_cast<unsigned>((i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0');
  }
};

inline std::optional<Decimal> split_number(std::string_view raw) noexcept {
  char const* p = raw.data();
  char const* const end = p + raw.size();
  if (!skip_number(p, end) || p != end) return std::nullopt;
  Decimal number;
  p = raw.data();
  number.negative = *p == '-';
  if (number.negative) ++p;
  char const* begin = p;
  skip_digits(p, end);
  number.whole = between(begin, p);
  if (p != end && *p == '.') {
    begin = ++p;
    skip_digits(p, end);
    number.fraction = between(begin, p);
  }
  std::int64_t exponent = 0;
  if (p != end) {
    bool const minus = *++p == '-';
    if (!is_digit(*p)) ++p;
    constexpr std::int64_t enough = std::int64_t{1} << 50; // more than any view has digits
    for (; p != end; ++p)
      if (exponent < enough) exponent = exponent * 10 + (*p - '0');
    if (minus) exponent = -exponent;
  }
  number.point = static_cast<std::int64_t>(number.whole.size()) + exponent;
  return number;
}

/// The value without its sign, if it is integral and fits.
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

/// The value of a number that consists of a few digits, as most integers do. Absent for any other spelling.
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

/// The value of an integral number in any spelling (`5.0` and `1e3` count). Absent if the number is not
/// integral or is out of range.
inline std::optional<std::uint64_t> to_uint(std::string_view raw) noexcept {
  if (auto const value = short_integer(raw)) return value;
  auto const number = split_number(raw);
  if (!number) return std::nullopt;
  auto const magnitude = magnitude_of(*number);
  if (magnitude && number->negative && *magnitude != 0) return std::nullopt;
  return magnitude;
}

/// As `to_uint`, with a sign; `-0` is 0.
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

/// The nearest double. Absent if the value is beyond the greatest double. A value closer to zero than the
/// smallest double becomes zero.
inline std::optional<double> to_double(std::string_view raw) noexcept {
  auto const number = split_number(raw);
  if (!number) return std::nullopt;
  double value = 0;
  auto const read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (read.ec == std::errc()) return value;
  std::size_t first = 0;
  while (first < number->size() && number->digit(first) == 0) ++first;
  if (static_cast<std::int64_t>(first) < number->point) return std::nullopt;
  return number->negative ? -0.0 : 0.0;
}

/// The nearest integer to a number with a fraction. Absent where `to_int` would be: beyond 64 bits.
inline std::optional<std::int64_t> to_rounded_int(std::string_view raw) noexcept {
  if (auto const whole = to_int(raw)) return whole;
  constexpr double most = 9.2e18;
  auto const number = to_double(raw);
  if (!number || *number < -most || *number > most) return std::nullopt;
  return std::llround(*number);
}

}}}
