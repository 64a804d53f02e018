// SPDX-License-Identifier: MIT
// Makes bits that are unique where the system gives no random ones.
#pragma once
#include <sessionkit/detail/base/random_bits.hpp>

#include <chrono>
#include <initializer_list>

namespace sessionkit { inline namespace v0 { namespace detail {

std::uint64_t unique_bits(void const* address, std::uint64_t process) noexcept {
  auto const ticks = [](auto now) { return static_cast<std::uint64_t>(now.time_since_epoch().count()); };
  std::uint64_t bits = ticks(std::chrono::system_clock::now());
  for (std::uint64_t const more : {ticks(std::chrono::steady_clock::now()), process,
                                   static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address))}) {
    bits = (bits ^ more) * 0x9E3779B97F4A7C15;
    bits ^= bits >> 29;
  }
  return bits;
}

}}}
