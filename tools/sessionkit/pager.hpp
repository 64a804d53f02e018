// SPDX-License-Identifier: MIT
#pragma once

namespace cli {

/// The program that shows output longer than a screen: $SESSIONKIT_PAGER, else $PAGER, else less. Empty, or
/// `cat`, means none. On Windows there is none.
class Pager {
 public:
  /// From here on, the pager receives stdout and handles Ctrl-C. False if there is no pager to start.
  bool start();
  bool runs() const { return process_ > 0; }
  /// Closes stdout, and waits until the person closes the pager.
  void wait();

 private:
  int process_ = 0; ///< its number
};

}
