// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Appends a number in as few bytes as it needs: seven bits in each byte, the lowest bits first. The highest
/// bit of a byte is set if another byte follows.
SESSIONKIT_API void put_number(std::string& out, std::uint64_t number);
/// Appends the length of the bytes, and the bytes.
SESSIONKIT_API void put_bytes(std::string& out, std::string_view bytes);

/// Reads what `put_number` and `put_bytes` wrote. After a failure each number is 0 and each text is empty.
class SESSIONKIT_API NumberReader {
 public:
  explicit NumberReader(std::string_view text) noexcept : text_(text) {}
  std::uint64_t number() noexcept;
  std::string_view bytes() noexcept;
  /// Reads a count of elements. Fails if the rest of the text is too short to have so many.
  std::size_t count() noexcept;
  std::size_t left() const noexcept { return text_.size(); } ///< in bytes
  bool is_at_end() const noexcept { return text_.empty(); }
  bool has_failed() const noexcept { return failed_; }

 private:
  std::uint64_t fail() noexcept;

  std::string_view text_;
  bool failed_ = false;
};

/// Numbers of blocks in ascending order, each once.
using BlockNumbers = std::vector<std::uint32_t>;
SESSIONKIT_API std::string encode_blocks(BlockNumbers const& blocks);
SESSIONKIT_API BlockNumbers decode_blocks(std::string_view list);
/// Keeps only those of `blocks` that are in the list.
SESSIONKIT_API void keep_listed(BlockNumbers& blocks, std::string_view list);

/// Appends an entry to a page: a gram, and the list of the blocks that have it. The grams of a page ascend.
/// `previous` is the gram of the entry before it; 0 at the beginning of a page.
SESSIONKIT_API void put_gram(std::string& page, std::uint32_t previous, std::uint32_t gram,
                             std::string_view list);

/// Walks over the entries of a page.
class SESSIONKIT_API PageWalk {
 public:
  explicit PageWalk(std::string_view page) noexcept : reader_(page) {}
  /// Goes to the next entry. False if there is none.
  bool next() noexcept;
  std::uint32_t gram() const noexcept { return gram_; }
  std::string_view list() const noexcept { return list_; }

 private:
  NumberReader reader_;
  std::uint32_t gram_ = 0;
  std::string_view list_;
};

}}}
