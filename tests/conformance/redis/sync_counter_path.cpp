// SPDX-License-Identifier: MIT
// Alone in a file, so that a compiler cache can serve the tests to a clone of the tree elsewhere.
#include "redis/sync_counter.hpp"

namespace sessionkit_test {

std::string sync_counter() { return SESSIONKIT_SYNC_COUNTER; }

}
