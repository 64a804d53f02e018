// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the name of the network file system with this magic number (statfs(2)). Empty for any other file
/// system.
SESSIONKIT_API std::string_view network_file_system_of(std::uint32_t magic) noexcept;

/// True if a release of Linux, such as "6.13.2-amd64", is this version or a later one.
SESSIONKIT_API bool linux_is_at_least(char const* release, int major, int minor) noexcept;

}}}
