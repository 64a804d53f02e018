// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Facts that `check_json` found in a text: where the long values at small depths end, and whether the whole
/// text is UTF-8. Code that parses the text afterwards uses these facts and need not search again. The map
/// points into the text.
///
/// A map takes at most about twice the memory of its text, whatever the text is.
class JsonMap {
 public:
  static constexpr std::ptrdiff_t shortest = 65; // bytes; a shorter value is scanned faster than found here

  JsonMap() { extents_.reserve(16); } // enough for most lines
  /// Returns one past the end of the value that begins at `begin`. Null if the value is short or deeply
  /// nested, or if there is none.
  SESSIONKIT_INLINE char const* end_of(char const* begin) const noexcept {
    auto const found =
        std::lower_bound(extents_.begin(), extents_.end(), begin,
                         [](Extent const& extent, char const* at) { return extent.begin < at; });
    return found != extents_.end() && found->begin == begin ? found->end : nullptr;
  }
  bool utf8() const noexcept { return utf8_; }
  std::size_t size() const noexcept { return extents_.size(); }

  // Only `check_json` calls these functions, in the order of the text.
  void clear() noexcept { extents_.clear(); }
  void set_utf8(bool valid) noexcept { utf8_ = valid; }
  void string(char const* begin, char const* end, std::size_t depth) {
    if (depth <= deepest && end - begin >= shortest) extents_.push_back({begin, end});
  }
  void open(char const* begin, std::size_t depth) {
    if (depth >= deepest) return;
    open_[depth] = extents_.size();
    extents_.push_back({begin, begin});
  }
  void close(char const* end, std::size_t depth) noexcept {
    if (depth >= deepest) return;
    Extent& extent = extents_[open_[depth]];
    extent.end = end;
    if (end - extent.begin < shortest) extents_.pop_back(); // nested values are shorter still
  }

 private:
  struct Extent {
    char const* begin;
    char const* end;
  };
  static constexpr std::size_t deepest = 8; // dialects parse no deeper

  std::vector<Extent> extents_;
  std::array<std::size_t, deepest> open_{}; // by depth: the extent whose end is not known yet
  bool utf8_ = false;
};

}}}
