// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include <sys/types.h>

namespace cli {

/// The size of the terminal at stdout; missing values come from $COLUMNS, $LINES, or 80 by 24.
struct Screen {
  std::size_t columns = 80, rows = 24;
};
Screen screen_of_stdout();

/// The program that shows output longer than a screen: $SESSIONKIT_PAGER, else $PAGER, else less. Empty, or
/// `cat`, means none.
class Pager {
 public:
  /// From here on, the pager receives stdout and handles Ctrl-C. False if there is no pager to start.
  bool start();
  bool runs() const { return process_ > 0; }
  /// Closes stdout, and waits until the person closes the pager.
  void wait();

 private:
  pid_t process_ = 0;
};

}
