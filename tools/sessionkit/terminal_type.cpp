// SPDX-License-Identifier: MIT
// A file of its own: <term.h> defines `lines`, `columns` and hundreds of other words as macros.
#include "terminal_type.hpp"

#ifdef CLI_HAS_CURSES
#include <curses.h>
#include <term.h>
#include <unistd.h>
#endif

namespace cli {

bool terminal_type_is_known() {
#ifdef CLI_HAS_CURSES
  int why_not = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &why_not) != OK) return false;
  del_curterm(cur_term);
  return true;
#else
  return false;
#endif
}

} // namespace cli
