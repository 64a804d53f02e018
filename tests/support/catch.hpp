// SPDX-License-Identifier: MIT
// Catch2 2.13 or 3, whichever is installed. Tests use what both have: TEST_CASE, SECTION, TEMPLATE_TEST_CASE,
// CHECK and REQUIRE (with _FALSE, _THAT, _THROWS_AS), GENERATE, CAPTURE, INFO, Catch::StringMaker.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

namespace sessionkit_test {

/// Matches a string that contains `part`: `CHECK_THAT(message, contains("offset 12"))`.
inline auto contains(std::string const& part) {
#if __has_include(<catch2/catch_test_macros.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}

/// Skips the test case, with a message, if this machine lacks something it needs.
#define SESSIONKIT_SKIP(reason)                                                                              \
  do {                                                                                                       \
    WARN("skipped: " << (reason));                                                                           \
    return;                                                                                                  \
  } while (false)
