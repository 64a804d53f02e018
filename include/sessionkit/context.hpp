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

/// A piece of a model's answer that was not stored, because no line of the log's dialect can represent it.
struct LeftOut {
  EntryId entry = {};    ///< the entry of the answer; if the answer has no line, the entry before the answer
  std::string what = {}; ///< for example "reasoning"
  bool was_sent = false; ///< true: earlier requests of the same turn contained it
};

/// The entries that count for the model: those on the path to the leaf, without the entries that the last
/// compaction replaced.
struct Context {
  std::vector<Entry> entries = {}; ///< oldest first, without the header and without `compaction`
  std::optional<Entry> compaction =
      {}; ///< the last compaction on the path; its summary replaces the entries before its first kept entry
  std::size_t after_compaction = 0; ///< index of the first of `entries` that follows the compaction
  EntryId leaf = {};                ///< the entry at which the path ends; empty: the log has no entries
  Position end = {};                ///< end of the log when it was read
  /// The damage on the path. Entries that cannot be read because of it are missing in `entries`.
  std::vector<Damage> damage = {};
  /// The number of lines that `entries` leaves out. A file may have many lines with an unknown type and no
  /// id, which are never sent. `entries` contains only the last 1,000 of these lines.
  std::uint64_t unlisted = 0;
  std::string_view dialect = "native"; ///< the dialect of the log; `faithful` histories follow its program
  /// The number of tokens at which the breaker (`CompactionPolicy::min_saved_percent`) opened; 0 if the
  /// breaker is closed. While the breaker is open, it stops automatic compactions. This member is set only if
  /// the dialect has no entry for the breaker, because then only the `Session` object remembers the breaker.
  std::uint64_t stopped_at = 0;
  /// The pieces that this `Session` object left out of the answers that it stored. The log does not record
  /// them, so the list is empty in a context that was loaded from a store.
  std::vector<LeftOut> left_out = {};
};

/// Reads the entries that count for the model. It reads backwards from the leaf and stops as soon as
/// possible, so the cost depends on the kept entries and not on the length of the log. An empty `leaf` means
/// the last entry. Fails with `not_found` if there is no such session or entry.
///
/// A child entry may name a parent that is missing or comes later in the log. The entry before the child in
/// the log then counts as the parent, and `damage` reports this. So damage never hides the good entries
/// before the damage.
SESSIONKIT_API Result<Context> load_context(SessionStore& store, SessionId const& id,
                                            EntryId const& leaf = {});

/// Returns the whole path from the first entry to the leaf, including compactions, without the header.
SESSIONKIT_API Result<std::vector<Entry>> load_path(SessionStore& store, SessionId const& id,
                                                    EntryId const& leaf = {});

/// Returns the end positions of all entries on the path to the leaf, oldest first. Entries that cannot be
/// decoded are included. A position needs only a few bytes, so a caller can use the positions to read a long
/// path page by page. Errors are those of `load_path`.
SESSIONKIT_API Result<std::vector<Position>> path_positions(SessionStore& store, SessionId const& id,
                                                            EntryId const& leaf = {});

/// Calls `visit` for each entry on the path to the leaf, newest first, until `visit` returns false. Then the
/// call stops reading the log. Entries that cannot be decoded are skipped. Errors are those of `load_path`.
SESSIONKIT_API Result<void> walk_back(SessionStore& store, SessionId const& id, EntryId const& leaf,
                                      std::function<bool(Entry const&)> const& visit);

/// A complete log. The header is the first entry, and the others follow in log order. Lines that cannot be
/// decoded are in `damage`.
struct Log {
  std::vector<Entry> entries = {}; ///< in the order of the log, all branches
  std::vector<Damage> damage = {}; ///< in the order of the log
  Position end = {};               ///< the end of the log when it was read
  /// With `LogLines::kept`, the line of each entry as it was written; otherwise the list is empty. A caller
  /// that makes a `Log` itself may leave a line empty.
  std::vector<std::string> lines = {};
};
/// Says whether a `Log` also keeps the line of each entry. With the lines, a `Log` needs twice the memory.
/// `convert_log` uses the lines to copy them unchanged.
enum class LogLines {
  none, ///< `Log::lines` stays empty
  kept, ///< `Log::lines` has the line of each entry
};
/// Reads every entry of a log, oldest first.
SESSIONKIT_API Result<Log> load_log(SessionStore& store, SessionId const& id,
                                    LogLines lines = LogLines::none);

/// The index that `parents_of` returns for an entry without a parent.
inline constexpr std::size_t no_parent = static_cast<std::size_t>(-1);
/// Returns, for each entry of a log (`Log::entries`), the index of its parent, or `no_parent`. The parent is
/// the entry that comes before this one in the history: the nearest earlier entry with the id that this one
/// names. If no earlier entry has this id, or if the line names no parent, it is the previous entry of the
/// log. The header has no parent, and no children.
SESSIONKIT_API std::vector<std::size_t> parents_of(std::vector<Entry> const& entries);

/// Returns the last entry of each branch, in log order: the entries that are the parent of no other entry.
SESSIONKIT_API std::vector<EntryId> leaves_of(Log const& log);

}}
