// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The hash FNV-1a with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). It is the same on each machine,
/// so it may be stored. `seed` changes the first value.
inline std::uint64_t fnv1a(std::string_view text, std::uint64_t seed = 0) noexcept {
  std::uint64_t hash = 14695981039346656037U ^ seed;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}}}
