// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/upkeep/search_codec.hpp>
#include <sessionkit/detail/upkeep/search_grams.hpp>
#include <sessionkit/detail/upkeep/search_pieces.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The end of the names of segments.
inline constexpr std::string_view segment_suffix = ".seg";

/// Where the files of a search index are.
struct SegmentFolder {
  FileOps* ops;
  int directory;
  std::string path;
  bool synced; ///< segments are synced before they are used
};

/// A segment as the list of segments names it.
struct SegmentName {
  std::string file = {};
  std::uint64_t tail_at = 0;    ///< the offset of the tail: the pieces, and the places of the pages
  std::uint64_t tail_bytes = 0; ///< its length
  std::uint32_t tail_crc = 0;   ///< its CRC-32C
};

/// A segment: a file that never changes. It consists of pages, which say which blocks have a gram, and of a
/// tail. Each page and the tail have a checksum.
class SESSIONKIT_API SearchSegment {
 public:
  /// Reads the tail. Fails with `io_error` if the file is damaged.
  static Result<std::shared_ptr<SearchSegment const>> open(SegmentFolder const& folder,
                                                           SegmentName const& name);
  SearchSegment(SegmentName name, OpenFile file, FileOps& ops, std::string path);

  SegmentName const& name() const noexcept { return name_; }
  std::uint64_t bytes() const noexcept { return name_.tail_at + name_.tail_bytes; }
  std::vector<IndexedPiece> const& pieces() const noexcept { return pieces_; }
  std::uint32_t blocks() const noexcept { return blocks_; } ///< the number of blocks
  std::size_t pages() const noexcept { return pages_.size(); }

  /// Returns the blocks that have all these grams, which must ascend. Absent if a page is damaged.
  std::optional<BlockNumbers> blocks_with(std::vector<Gram> const& grams) const;
  /// Reads one page and checks it.
  Result<std::string> read_page(std::size_t i) const;
  /// True if a page was damaged or could not be read.
  bool is_damaged() const noexcept { return damaged_; }

 private:
  struct Page {
    Gram first;
    std::uint64_t offset;
    std::uint32_t bytes, crc;
  };
  bool read_tail(std::string_view tail);
  std::optional<std::vector<std::string>> lists_of(std::vector<Gram> const& grams) const;

  SegmentName name_;
  OpenFile file_;
  FileOps* ops_;
  std::string path_;
  std::uint32_t blocks_ = 0;
  std::vector<IndexedPiece> pieces_;
  std::vector<Page> pages_;
  mutable std::atomic<bool> damaged_{false};
};
using SegmentPtr = std::shared_ptr<SearchSegment const>;

/// The grams of blocks: the upper 32 bits are the gram, the lower ones the number of the block.
using GramBlocks = std::vector<std::uint64_t>;
/// Sorts by the gram. Blocks of one gram keep their order.
SESSIONKIT_API void sort_by_gram(GramBlocks& all);

/// Writes a segment with these grams, which are sorted.
SESSIONKIT_API Result<SegmentName> write_segment(SegmentFolder const& folder, GramBlocks const& grams,
                                                 std::vector<IndexedPiece> const& pieces,
                                                 std::uint32_t blocks);
/// Writes a segment that replaces several segments.
SESSIONKIT_API Result<SegmentName>
merge_segments(SegmentFolder const& folder, std::vector<SegmentPtr> const& segments, MergePlan const& plan);

}}}
