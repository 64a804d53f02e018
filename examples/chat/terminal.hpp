// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

namespace chat {

/// True if stdin and stdout are a terminal that can be drawn on: TERM is neither empty nor `dumb`.
bool can_draw();
/// The same, and NO_COLOR is not set: answers have colours and show their Markdown.
bool shows_styles();

struct Size {
  std::size_t columns, rows;
};
/// The size of the terminal; COLUMNS and 80, and 24 rows, where it is not known. At least 20 columns.
Size terminal_size();

}
