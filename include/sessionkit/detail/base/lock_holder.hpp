// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the number of the process that holds the `flock` of a file. `table` is the text of `/proc/locks`
/// (proc_locks(5)). Zero if no line names the file: then the holder is in another container, or the file
/// system numbers its files in two ways, as btrfs does.
SESSIONKIT_API int holder_in_lock_table(std::string_view table, std::uint64_t device,
                                        std::uint64_t inode) noexcept;

}}}
