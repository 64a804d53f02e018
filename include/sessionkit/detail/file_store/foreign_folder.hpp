// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/result.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The program whose folder holds a file or folder of this name; empty: many programs use such names.
SESSIONKIT_API std::string_view program_of_name(std::string_view name) noexcept;
/// The program that writes such lines, among those whose transcripts are no dialect here; empty: not known.
SESSIONKIT_API std::string_view program_of_line(std::string_view line) noexcept;

/// `unsupported` for a directory with transcripts of another program alone, or with names that only such a
/// program uses: in such a directory nothing is written, moved or removed. One with an entry of a known type
/// is a store, and so is an empty one, and one with our lock file whose lines show no other program or are in
/// our index.
SESSIONKIT_API Result<void> refuse_foreign_folder(FileOps& ops, int directory, std::string const& root);

/// The program that wrote the first lines of a transcript, or nothing if they are known or show none.
SESSIONKIT_API Result<std::string_view>
program_of_transcript(FileOps& ops, int directory, std::string const& root, std::string const& name);

/// Has a store of ours written to this directory? Then reading it may renew its index.
SESSIONKIT_API bool has_our_lock(FileOps& ops, int directory);

}}}
