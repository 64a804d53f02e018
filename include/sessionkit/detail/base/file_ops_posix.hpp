// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the name of the network file system with this magic number (statfs(2)). Empty for any other file
/// system.
SESSIONKIT_API std::string_view network_file_system_of(std::uint32_t magic) noexcept;

}}}
