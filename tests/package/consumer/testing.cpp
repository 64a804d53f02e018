// SPDX-License-Identifier: MIT
#include <sessionkit/testing/store_conformance.hpp>

#include <cstdlib>

namespace {

// Before main: the checks that a store would have to pass.
bool const asked = [] {
  if (sessionkit::testing::conformance_checks().empty()) std::abort();
  return true;
}();

}
