// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns 64 random bits of the system. If the system gives none, returns bits that are unique, but not
/// secret.
SESSIONKIT_API std::uint64_t random_bits() noexcept;

/// Returns unique bits, made from the clocks, an address and the number of the process.
SESSIONKIT_API std::uint64_t unique_bits(void const* address, std::uint64_t process) noexcept;

}}}
