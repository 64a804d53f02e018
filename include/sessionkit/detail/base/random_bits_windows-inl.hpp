// SPDX-License-Identifier: MIT
// Asks Windows for random bits.
#pragma once
#include <sessionkit/detail/base/random_bits.hpp>
#include <sessionkit/detail/base/windows_header.hpp>

#include <ntsecapi.h>

namespace sessionkit { inline namespace v0 { namespace detail {

void fill_random(std::uint64_t* bits, std::size_t count) noexcept {
  if (::RtlGenRandom(bits, static_cast<ULONG>(count * sizeof *bits)) != 0) return;
  for (std::size_t i = 0; i < count; ++i) bits[i] = unique_bits(bits + i, ::GetCurrentProcessId());
}

}}}
