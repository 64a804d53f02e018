// SPDX-License-Identifier: MIT
// There is no pager on Windows: a console scrolls.
#include "pager.hpp"

namespace cli {

bool Pager::start() { return false; }
void Pager::wait() {}

}
