// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Replaces a file as a whole: writes a draft (a new file beside the old one), syncs the draft if `synced` is
/// true, and renames the draft. A failure or a crash leaves the old file. The new file has the mode of the
/// old file, or 0600 if there was none. The directory is not synced. Returns the new file, open for writing.
/// `root` is the directory's path, for messages.
///
/// `expected` is the status of the old file when the caller read it (inode 0: there was no file). If the name
/// now belongs to another file, or the file was written to, the call replaces nothing and fails with
/// `conflict`. If the mode of the old file cannot be read, a call with `expected` fails; without `expected`,
/// the new file has 0600. Fails with `outcome_unknown` if it cannot be known whether the draft was renamed.
SESSIONKIT_API Result<OpenFile> replace_file(FileOps& ops, int directory, std::string_view root,
                                             std::string const& name, std::string_view text, bool synced,
                                             FileStatus const* expected = nullptr);

/// Returns the name of the file that a draft of `replace_file` was to replace. Empty if `file` is no name of
/// such a draft.
SESSIONKIT_API std::string_view name_of_draft(std::string_view file) noexcept;

/// Removes drafts that killed processes left, if the names of the files to replace end in `suffix`. Use it
/// only for a directory in which each caller of `replace_file` holds the lock of `lock_directory`. Does
/// nothing if another process holds this lock, because that process may be writing a draft.
SESSIONKIT_API void remove_drafts(FileOps& ops, int directory, std::string const& root,
                                  std::string_view suffix);

}}}
