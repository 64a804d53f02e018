// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/result.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The name of the lock file in a store's directory. A process holds the lock of this file while it writes
/// the index or a whole document.
inline constexpr char const* directory_lock_name = ".lock";

/// A lock file, open and locked.
struct LockedFile {
  OpenFile file;
  FileLock lock; // destroyed first
};

/// Takes the lock of an open directory, whose path is `root`. The lock is held as long as the result lives.
SESSIONKIT_API Result<LockedFile> lock_directory(FileOps& ops, int directory, std::string const& root,
                                                 std::chrono::milliseconds wait);

/// The lock of an open directory, for an object that takes it often: the lock file stays open in between.
/// Only one thread at a time may use it.
class SESSIONKIT_API DirectoryLock {
 public:
  DirectoryLock(FileOps& ops, int directory, std::string root)
      : ops_(&ops), directory_(directory), root_(std::move(root)) {}
  /// Takes the lock, which must not outlive this object. If the lock file was replaced since the last time,
  /// opens the new one.
  Result<FileLock> take(std::chrono::milliseconds wait);

 private:
  FileOps* ops_;
  int directory_;
  std::string root_;
  OpenFile file_ = {};
  FileStatus opened_ = {}; // the status of `file_` when it was opened
};

}}}
