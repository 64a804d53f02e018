// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace sessionkit_test {

/// The library of sync_counter.cpp, which a server preloads.
std::string sync_counter();

}
