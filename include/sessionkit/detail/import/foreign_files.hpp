// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/import.hpp>

#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// As `open_foreign_files`, with replaceable system calls.
SESSIONKIT_API Result<std::unique_ptr<ForeignFiles>> open_foreign_files(FileOps& ops, std::string const& root,
                                                                        ImportLimits const& limits);

/// Returns how many bytes a file has now. Fails with `unsupported` if these are more than
/// `ImportLimits::max_file`.
Result<std::uint64_t> size_to_read(ForeignFiles& files, std::string const& file, ImportLimits const& limits);

/// Reads a whole file. Fails with `unsupported` if it is longer than `ImportLimits::max_file`. A file that
/// grows meanwhile is read up to the size that it had at the beginning.
Result<std::string> read_foreign_file(ForeignFiles& files, std::string const& file,
                                      ImportLimits const& limits);

/// Returns the name of a file without its folders and without its extension (the last dot and all after it).
std::string file_stem(std::string_view file);

}}}
