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
SESSIONKIT_API Result<OpenFile> replace_file(FileOps& ops, int directory, std::string_view root,
                                             std::string const& name, std::string_view text, bool synced);

}}}
