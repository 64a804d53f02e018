// SPDX-License-Identifier: MIT
#include <sessionkit/testing/store_conformance.hpp>

#include <cstdlib>

namespace {

// Used before main: the checks that a store must pass.
bool const asked = [] {
  if (sessionkit::testing::conformance_checks().empty()) std::abort();
  return true;
}();

}
