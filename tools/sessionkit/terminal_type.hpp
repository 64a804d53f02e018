// SPDX-License-Identifier: MIT
#pragma once

namespace cli {

/// Whether ncurses has a description of the terminal that TERM names.
bool terminal_type_is_known();

} // namespace cli
