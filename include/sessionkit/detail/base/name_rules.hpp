// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if two names of profiles, providers or dialects are equal. `-` and `_` count as the same character.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
  auto const plain = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

/// True if two names differ only in which letters of the English alphabet are capital. Windows and
/// macOS take such names of files for one.
template <class Unit>
bool differ_in_case_only(std::basic_string_view<Unit> a, std::basic_string_view<Unit> b) noexcept {
  auto const lower = [](Unit c) { return c >= 'A' && c <= 'Z' ? static_cast<Unit>(c - 'A' + 'a') : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return a != b;
}

/// True if `name`, the name of a file in its directory, and the last part of `path` differ in this way.
inline bool ends_in_other_case(std::string_view path, std::string_view name) noexcept {
  return differ_in_case_only(path.substr(path.rfind('/') + 1), name); // npos + 1 is 0
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
