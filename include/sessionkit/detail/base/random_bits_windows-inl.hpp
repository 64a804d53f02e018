// SPDX-License-Identifier: MIT
// Asks Windows for random bits.
#pragma once
#include <sessionkit/detail/base/random_bits.hpp>
#include <sessionkit/detail/base/windows_header.hpp>

#include <ntsecapi.h>

namespace sessionkit { inline namespace v0 { namespace detail {

std::uint64_t random_bits() noexcept {
  std::uint64_t bits = 0;
  return ::RtlGenRandom(&bits, sizeof bits) != 0 ? bits : unique_bits(&bits, ::GetCurrentProcessId());
}

}}}
