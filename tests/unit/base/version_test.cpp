// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/error.hpp>
#include <sessionkit/version.hpp>

#include <string>

TEST_CASE("the version text consists of the three version numbers") {
  auto const dotted = std::to_string(SESSIONKIT_VERSION_MAJOR) + "."
                      + std::to_string(SESSIONKIT_VERSION_MINOR) + "."
                      + std::to_string(SESSIONKIT_VERSION_PATCH);
  CHECK(dotted == SESSIONKIT_VERSION);
}
