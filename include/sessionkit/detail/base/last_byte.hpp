// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstring>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the place of the last `byte` among the `size` bytes at `text`. Null if there is none.
inline char const* last_byte(char const* text, char byte, std::size_t size) noexcept {
#if defined(__linux__)
  return static_cast<char const*>(::memrchr(text, byte, size));
#else
  std::size_t const at = std::string_view(text, size).rfind(byte);
  return at == std::string_view::npos ? nullptr : text + at;
#endif
}

}}}
