// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Calls `look(value, inside)` for the value, and then for each view that a call adds to `inside`, until a
/// call returns false. Returns false if one did. So a deep text needs no more stack than a flat one.
template <class F> bool for_nested(std::string_view value, F&& look) {
  std::vector<std::string_view> inside;
  while (look(value, inside)) {
    if (inside.empty()) return true;
    value = inside.back();
    inside.pop_back();
  }
  return false;
}

}}}
