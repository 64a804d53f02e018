// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/event.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Opens a directory for a store. If `create` is true, makes a missing directory and its missing parents with
/// mode 0700, and syncs their names. Refuses symbolic links, files that are no directory, and network file
/// systems.
SESSIONKIT_API Result<OpenFile> open_store_directory(FileOps& ops, std::string const& path, bool create);

/// Names who can replace the files in a directory.
enum class DirectoryAccess {
  ours,   ///< only our user, or root
  owner,  ///< also another user, who owns the directory
  others, ///< also a group or everybody: they may write to the directory, and it has no sticky bit
};
SESSIONKIT_API Result<DirectoryAccess> access_to(FileOps& ops, int directory, std::string const& path);

/// What a store accepts and reports about its directory.
struct StoreAccess {
  bool allow_shared = false; ///< accept a directory that a group or everybody may write to
  OnEvent const& on_event;
};
/// Fails with `unsafe_path` if `access_to` returns `others` and `allow_shared` is false. Reports a directory
/// of another user as `Event::other_owner`.
SESSIONKIT_API Result<void> check_store_access(FileOps& ops, int directory, std::string const& path,
                                               StoreAccess const& options);

/// Opens the folder for removed transcripts, and makes it if it is missing.
SESSIONKIT_API Result<OpenFile> open_trash(FileOps& ops, int root, std::string const& root_path);

/// The error of a call after the directory of an open store was removed.
SESSIONKIT_API Error removed_directory(std::string const& path);

}}}
