// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Fills at most 32 numbers with random bits of the system. If the system gives none, the bits are unique,
/// but not secret.
SESSIONKIT_API void fill_random(std::uint64_t* bits, std::size_t count) noexcept;

/// Returns 64 such bits.
inline std::uint64_t random_bits() noexcept {
  std::uint64_t bits = 0;
  fill_random(&bits, 1);
  return bits;
}

/// Returns unique bits, made from the clocks, an address and the number of the process.
SESSIONKIT_API std::uint64_t unique_bits(void const* address, std::uint64_t process) noexcept;

}}}
