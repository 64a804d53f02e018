// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json_number.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the text of a finite number, as `std::to_chars` writes it: the shortest that reads as the same
/// number, with an exponent only if it is shorter so. This function serves standard libraries that lack
/// `std::to_chars` for doubles, such as that of macOS before 13.3.
inline std::string double_to_decimal(double value) {
  constexpr int most_digits = 17;
  std::string const sign = std::signbit(value) ? "-" : "";
  value = std::fabs(value);
  std::string digits, scientific;
  int exponent = 0;
  for (int precision = 0; precision < most_digits; ++precision) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*e", precision, value);
    char const* at = text;
    for (digits.clear(); *at != 'e'; ++at) // the host's locale decides what separates them
      if (*at >= '0' && *at <= '9') digits += *at;
    exponent = std::atoi(at + 1);
    scientific = digits + at;
    if (precision > 0) scientific.insert(1, ".");
    if (to_double(scientific) == value) break;
  }
  constexpr int longest = 22; // a fixed number beyond is the longer one
  if (std::abs(exponent) > longest) return sign + scientific;
  auto const before_point = static_cast<std::size_t>(exponent < 0 ? 1 : exponent + 1);
  if (exponent < 0) digits.insert(0, static_cast<std::size_t>(-exponent), '0');
  std::string fixed = digits;
  if (digits.size() > before_point) {
    fixed.insert(before_point, ".");
  } else { // all digits, also those that the number does not need
    char text[40];
    std::snprintf(text, sizeof text, "%.0f", value);
    fixed = text;
  }
  return sign + (fixed.size() <= scientific.size() ? fixed : scientific);
}

}}}
