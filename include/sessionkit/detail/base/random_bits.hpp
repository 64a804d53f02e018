// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns 64 random bits of the system. If the system gives none, makes bits that are unique, not secret.
SESSIONKIT_API std::uint64_t random_bits() noexcept;

}}}
