// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/time.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// `quarantine/` in a directory, which keeps bytes that were replaced. Made when the first of them come.
/// `directory` stays open as long as this.
class SESSIONKIT_API Quarantine {
 public:
  static constexpr char const* folder_name = "quarantine";

  Quarantine(FileOps& ops, int directory, std::string path, Timestamp now);

  /// Copies the bytes of an open file, and syncs the copy and its name. Answers the copy's path.
  Result<std::string> copy(int descriptor, std::string const& name);
  /// Moves a file here. Answers its new path.
  Result<std::string> take(int from, std::string const& name);

 private:
  Result<void> open();
  std::string name_of(std::string const& name, int tries) const;

  FileOps* ops_;
  int directory_;
  std::string path_, time_;
  OpenFile folder_;
};

/// Writes all bytes, in as many calls as it takes.
SESSIONKIT_API Result<void> write_fully(FileOps& ops, int descriptor, std::string_view bytes,
                                        std::string_view path);

}}}
