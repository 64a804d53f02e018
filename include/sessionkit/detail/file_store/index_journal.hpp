// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/session_index.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// One change of the index: a row as it is now, or that there is none any more.
struct IndexChange {
  std::string name;
  std::optional<IndexRow> row;
};

/// A journal is lines `<crc> <json>`, the CRC-32C of the JSON in eight hexadecimal digits. The first says
/// which snapshot it extends; each other one is a change.
struct JournalHead {
  IndexFile::Print extends;
  std::string id = {}; ///< tells two journals of one snapshot apart
};
SESSIONKIT_API std::string journal_head_line(JournalHead const& head);
/// Adds the line of one change; no row: it was removed.
SESSIONKIT_API void append_journal_line(std::string_view name, IndexRow const* row, std::string& out);

struct JournalText {
  std::optional<JournalHead> head;
  std::vector<IndexChange> changes; ///< of a whole journal the last of each session
  std::size_t used = 0;             ///< bytes of whole lines; what follows is torn, or not there yet
  std::size_t bad = 0;              ///< whole lines that say nothing; each may have been a change
};
/// What the first line of a journal says. Absent: it is none, or torn.
SESSIONKIT_API std::optional<JournalHead> parse_journal_begin(std::string_view text);
/// Reads from the begin of a journal, or (not `whole`) from the begin of a later line.
SESSIONKIT_API JournalText parse_journal(std::string_view text, bool whole);

/// What others did to an index.
struct IndexUpdate {
  bool whole = false; ///< `index` is all of it; else `changes` are what came
  IndexFile::State state = IndexFile::good;
  SessionIndex index = {};
  std::vector<IndexChange> changes = {};
  std::string doubt = {}; ///< why changes may be missing; empty: none are
};

/// `<root>/sessions.journal`: what changed since `sessions.json` was written, so that one change costs one
/// small write at any number of sessions. Never synced: it is a cache, and a torn one is recognised.
class SESSIONKIT_API IndexJournal {
 public:
  /// `snapshot` and `directory` stay as long as this.
  IndexJournal(FileOps& ops, int directory, std::string const& root, IndexFile& snapshot);

  /// What others wrote since the call before; the first time everything. Takes no lock.
  IndexUpdate look();
  /// Appends the lines that `make` answers, which is told what others wrote since, under the index's lock.
  Result<void> append(std::function<std::string(IndexUpdate)> const& make,
                      std::chrono::milliseconds lock_wait);
  /// A new snapshot stands, with all that is in here; the lock is held. What is no journal of ours in its
  /// place is moved aside.
  void restart();

  /// False: there is no snapshot that a journal could extend.
  bool may_append() const noexcept { return loaded_ && usable_; }
  std::uint64_t bytes() const noexcept { return applied_; }
  /// Bytes that we wrote since the last `restart`.
  std::uint64_t written() const noexcept { return written_; }
  std::uint64_t snapshot_bytes() const noexcept { return snapshot_->print().bytes; }

 private:
  IndexUpdate load();
  bool is_in_change(FileStatus const& journal);
  void forget_begun();
  std::optional<std::string> read_from(std::uint64_t offset, FileStatus const& now);
  void take(std::string const& text, bool whole, IndexUpdate& news);
  Result<OpenFile> open_for_append();

  FileOps* ops_;
  int directory_;
  std::string path_;
  IndexFile* snapshot_;
  JournalHead head_ = {};
  IndexFile::Print base_ = {}; // of the snapshot that was in memory first
  FileStatus seen_ = {};       // inode 0: there was none
  std::uint64_t applied_ = 0;  // bytes of it that are in memory
  std::uint64_t written_ = 0;
  bool loaded_ = false, usable_ = false;
  bool alien_ = false; // somebody's file stands in its place
};

}}}
