// SPDX-License-Identifier: MIT
#pragma once
#include <csignal>
#include <string>

namespace cli {

/// Waits until a file may have changed. As long as there is one, Ctrl-C does not end the program but the
/// waiting. Its directory is watched where the system can tell of changes in it; it is looked at now and then
/// all the same. An empty path: there is no file, and it is looked at often.
class FileWatch {
 public:
  explicit FileWatch(std::string const& path);
  ~FileWatch();
  FileWatch(FileWatch const&) = delete;
  FileWatch& operator=(FileWatch const&) = delete;

  enum class Woken { look, interrupted, unread }; ///< unread: whoever read stdout went away
  Woken wait();
  /// True once Ctrl-C came, waiting or not.
  static bool stopped();

 private:
  bool changed();

  std::string name_;
  int inotify_;
  sigset_t mask_before_ = {};
  struct sigaction action_before_ = {};
};

}
