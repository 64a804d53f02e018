// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Something of a model's answer that the log does not hold, because no line of its dialect can represent it.
struct LeftOut {
  EntryId entry = {};    ///< of the answer's line; of the line before it, if the answer has none
  std::string what = {}; ///< for example "reasoning"
  bool was_sent = false; ///< earlier requests of a tool loop had it
};

/// The entries that count for the model: the path from the last compaction's first kept entry to the leaf.
struct Context {
  std::vector<Entry> entries = {};      ///< oldest first; without the header and without `compaction`
  std::optional<Entry> compaction = {}; ///< the last one on the path; its summary replaces what came before
  std::size_t after_compaction = 0;     ///< index of the first of `entries` that follows the compaction
  EntryId leaf = {};                    ///< empty: the log has no entries
  Position end = {};                    ///< end of the log when it was read
  std::vector<Damage> damage = {};      ///< met on the way; what they hide is not in `entries`
  /// Lines of unknown types and without ids on the path that are only counted: the last 1,000 of them are in
  /// `entries`. Nothing is ever sent of them, and a file may hold nothing else.
  std::uint64_t unlisted = 0;
  std::string_view dialect = "native"; ///< of the log: `faithful` histories regroup as its program does
  /// Tokens at which compactions for their size were stopped, where lines of the dialect cannot say so and
  /// the `Session` remembers it; 0: they were not.
  std::uint64_t stopped_at = 0;
  /// What this `Session` object left out of the answers that it stored. A log does not record it, so a
  /// context that is loaded from a store has none.
  std::vector<LeftOut> left_out = {};
};

/// Reads what counts, backwards from the leaf, and stops as soon as it may: the cost grows with what is kept,
/// not with the log. `leaf`: empty means the last entry. `not_found` if there is no such session or entry.
///
/// A parent that is missing, or that comes after its child, is replaced by the entry before it in the log,
/// and reported: damage never hides the good entries before it.
SESSIONKIT_API Result<Context> load_context(SessionStore& store, SessionId const& id,
                                            EntryId const& leaf = {});

/// The whole path from the first entry to the leaf, compactions included. The header is not part of it.
SESSIONKIT_API Result<std::vector<Entry>> load_path(SessionStore& store, SessionId const& id,
                                                    EntryId const& leaf = {});

/// Where the entries of that path end, oldest first: a few bytes an entry, for a caller that reads a long
/// path page by page. Errors as `load_path`.
SESSIONKIT_API Result<std::vector<Position>> path_positions(SessionStore& store, SessionId const& id,
                                                            EntryId const& leaf = {});

/// Calls `visit` for each entry on the path to the leaf, newest first, until it returns false. Reads
/// backwards, and no further than asked. Entries that cannot be decoded are left out. Errors as `load_path`.
SESSIONKIT_API Result<void> walk_back(SessionStore& store, SessionId const& id, EntryId const& leaf,
                                      std::function<bool(Entry const&)> const& visit);

/// A log as it is, oldest first, the header first; lines that cannot be decoded are in `damage`.
struct Log {
  std::vector<Entry> entries = {};
  std::vector<Damage> damage = {};
  Position end = {};
  std::vector<std::string> lines = {}; ///< of each entry, as written, or empty; none if they were not kept
};
/// Whether a log keeps each entry's line beside it, which takes as much memory again. `convert_log` uses them
/// to copy lines as they are.
enum class LogLines { none, kept };
/// Every entry of a log, oldest first.
SESSIONKIT_API Result<Log> load_log(SessionStore& store, SessionId const& id,
                                    LogLines lines = LogLines::none);

/// The entries of a log that are the parent of none, in log order: the tips of its branches.
SESSIONKIT_API std::vector<EntryId> leaves_of(Log const& log);

}}
