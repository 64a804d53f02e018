// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/detail/upkeep/search.hpp>
#include <sessionkit/detail/upkeep/search_codec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Sizes that tests make smaller.
struct SearchIndexSizes {
  std::size_t block = std::size_t{16} << 10; ///< a block ends after the record that reaches so many bytes
  std::size_t grams = std::size_t{1} << 22;  ///< so many are in memory before a segment is written
};

/// Some records of a log that follow each other. The index knows which grams a block has.
struct IndexedBlock {
  Position until;            ///< where the last record ends
  std::uint32_t records = 0; ///< the number of records
  std::uint64_t bytes = 0;   ///< the length of their lines, with line ends
};

/// A part of a log whose blocks are in one segment, and have numbers that follow each other.
struct IndexedPiece {
  std::string session;
  std::string dialect;
  LastRecord before;             ///< the record before the piece; position 0: the log begins here
  LastRecord last;               ///< the last record of the piece
  std::uint32_t first_block = 0; ///< the number of the first block
  std::vector<IndexedBlock> blocks = {};
};

SESSIONKIT_API void put_piece(std::string& out, IndexedPiece const& piece);
SESSIONKIT_API IndexedPiece read_piece(NumberReader& reader);

/// What the index knows of one log: pieces that follow each other from the beginning of the log.
class SESSIONKIT_API IndexedLog {
 public:
  struct Part {
    std::size_t segment;       ///< the number of the segment
    IndexedPiece const* piece; ///< the segment owns it
  };
  /// Adds a piece, in the order of the segments. A piece that begins with the log replaces all others: the
  /// log was replaced. A piece that follows none of the others is dropped: the piece between them was lost.
  void add(std::size_t segment, IndexedPiece const& piece);

  /// The pieces; empty only if `add` dropped each piece.
  std::vector<Part> const& parts() const noexcept { return parts_; }
  /// The last record that the index knows. `parts` must not be empty.
  LastRecord const& last() const noexcept { return parts_.back().piece->last; }
  std::string const& dialect() const noexcept { return parts_.back().piece->dialect; }
  std::uint64_t bytes() const noexcept { return bytes_; } ///< the length of all blocks

 private:
  std::vector<Part> parts_;
  std::uint64_t bytes_ = 0;
};

/// Returns the parts of a log after `from` that may have a text. `found[s]` has the blocks of segment `s`
/// that may have the text; absent: all may. `end` is the place where the last record that the index knows
/// ends now.
SESSIONKIT_API std::vector<LogRange> ranges_of(IndexedLog const& log,
                                               std::vector<std::optional<BlockNumbers>> const& found,
                                               Position from, Position end);

/// The plan of a segment that replaces several segments.
struct MergePlan {
  static constexpr std::uint32_t dropped = 0xFFFFFFFF;
  std::vector<IndexedPiece> pieces = {};
  std::vector<BlockNumbers> numbers = {}; ///< for each segment: the new number of each of its blocks
  std::uint32_t blocks = 0;               ///< the number of new blocks
  std::size_t block_bytes = SearchIndexSizes{}.block; ///< the largest size of a block of several
};
/// Adds a log to a plan for the segments from number `first` on, one piece for all pieces of the log in these
/// segments. Small blocks that follow each other become one. Each element of `MergePlan::numbers` must have
/// the size of its segment.
SESSIONKIT_API void plan_log(MergePlan& plan, IndexedLog const& log, std::size_t first);

}}}
