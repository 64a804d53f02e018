// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Three consecutive bytes of a text after `fold_case`, as a number: the first byte has the highest value. So
/// one Chinese character of three bytes is a gram.
using Gram = std::uint32_t;
inline constexpr std::size_t gram_bytes = 3;

/// Collects the grams of several texts.
class SESSIONKIT_API GramSet {
 public:
  GramSet();
  void add(std::string_view text);
  /// Returns each gram of the added texts once, in any order, and empties the set.
  std::vector<Gram> take();

 private:
  std::vector<std::uint64_t> bits_; ///< one for each possible gram
  std::vector<Gram> grams_;
};

/// Returns grams that each text with `text` in it has, sorted; at most 32 of a long text. Empty if there are
/// none: the text is shorter than a gram or is not UTF-8.
SESSIONKIT_API std::vector<Gram> grams_to_find(std::string_view text);

}}}
