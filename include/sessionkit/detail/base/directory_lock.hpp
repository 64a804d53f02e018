// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/result.hpp>

#include <chrono>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The name of the lock file in a store's directory. A process holds the lock of this file while it writes
/// the index or a whole document.
inline constexpr char const* directory_lock_name = ".lock";

/// Takes the lock of an open directory, whose path is `root`. Closing the returned file releases the lock.
SESSIONKIT_API Result<OpenFile> lock_directory(FileOps& ops, int directory, std::string const& root,
                                               std::chrono::milliseconds wait);

}}}
