// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if two names of profiles, providers or dialects are equal. `-` and `_` count as the same character.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
  auto const plain = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

/// True for a byte that all providers allow in ids and in names of tools.
constexpr bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// True if this text may be a `SessionId`.
inline bool is_session_id(std::string_view text) noexcept {
  auto const alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  constexpr std::size_t longest = 128;
  return !text.empty() && text.size() <= longest && alphanumeric(text.front())
         && std::all_of(text.begin(), text.end(),
                        [&](char c) { return alphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

}}}
