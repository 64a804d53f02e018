// SPDX-License-Identifier: MIT
// Keeps which parts of the logs a search index knows, and which of them a search must read.
#pragma once
#include <sessionkit/detail/upkeep/search_pieces.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace search_pieces_inl { namespace {

void put_record(std::string& out, LastRecord const& record) {
  put_number(out, record.end.value());
  put_number(out, record.crc);
}

LastRecord read_record(NumberReader& reader) {
  Position const end{reader.number()};
  return {end, static_cast<std::uint32_t>(reader.number())};
}

// Where a part of a log ends: the line end of its last record may have been added later.
Position end_of(std::vector<IndexedLog::Part> const& parts, std::size_t i, Position end) noexcept {
  return i + 1 < parts.size() ? parts[i + 1].piece->before.end : end;
}

void add_range(std::vector<LogRange>& ranges, LogRange const& next, Position from) {
  if (*next.until <= from) return;
  if (!ranges.empty() && *ranges.back().until == next.after) {
    ranges.back().until = next.until;
    ranges.back().records += next.records;
    ranges.back().bytes += next.bytes;
    return;
  }
  ranges.push_back(next);
  ranges.back().after = std::max(next.after, from);
}

// The block with this number in a piece that ends at `end`.
LogRange range_of(IndexedPiece const& piece, std::size_t i, Position end) {
  bool const is_last = i + 1 == piece.blocks.size();
  IndexedBlock const& block = piece.blocks[i];
  return {i == 0 ? piece.before.end : piece.blocks[i - 1].until, is_last ? end : block.until, block.records,
          static_cast<std::size_t>(block.bytes)};
}

}}

void put_piece(std::string& out, IndexedPiece const& piece) {
  put_bytes(out, piece.session);
  put_bytes(out, piece.dialect);
  search_pieces_inl::put_record(out, piece.before);
  search_pieces_inl::put_record(out, piece.last);
  put_number(out, piece.first_block);
  put_number(out, piece.blocks.size());
  Position before = piece.before.end;
  for (IndexedBlock const& block : piece.blocks) {
    put_number(out, block.until.value() - before.value());
    put_number(out, block.records);
    put_number(out, block.bytes);
    before = block.until;
  }
}

IndexedPiece read_piece(NumberReader& reader) {
  IndexedPiece piece;
  piece.session = reader.bytes();
  piece.dialect = reader.bytes();
  piece.before = search_pieces_inl::read_record(reader);
  piece.last = search_pieces_inl::read_record(reader);
  piece.first_block = static_cast<std::uint32_t>(reader.number());
  piece.blocks.resize(reader.count());
  Position before = piece.before.end;
  for (IndexedBlock& block : piece.blocks) {
    block.until = before = Position{before.value() + reader.number()};
    block.records = static_cast<std::uint32_t>(reader.number());
    block.bytes = reader.number();
  }
  return piece;
}

void IndexedLog::add(std::size_t segment, IndexedPiece const& piece) {
  bool const begins = piece.before.end == Position{};
  if (begins) parts_.clear(), bytes_ = 0;
  bool const follows = !parts_.empty() && ends_there(piece.before.end, last().end)
                       && piece.before.crc == last().crc && piece.dialect == dialect();
  if (!begins && !follows) return;
  parts_.push_back({segment, &piece});
  for (IndexedBlock const& block : piece.blocks) bytes_ += block.bytes;
}

std::vector<LogRange> ranges_of(IndexedLog const& log, std::vector<std::optional<BlockNumbers>> const& found,
                                Position from, Position end) {
  std::vector<LogRange> ranges;
  for (std::size_t part = 0; part < log.parts().size(); ++part) {
    IndexedPiece const& piece = *log.parts()[part].piece;
    Position const until = search_pieces_inl::end_of(log.parts(), part, end);
    auto const add = [&](std::size_t i) {
      search_pieces_inl::add_range(ranges, search_pieces_inl::range_of(piece, i, until), from);
    };
    std::optional<BlockNumbers> const& blocks = found[log.parts()[part].segment];
    if (!blocks) {
      for (std::size_t i = 0; i < piece.blocks.size(); ++i) add(i);
      continue;
    }
    auto next = std::lower_bound(blocks->begin(), blocks->end(), piece.first_block);
    for (; next != blocks->end() && *next - piece.first_block < piece.blocks.size(); ++next)
      add(*next - piece.first_block);
  }
  return ranges;
}

void plan_log(MergePlan& plan, IndexedLog const& log, std::size_t first) {
  IndexedPiece out;
  out.first_block = plan.blocks;
  for (IndexedLog::Part const& part : log.parts()) {
    if (part.segment < first) continue;
    IndexedPiece const& piece = *part.piece;
    if (out.session.empty())
      out.session = piece.session, out.dialect = piece.dialect, out.before = piece.before;
    else if (!out.blocks.empty())
      out.blocks.back().until = piece.before.end;
    out.last = piece.last;
    BlockNumbers& numbers = plan.numbers[part.segment - first];
    for (std::size_t i = 0; i < piece.blocks.size(); ++i) {
      IndexedBlock const& block = piece.blocks[i];
      if (out.blocks.empty() || out.blocks.back().bytes + block.bytes > plan.block_bytes) {
        out.blocks.push_back(block);
        ++plan.blocks;
      } else {
        out.blocks.back().until = block.until;
        out.blocks.back().records += block.records;
        out.blocks.back().bytes += block.bytes;
      }
      numbers[piece.first_block + i] = plan.blocks - 1;
    }
  }
  if (!out.blocks.empty()) plan.pieces.push_back(std::move(out));
}

}}}
