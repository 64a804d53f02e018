// SPDX-License-Identifier: MIT
#pragma once
#include <cstdlib>

namespace sessionkit_test {

/// Whether a test that has a long form runs it: scripts/soak sets the variable.
inline bool long_form() {
  return std::getenv("SESSIONKIT_SOAK") != nullptr; // NOLINT(concurrency-mt-unsafe): there is one thread
}

}
