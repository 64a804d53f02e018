// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/json/double_to_decimal.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

using namespace sessionkit_test;
using sessionkit::detail::double_to_decimal;

TEST_CASE("a double is written with the fewest characters that read as the same number") {
  using Limits = std::numeric_limits<double>;
  CHECK(double_to_decimal(0) == "0");
  CHECK(double_to_decimal(-0.0) == "-0");
  CHECK(double_to_decimal(0.1) == "0.1");
  CHECK(double_to_decimal(-12.5) == "-12.5");
  CHECK(double_to_decimal(100) == "100");
  CHECK(double_to_decimal(120000) == "120000");
  CHECK(double_to_decimal(100000) == "1e+05");
  CHECK(double_to_decimal(0.001) == "0.001");
  CHECK(double_to_decimal(0.0001) == "1e-04");
  CHECK(double_to_decimal(0.00001) == "1e-05");
  CHECK(double_to_decimal(9007199254740993.0) == "9007199254740992");
  CHECK(double_to_decimal(123456789012345680.0) == "123456789012345680");
  CHECK(double_to_decimal(1e23) == "1e+23");
  CHECK(double_to_decimal(Limits::denorm_min()) == "5e-324");
  CHECK(double_to_decimal(Limits::max()) == "1.7976931348623157e+308");
}

#if defined(__cpp_lib_to_chars)
TEST_CASE("a double is written as the standard library writes it") {
  auto const expected = [](double value) {
    char text[40];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  };
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    double value = 0;
    std::uint64_t const bits = random.bits();
    std::memcpy(&value, &bits, sizeof value);
    if (i % 4 == 1) value = static_cast<double>(bits >> random.below(64));
    if (i % 4 == 2) value = static_cast<double>(bits >> 40) / 1000;
    if (i % 4 == 3) value = std::pow(10.0, static_cast<double>(random.below(600)) - 300);
    if (!std::isfinite(value)) continue;
    INFO(bits);
    REQUIRE(double_to_decimal(value) == expected(value));
  }
}
#endif
