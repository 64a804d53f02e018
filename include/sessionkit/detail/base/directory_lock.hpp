// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/result.hpp>

#include <chrono>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The file in a store's directory on which a process has a lock while it writes what belongs to no single
/// log: the index, or whole documents.
inline constexpr char const* directory_lock_name = ".lock";

/// Takes the lock of the directory with the path `root`. Closing the file releases the lock.
SESSIONKIT_API Result<OpenFile> lock_directory(FileOps& ops, int directory, std::string const& root,
                                               std::chrono::milliseconds wait);

}}}
