// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/json/json_scan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// Moves `p` over digits. False if there are none.
inline bool skip_digits(char const*& p, char const* end) noexcept {
  char const* const begin = p;
  while (p != end && is_digit(*p)) ++p;
  return p != begin;
}

/// Moves `p` over the longest number of RFC 8259 section 6. False if a part of the number is
/// missing, as in `1.`; then `p` is at the fault.
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

/// The digits of a number. `point` is the number of digits before the decimal point, after the exponent is
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
    constexpr std::int64_t enough = std::int64_t{1} << 50; // no view has so many digits
    for (; p != end; ++p)
      if (exponent < enough) exponent = exponent * 10 + (*p - '0');
    if (minus) exponent = -exponent;
  }
  number.point = static_cast<std::int64_t>(number.whole.size()) + exponent;
  return number;
}

/// True if the number without its sign is at least one.
inline bool is_one_or_more(Decimal const& number) noexcept {
  std::size_t zeros = 0;
  while (zeros < number.size() && number.digit(zeros) == 0) ++zeros;
  return zeros < number.size() && static_cast<std::int64_t>(zeros) < number.point;
}

}}}
