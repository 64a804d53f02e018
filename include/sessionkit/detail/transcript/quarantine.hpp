// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/record.hpp>
#include <sessionkit/time.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The folder `quarantine/` of a directory, which keeps bytes that were replaced. The folder is created when
/// it is first used. `directory` must stay open as long as this object exists.
class SESSIONKIT_API Quarantine {
 public:
  static constexpr char const* folder_name = "quarantine";

  Quarantine(FileOps& ops, int directory, std::string path, Timestamp now);

  /// Copies the bytes of an open file, and syncs the copy and its name. Returns the path of the copy.
  Result<std::string> copy(int descriptor, std::string const& name);
  /// Deletes the copies of a file from the folder. `root` is the path of the directory. If one cannot be
  /// deleted, deletes the others and then fails.
  static Result<void> forget(FileOps& ops, int directory, std::string const& root, std::string const& name);
  /// Moves a file into the folder. Returns its new path.
  Result<std::string> take(int from, std::string const& name);

 private:
  Result<void> open();
  std::string name_of(std::string const& name, int tries) const;

  FileOps* ops_;
  int directory_;
  std::string path_, time_;
  OpenFile folder_;
};

/// Writes all bytes, in as many calls as needed.
SESSIONKIT_API Result<void> write_fully(FileOps& ops, int descriptor, std::string_view bytes,
                                        std::string_view path);

}}}
