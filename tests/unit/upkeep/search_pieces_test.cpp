// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/upkeep/search_pieces.hpp>

namespace sk = sessionkit;
using sk::Position;
using sk::detail::BlockNumbers;
using sk::detail::IndexedBlock;
using sk::detail::IndexedLog;
using sk::detail::IndexedPiece;
using sk::detail::LastRecord;
using sk::detail::LogRange;

namespace {

/// A piece of blocks of 10 bytes with 2 records, whose lines have the checksum of their place.
IndexedPiece piece_of(std::uint64_t after, std::size_t blocks, std::uint32_t first_block = 0) {
  IndexedPiece piece{"s1", "native",    {Position{after}, static_cast<std::uint32_t>(after)},
                     {},   first_block, {}};
  for (std::size_t i = 1; i <= blocks; ++i) piece.blocks.push_back({Position{after + 10 * i}, 2, 10});
  Position const end = piece.blocks.back().until;
  piece.last = {end, static_cast<std::uint32_t>(end.value())};
  return piece;
}

using Ranges = std::vector<std::vector<std::uint64_t>>;
Ranges ranges(IndexedLog const& log, std::vector<std::optional<BlockNumbers>> const& found,
              std::uint64_t from = 0, std::uint64_t end = 0) {
  Ranges all;
  Position const last = end != 0 ? Position{end} : log.last().end;
  for (LogRange const& range : sk::detail::ranges_of(log, found, Position{from}, last))
    all.push_back({range.after.value(), range.until->value(), range.records, range.bytes});
  return all;
}

}

TEST_CASE("a piece of an index is read as it was written") {
  IndexedPiece const piece = piece_of(30, 3, 7);
  std::string text;
  sk::detail::put_piece(text, piece);
  sk::detail::NumberReader reader(text);
  IndexedPiece const same = sk::detail::read_piece(reader);
  CHECK((reader.is_at_end() && !reader.has_failed()));
  CHECK((same.session == "s1" && same.dialect == "native" && same.first_block == 7));
  CHECK((same.before.end == Position{30} && same.before.crc == 30));
  CHECK((same.last.end == Position{60} && same.last.crc == 60));
  REQUIRE(same.blocks.size() == 3);
  CHECK((same.blocks[2].until == Position{60} && same.blocks[2].records == 2 && same.blocks[2].bytes == 10));
}

TEST_CASE("pieces of a log follow each other by place, checksum and dialect") {
  IndexedPiece const first = piece_of(0, 2), second = piece_of(20, 1);
  IndexedPiece far = piece_of(30, 1), other = piece_of(20, 1), panel = piece_of(20, 1),
               late = piece_of(20, 1);
  other.before.crc = 99;
  panel.dialect = "panel";
  late.before.end = Position{21}; // its last line got a line end
  auto const parts = [&](std::vector<IndexedPiece const*> const& pieces) {
    IndexedLog log;
    for (IndexedPiece const* piece : pieces) log.add(0, *piece);
    return log.parts().size();
  };
  CHECK(parts({&first, &second}) == 2);
  CHECK(parts({&first, &late}) == 2);
  CHECK(parts({&second}) == 0);
  CHECK(parts({&first, &far}) == 1);
  CHECK(parts({&first, &other}) == 1);
  CHECK(parts({&first, &panel}) == 1);
  CHECK(parts({&first, &second, &first}) == 1); // the log was replaced
  IndexedLog log;
  log.add(0, first);
  log.add(1, second);
  CHECK((log.bytes() == 30 && log.last().end == Position{30}));
  log.add(2, first);
  CHECK((log.bytes() == 20 && log.last().end == Position{20} && log.parts()[0].segment == 2));
}

TEST_CASE("the ranges to read are those of the blocks that were found, and neighbours are joined") {
  IndexedPiece const first = piece_of(0, 3, 5), second = piece_of(30, 2, 0);
  IndexedLog log;
  log.add(0, first);
  log.add(1, second);
  CHECK(ranges(log, {BlockNumbers{}, BlockNumbers{}}).empty());
  CHECK(ranges(log, {BlockNumbers{4, 8}, BlockNumbers{2}}).empty()); // of other logs
  CHECK(ranges(log, {BlockNumbers{5, 7}, BlockNumbers{}}) == Ranges{{0, 10, 2, 10}, {20, 30, 2, 10}});
  CHECK(ranges(log, {BlockNumbers{6, 7}, BlockNumbers{0}}) == Ranges{{10, 40, 6, 30}});
  CHECK(ranges(log, {std::nullopt, BlockNumbers{1}}) == Ranges{{0, 30, 6, 30}, {40, 50, 2, 10}});
  CHECK(ranges(log, {BlockNumbers{5, 6}, BlockNumbers{}}, 10) == Ranges{{10, 20, 2, 10}});
  CHECK(ranges(log, {BlockNumbers{6}, BlockNumbers{}}, 14) == Ranges{{14, 20, 2, 10}});
  CHECK(ranges(log, {BlockNumbers{}, BlockNumbers{1}}, 0, 51) == Ranges{{40, 51, 2, 10}});
}

TEST_CASE("a record whose line got its line end later is in the range of its block") {
  IndexedPiece const first = piece_of(0, 2);
  IndexedPiece second = piece_of(21, 1);
  second.before.crc = 20;
  IndexedLog log;
  log.add(0, first);
  log.add(0, second);
  REQUIRE(log.parts().size() == 2);
  CHECK(ranges(log, {BlockNumbers{1}}) == Ranges{{10, 21, 2, 10}});
}

TEST_CASE("a merge makes one piece of the pieces of a log, and joins small blocks") {
  IndexedPiece const first = piece_of(0, 3, 2), dead = piece_of(70, 2, 5);
  IndexedPiece second = piece_of(31, 2, 1);
  second.before.crc = 30;
  IndexedLog log;
  log.add(3, first);
  log.add(4, second);
  sk::detail::MergePlan plan;
  plan.numbers = {BlockNumbers(7, sk::detail::MergePlan::dropped),
                  BlockNumbers(3, sk::detail::MergePlan::dropped)};
  plan.block_bytes = 20;
  plan.blocks = 100;
  sk::detail::plan_log(plan, log, 3);
  constexpr std::uint32_t none = sk::detail::MergePlan::dropped;
  CHECK(plan.blocks == 103);
  CHECK(plan.numbers[0] == BlockNumbers{none, none, 100, 100, 101, none, none});
  CHECK(plan.numbers[1] == BlockNumbers{none, 101, 102});
  REQUIRE(plan.pieces.size() == 1);
  IndexedPiece const& merged = plan.pieces.front();
  CHECK((merged.first_block == 100 && merged.before.end == Position{} && merged.last.end == Position{51}));
  REQUIRE(merged.blocks.size() == 3);
  CHECK((merged.blocks[0].until == Position{20} && merged.blocks[0].records == 4));
  CHECK((merged.blocks[1].until == Position{41} && merged.blocks[1].bytes == 20));

  sk::detail::MergePlan later;
  later.numbers = {BlockNumbers(3, none)};
  later.block_bytes = 5;
  sk::detail::plan_log(later, log, 4); // only its second piece
  REQUIRE(later.pieces.size() == 1);
  CHECK((later.pieces.front().before.end == Position{31} && later.blocks == 2));
}
