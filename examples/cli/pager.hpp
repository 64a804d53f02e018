// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include <sys/types.h>

namespace cli {

/// How large the terminal behind stdout is; what it does not say is $COLUMNS, $LINES, or 80 by 24.
struct Screen {
  std::size_t columns = 80, rows = 24;
};
Screen screen_of_stdout();

/// The program that shows what is longer than a screen: $SESSIONKIT_PAGER, else $PAGER, else less. Empty, or
/// `cat`: none.
class Pager {
 public:
  /// From here on, what goes to stdout goes to it, and Ctrl-C is its business. False: there is none to start.
  bool start();
  bool runs() const { return process_ > 0; }
  /// Ends stdout, and waits until the person has seen enough.
  void wait();

 private:
  pid_t process_ = 0;
};

}
