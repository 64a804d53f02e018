// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Opens a directory for a store. `create`: makes it (with its parents, mode 0700, their names synced) if it
/// is missing. Refuses links, other things and network file systems.
SESSIONKIT_API Result<OpenFile> open_store_directory(FileOps& ops, std::string const& path, bool create);

/// Who else can replace what is in a directory.
enum class DirectoryAccess {
  ours,   ///< we alone, or root
  owner,  ///< another user, whose directory it is
  others, ///< a group or everybody may write to it, and no sticky bit keeps them from each other's entries
};
SESSIONKIT_API Result<DirectoryAccess> access_to(FileOps& ops, int directory, std::string const& path);

/// Opens the folder for removed transcripts, made where it is missing.
SESSIONKIT_API Result<OpenFile> open_trash(FileOps& ops, int root, std::string const& root_path);

}}}
