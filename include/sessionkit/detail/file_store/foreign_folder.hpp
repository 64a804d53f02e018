// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/result.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

class LastBegin;

/// Returns the program whose folder contains a file or folder of this name. Empty if the name shows no
/// program.
SESSIONKIT_API std::string_view program_of_name(std::string_view name) noexcept;
/// Returns the program that writes such lines, if this library has no dialect for them. Empty if the program
/// is not known.
SESSIONKIT_API std::string_view program_of_line(std::string_view line) noexcept;

/// Fails with `unsupported` for a directory of another program, in which nothing may be written, moved or
/// removed. All transcripts of such a directory are another program's, or it has names that only another
/// program uses. An empty directory is a store, and so is a directory with an entry of a known type. A
/// directory with our lock file is a store if its lines show no other program, or if its transcripts are in
/// our index. `index` is the beginning of the index. `last` receives what the last transcript that was read
/// shows.
SESSIONKIT_API Result<void> refuse_foreign_folder(FileOps& ops, int directory, std::string const& root,
                                                  std::string_view index, LastBegin& last);

/// Returns the program that wrote the first lines of a transcript. Empty if the lines are in a known dialect,
/// or show no program.
SESSIONKIT_API Result<std::string_view>
program_of_transcript(FileOps& ops, int directory, std::string const& root, std::string const& name);

/// True if a store of this library has written to the directory. Then a reader may write a new index.
SESSIONKIT_API bool has_our_lock(FileOps& ops, int directory);

}}}
