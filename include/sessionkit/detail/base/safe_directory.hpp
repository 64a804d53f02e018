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

/// What happens to a file that is removed from a store.
enum class Removed {
  to_trash,    ///< it is moved to the folder `trash`
  permanently, ///< it is deleted
};
/// The names of a file that is to be removed.
struct RemovableFile {
  int folder = 0; ///< the directory that has the file
  std::string name;
  std::string path; ///< for errors
};
/// Removes a file. `root` is the directory of the store; it gets a folder `trash` if it has none. If the
/// trash has a file of this name, the file gets another name there. Returns the folder to which the file was
/// moved, so that the caller can sync it; no folder if the file was deleted.
SESSIONKIT_API Result<OpenFile> remove_file(FileOps& ops, int root, std::string const& root_path,
                                            RemovableFile const& file, Removed removed);

/// The error of a call after the directory of an open store was removed.
SESSIONKIT_API Error removed_directory(std::string const& path);

}}}
