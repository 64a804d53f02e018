// SPDX-License-Identifier: MIT
#include "data.hpp"

namespace sessionkit_test {

std::string data(std::string const& name) { return std::string(SESSIONKIT_TEST_DATA "/") + name; }

}
