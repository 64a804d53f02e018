// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Facts that the check of a text found, so that code that parses the text afterwards need not look for them
/// again: where the long values near the top end, and that all is UTF-8. Points into the text.
///
/// It takes at most about twice the memory of the text, whatever the text.
class JsonMap {
 public:
  static constexpr std::ptrdiff_t shortest = 65; // bytes; below it, looking costs less than searching

  JsonMap() { extents_.reserve(16); } // as most lines have
  /// One past the value that begins there; null: it is short, or deep within others, or there is none.
  SESSIONKIT_INLINE char const* end_of(char const* begin) const noexcept {
    auto const found =
        std::lower_bound(extents_.begin(), extents_.end(), begin,
                         [](Extent const& extent, char const* at) { return extent.begin < at; });
    return found != extents_.end() && found->begin == begin ? found->end : nullptr;
  }
  bool utf8() const noexcept { return utf8_; }
  std::size_t size() const noexcept { return extents_.size(); }

  // For the check, in the order of the text.
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
    if (end - extent.begin < shortest) extents_.pop_back(); // what it holds is shorter still
  }

 private:
  struct Extent {
    char const* begin;
    char const* end;
  };
  static constexpr std::size_t deepest = 8; // dialects parse no deeper

  std::vector<Extent> extents_;
  std::array<std::size_t, deepest> open_{}; // where those are whose end is not known yet
  bool utf8_ = false;
};

}}}
