// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Replaces a file as a whole: writes a draft beside it, syncs the draft if `synced`, and renames it. A
/// failure or a crash leaves the old file. The mode of an existing file is kept; a new one has 0600. The
/// directory is not synced. Returns the new file, open for writing. `root` is the directory's path, for
/// messages.
///
/// `expected` is the file that the new one replaces, as it was when it was read (inode 0: there was none). If
/// there is another file of this name by now, or it was written to, nothing is replaced: `conflict`. If its
/// mode cannot be read, that is an error; without `expected`, the new file then has 0600. Fails with
/// `outcome_unknown` if nobody can say whether the new file has the name.
SESSIONKIT_API Result<OpenFile> replace_file(FileOps& ops, int directory, std::string_view root,
                                             std::string const& name, std::string_view text, bool synced,
                                             FileStatus const* expected = nullptr);

/// Returns the name that a draft of `replace_file` was to take. Empty if the file is no such draft.
SESSIONKIT_API std::string_view name_of_draft(std::string_view file) noexcept;

/// Removes the drafts that killed processes left, of files whose names end in `suffix`. For a directory where
/// `replace_file` is called under `lock_directory` only. Does nothing if another process has this lock: it
/// may be writing a draft.
SESSIONKIT_API void remove_drafts(FileOps& ops, int directory, std::string const& root,
                                  std::string_view suffix);

}}}
