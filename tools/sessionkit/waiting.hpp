// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
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
  struct Watch; // of the system
  std::unique_ptr<Watch> watch_;
};

}
