// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if two names of profiles, providers or dialects are the same: `-` and `_` are alike in them.
inline bool same_name(std::string_view a, std::string_view b) noexcept {
  auto const plain = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

}}}
