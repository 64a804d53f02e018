// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace cli {

/// A new file, accessible to its owner only; an existing file stays. Ends the command if something goes
/// wrong. Without `finish` the file is removed.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(NewFile const&) = delete;
  NewFile& operator=(NewFile const&) = delete;

  void write(std::string_view text);
  /// Syncs the file to the disk.
  void finish();

 private:
  void drain();
  [[noreturn]] void fail(int error_number);

  std::string path_, buffer_;
  int descriptor_;
};

}
