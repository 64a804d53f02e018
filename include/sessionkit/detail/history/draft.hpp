// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/history_part.hpp>
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/history.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// How mode `valid` rebuilds a history: First the context is cut into pieces. Then part rules change or drop
// single pieces. Last, structural rules pair calls with results, give calls their ids, and arrange the pieces
// as messages. docs/history.md lists the rules by name.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::uint32_t no_piece = std::numeric_limits<std::uint32_t>::max();

/// The kind of a piece. `said` and `thought` are the assistant's text and reasoning.
enum class Slot : std::uint8_t { user, said, thought, call, result };

/// One part of a message that may go into the history.
struct Piece {
  Part const* part = nullptr;    ///< null if the piece was dropped from the history
  Part const* stored = nullptr;  ///< the part in the entry
  std::uint32_t source = 0;      ///< index in `Draft::sources`
  std::uint32_t link = no_piece; ///< index in `Draft::pieces` of a call's result or a result's call
  Slot slot = Slot::user;
  bool late = false;               ///< a result that came late: an earlier request may lack it
  bool failed = false;             ///< a call of a failed answer: it is never sent, but may have results
  std::string const* id = nullptr; ///< the id of a call in the history; null if it is the stored id
};

/// An entry from which pieces come.
struct Source {
  Entry const* entry;
  std::size_t index; ///< place of the entry in `Context::entries`; 0 for a compaction
  Role role;
  Message const* message; ///< null if the entry is not a message
};

/// A message of the history, as a range of `Draft::order`.
struct Span {
  Role role;
  std::size_t begin, end;
};

/// Says that the piece `piece` also contains content of the source `source`.
struct JoinedSource {
  std::uint32_t piece, source;
};

/// The state of a rebuild. Pieces point to parts of the context until the parts are copied into the history.
struct Draft {
  Context const& context;
  Target const& target;
  ProviderRules rules;
  bool consumed = false; ///< true if parts may be moved out of the context, which is not needed later
  HistoryPart part = {};

  std::vector<Source> sources = {};
  std::vector<Piece> pieces = {}; ///< first the pieces of the log in its order, then those that rules made
  std::size_t logged = 0;         ///< how many pieces come from the log
  std::vector<std::uint32_t> order = {}; ///< indices of pieces, in the order of the history
  std::vector<Span> messages = {};
  std::vector<JoinedSource> joined = {}; ///< ordered by piece
  std::deque<Part> made = {};
  std::deque<std::string> ids = {};
  std::vector<std::string> system = {};
  std::vector<Repair> report = {};

  Part const* keep(Part whole) { return &made.emplace_back(std::move(whole)); }
  EntryId const& entry_of(Piece const& piece) const { return sources[piece.source].entry->id; }
  ToolUse const& call(std::uint32_t piece) const { return std::get<ToolUse>(*pieces[piece].part); }
  std::string const& call_id(std::uint32_t piece) const {
    return pieces[piece].id ? *pieces[piece].id : call(piece).id;
  }
  void note(EntryId const& entry, std::string_view rule, std::string before, std::string after = {},
            bool retroactive = false) {
    report.push_back({entry, rule, std::move(before), std::move(after), retroactive});
  }
  /// Drops a piece from the history, and notes this in the report.
  void drop(Piece& piece, std::string_view rule);
};

/// The first step of a rebuild: cuts the content of the context into pieces and applies the part rules.
void collect_pieces(Draft& draft);

/// Converts an item of the content of a tool's result into a part of a message.
Part to_part(ToolContent const& piece);

}}}
