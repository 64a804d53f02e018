// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/json/json_number.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

using namespace sessionkit;

namespace {

// What the C library reads, which rounds correctly; the locale of a test program is "C".
std::optional<double> expected(std::string const& text) {
  double const value = std::strtod(text.c_str(), nullptr);
  return std::isinf(value) ? std::nullopt : std::optional(value);
}
std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
double double_of(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
bool is_nearest(std::string const& text) {
  auto const number = detail::split_number(text);
  if (!number) return false;
  auto const value = detail::decimal_to_double(*number), wanted = expected(text);
  return value.has_value() == wanted.has_value() && (!value || bits_of(*value) == bits_of(*wanted));
}
std::string printed(char const* pattern, int digits, long double value) {
  char text[2048];
  std::snprintf(text, sizeof text, pattern, digits, value);
  return text;
}
std::string random_digits(sessionkit_test::Random& random, std::size_t count) {
  std::string digits;
  while (digits.size() < count) digits += static_cast<char>('0' + random.below(10));
  return digits;
}

}

TEST_CASE("decimals at the ends of the range of doubles are rounded to the nearest") {
  for (char const* text : {"0",
                           "-0",
                           "0e999999999999",
                           "-0.000",
                           "1",
                           "-1",
                           "9007199254740993",
                           "9007199254740993.0000000001",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "-1e309",
                           "1e310",
                           "1e99999999999999999999",
                           "2.2250738585072011e-308",
                           "2.2250738585072014e-308",
                           "4.9e-324",
                           "5e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1e-330",
                           "-1e-400",
                           "1e-99999999999999999999",
                           "0.1",
                           "0.3",
                           "123456.789e-12",
                           "100000000000000000000000",
                           "8.5e22",
                           "1e23"}) {
    CAPTURE(text);
    CHECK(is_nearest(text));
  }
}

TEST_CASE("decimals of any length and exponent are rounded to the nearest") {
  sessionkit_test::Random random(20261127);
  for (int i = 0; i < 4'000; ++i) {
    std::string text = random.below(2) == 0 ? "-" : "";
    text += static_cast<char>('1' + random.below(9));
    text += random_digits(random, random.below(20));
    if (random.below(2) == 0) text += "." + random_digits(random, 1 + random.below(i % 100 == 0 ? 900 : 25));
    text += "e" + std::to_string(static_cast<int>(random.below(700)) - 350);
    CAPTURE(text);
    REQUIRE(is_nearest(text));
  }
}

TEST_CASE("doubles of any bits are read back from 17 digits") {
  sessionkit_test::Random random(20261128);
  for (int i = 0; i < 10'000; ++i) {
    double const value = double_of(random.bits());
    if (!std::isfinite(value)) continue;
    std::string const text = printed("%.*Le", 16, static_cast<long double>(value));
    auto const read = detail::decimal_to_double(*detail::split_number(text));
    CAPTURE(text);
    REQUIRE((read && bits_of(*read) == bits_of(value)));
  }
}

// The exact middle of two doubles, which has up to 768 digits, goes to the even one, and what is a trace
// above it goes up.
TEST_CASE("halves are rounded to even, and a trace above a half is seen behind 800 digits") {
  if (std::numeric_limits<long double>::digits < 54) SESSIONKIT_SKIP("long double is double");
  sessionkit_test::Random random(20261129);
  for (int i = 0; i < 200; ++i) {
    std::uint64_t const bits = random.bits() & 0x7FEF'FFFF'FFFF'FFFFU;
    double const low = double_of(bits), high = double_of(bits + 1);
    if (!std::isfinite(high) || low == 0) continue;
    long double const middle = (static_cast<long double>(low) + high) / 2;
    std::string text = printed("%.*Le", 790, middle);
    CAPTURE(text);
    REQUIRE(*detail::decimal_to_double(*detail::split_number(text)) == (bits % 2 == 0 ? low : high));
    text.insert(text.find('e'), std::string(40, '0') + "1");
    REQUIRE(*detail::decimal_to_double(*detail::split_number(text)) == high);
  }
}
