// SPDX-License-Identifier: MIT
#pragma once
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

// How `valid` rebuilds: the context is cut into pieces, rules change or drop pieces one by one (part rules),
// then the pieces are paired, named and laid out as messages (structural rules). docs/history.md lists the
// rules by name.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::uint32_t no_piece = std::numeric_limits<std::uint32_t>::max();

/// What a piece is to the rules: said and thought are the assistant's text and reasoning.
enum class Slot : std::uint8_t { user, said, thought, call, result };

/// One part on its way into the history.
struct Piece {
  Part const* part = nullptr;   ///< null: it has left the view
  Part const* stored = nullptr; ///< as the entry has it
  std::uint32_t source = 0;
  std::uint32_t link = no_piece; ///< call and result of each other
  Slot slot = Slot::user;
  bool late = false;   ///< a result that an earlier request had to do without
  bool failed = false; ///< a call of an answer that failed: never sent, but results may be its own
  std::string const* id = nullptr; ///< of a call: what it is called in the view; null: as stored
};

/// Where pieces come from: one entry that says something.
struct Source {
  Entry const* entry;
  std::size_t index; ///< in `Context::entries`
  Role role;
  Message const* message; ///< null: made of an entry of another kind
};

/// A message of the view: a range of `Draft::order`.
struct Span {
  Role role;
  std::size_t begin, end;
};

/// What another source says in a piece, too.
struct JoinedSource {
  std::uint32_t piece, source;
};

/// The work piece of a rebuild. Parts are borrowed from the context until they are copied into the history.
struct Draft {
  Context const& context;
  Target const& target;
  ProviderRules const& rules;
  bool consumed = false; ///< nobody needs the context any more: parts may be moved out of it

  std::vector<Source> sources = {};
  std::vector<Piece> pieces = {}; ///< in log order, then the made ones
  std::size_t logged = 0;         ///< how many of them are in log order
  std::vector<std::uint32_t> order = {};
  std::vector<Span> messages = {};
  std::vector<JoinedSource> joined = {}; ///< by piece
  std::deque<Part> made = {};
  std::deque<std::string> ids = {};
  std::vector<std::string> system = {};
  std::vector<Repair> report = {};

  Part const* keep(Part part) { return &made.emplace_back(std::move(part)); }
  EntryId const& entry_of(Piece const& piece) const { return sources[piece.source].entry->id; }
  ToolUse const& call(std::uint32_t piece) const { return std::get<ToolUse>(*pieces[piece].part); }
  std::string const& call_id(std::uint32_t piece) const {
    return pieces[piece].id ? *pieces[piece].id : call(piece).id;
  }
  void note(EntryId const& entry, std::string_view rule, std::string before, std::string after = {},
            bool retroactive = false) {
    report.push_back({entry, rule, std::move(before), std::move(after), retroactive});
  }
  /// Takes a piece out of the view and says so.
  void drop(Piece& piece, std::string_view rule);
};

/// The first step of a rebuild: what the entries of the context say, as pieces, changed by the part rules.
void collect_pieces(Draft& draft);

/// A piece of a tool's result as a part of a message.
Part to_part(ToolContent const& piece);

}}}
