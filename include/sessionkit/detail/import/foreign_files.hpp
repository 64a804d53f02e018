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

/// How many bytes a file has now. `unsupported` if it is longer than `ImportLimits::max_file`.
Result<std::uint64_t> size_to_read(ForeignFiles& files, std::string const& file, ImportLimits const& limits);

/// Reads a whole file. `unsupported` if it is longer than `ImportLimits::max_file`. A file that grows
/// meanwhile is read up to the size that it had.
Result<std::string> read_foreign_file(ForeignFiles& files, std::string const& file,
                                      ImportLimits const& limits);

/// The name of a file without its folders and without what follows the last dot.
std::string file_stem(std::string_view file);

}}}
