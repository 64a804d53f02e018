// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <string>

namespace cli {

/// Waits until a file may have changed. While an object exists, Ctrl-C does not end the program but the
/// waiting. The file's directory is watched if the system can report changes; it is also checked now and then
/// in any case. An empty path means that there is no file; the log is then checked often.
class FileWatch {
 public:
  explicit FileWatch(std::string const& path);
  ~FileWatch();
  FileWatch(FileWatch const&) = delete;
  FileWatch& operator=(FileWatch const&) = delete;

  enum class Woken { look, interrupted, unread }; ///< unread: the reader of stdout ended
  Woken wait();
  /// True after Ctrl-C, waiting or not.
  static bool stopped();

 private:
  bool changed();

  std::string name_;
  int inotify_;
  sigset_t mask_before_ = {};
  struct sigaction action_before_ = {};
};

}
