// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace cli {

/// A new file, for its owner alone; what stands there already stays. The command ends where something goes
/// wrong. Without `finish` nothing is left of it.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(NewFile const&) = delete;
  NewFile& operator=(NewFile const&) = delete;

  void write(std::string_view text);
  /// Makes sure that the disk has all of it.
  void finish();

 private:
  void drain();
  [[noreturn]] void fail(int error_number);

  std::string path_, buffer_;
  int descriptor_;
};

}
