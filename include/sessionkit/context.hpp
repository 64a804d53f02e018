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
  std::vector<Entry> entries = {};      ///< oldest first, without the header and without `compaction`
  std::optional<Entry> compaction = {}; ///< the last one on the path; its summary replaces what came before
  std::size_t after_compaction = 0;     ///< index of the first of `entries` that follows the compaction
  EntryId leaf = {};                    ///< empty: the log has no entries
  Position end = {};                    ///< end of the log when it was read
  std::vector<Damage> damage = {}; ///< damage on the path; the entries that it hides are missing in `entries`
  /// The number of lines of unknown types without ids that are missing in `entries`, which contains the last
  /// 1,000 of them. Such lines are never sent, and a file may consist of them.
  std::uint64_t unlisted = 0;
  std::string_view dialect = "native"; ///< the dialect of the log, whose program `faithful` histories follow
  /// The number of tokens at which the breaker stopped compactions, if the dialect has no entry for it and
  /// the `Session` remembers it. 0: the breaker is closed.
  std::uint64_t stopped_at = 0;
  /// What this `Session` object left out of the answers that it stored. A log does not record it, so a
  /// context that is loaded from a store has none.
  std::vector<LeftOut> left_out = {};
};

/// Reads the entries that count, backwards from the leaf, and stops as soon as possible, so that the cost
/// depends on the kept entries and not on the length of the log. An empty `leaf` means the last entry.
/// `not_found` if there is no such session or entry.
///
/// If the parent of an entry is missing, or comes after the entry, the entry before it in the log takes its
/// place, and this is reported. So damage never hides the good entries before it.
SESSIONKIT_API Result<Context> load_context(SessionStore& store, SessionId const& id,
                                            EntryId const& leaf = {});

/// The whole path from the first entry to the leaf, compactions included. The header is not part of it.
SESSIONKIT_API Result<std::vector<Entry>> load_path(SessionStore& store, SessionId const& id,
                                                    EntryId const& leaf = {});

/// The positions at which the entries of that path end, oldest first. They need a few bytes for each entry,
/// so a caller can read a long path page by page. Errors as `load_path`.
SESSIONKIT_API Result<std::vector<Position>> path_positions(SessionStore& store, SessionId const& id,
                                                            EntryId const& leaf = {});

/// Calls `visit` for each entry on the path to the leaf, newest first, until `visit` returns false. Reads
/// backwards, and no further. Entries that cannot be decoded are skipped. Errors as `load_path`.
SESSIONKIT_API Result<void> walk_back(SessionStore& store, SessionId const& id, EntryId const& leaf,
                                      std::function<bool(Entry const&)> const& visit);

/// A complete log, oldest entry first, beginning with the header. Lines that cannot be decoded are in
/// `damage`.
struct Log {
  std::vector<Entry> entries = {};
  std::vector<Damage> damage = {};
  Position end = {};
  std::vector<std::string> lines =
      {}; ///< the line of each entry as it was written (it may be empty); no lines if they were not kept
};
/// Whether a `Log` also keeps the line of each entry, which doubles its memory. `convert_log` uses the lines
/// to copy them unchanged.
enum class LogLines { none, kept };
/// Every entry of a log, oldest first.
SESSIONKIT_API Result<Log> load_log(SessionStore& store, SessionId const& id,
                                    LogLines lines = LogLines::none);

/// The ends of a log's branches, in log order: the entries that are the parent of no entry.
SESSIONKIT_API std::vector<EntryId> leaves_of(Log const& log);

}}
