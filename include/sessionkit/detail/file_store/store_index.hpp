// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/transcript/log_summary.hpp>
#include <sessionkit/detail/file_store/session_rows.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/file_store.hpp>

#include <mutex>
#include <set>
#include <unordered_map>

namespace sessionkit { inline namespace v0 { namespace detail {

/// How long to wait for the lock of the index: a cache is not worth more of a host's time.
inline constexpr std::chrono::milliseconds index_patience{100};

/// What a file store knows of its sessions without reading them: rows in memory, a snapshot and a journal of
/// them on the disk, and the transcripts, which are right where these differ. Safe to call from several
/// threads at once.
class SESSIONKIT_API StoreIndex {
 public:
  /// All that is named stays as long as this.
  StoreIndex(FileOps& ops, int directory, std::string const& root, Profile const& profile,
             FileStoreOptions const& options, TranscriptFolder& folder);

  /// An index that is missing where transcripts are was lost; where none are, the store is new.
  Result<void> begin();
  /// Entries were appended. The row is written at the end of the turn.
  void note_append(SessionId const& id, Append const& batch, Position end);
  void note_removed(SessionId const& id);
  void end_of_turn();
  void close();
  /// Calls `on_event`; with no lock held.
  void tell();

  Result<SessionInfo> info(SessionId const& id);
  Result<SessionPage> list(ListQuery const& query);
  Result<std::size_t> reindex(StoreProgress const& progress);
  Error missing(SessionId const& id) const;

 private:
  // What is known of a session beside its row.
  struct Known {
    FileStatus seen = {}; // the transcript when the row was compared with it; inode 0: never
    std::uint64_t trailing = 0;
    bool checked = false; // by what it holds, not by its size alone; or we wrote it
  };
  // The directory when the transcripts in it were last looked at.
  struct Sweep {
    FileStatus directory = {};
    bool settled = false, done = false;
    std::chrono::steady_clock::time_point next = {};
    std::uint64_t names = 0; // the sum of their hashes
  };

  // With a program that writes no journal, or in a shape that a journal has no words for.
  bool shared() const noexcept { return profile_.shares_index || by_key(); }
  bool by_key() const noexcept { return profile_.layout != StoreLayout::by_id; }
  SessionInfo told(IndexRow const& row) const;
  std::string path_of(SessionId const& id) const;

  Result<void> refresh(SessionId const& id, bool anew);
  Result<void> look(SessionId const& id, bool by_size);
  void look_again(std::vector<SessionId> const& ids, bool by_size);
  Result<void> sweep();
  Result<std::vector<SessionId>> list_directory(bool& all);
  std::vector<SessionId> newest(std::size_t count);
  void compare_names(FileNames const& there, bool all, std::vector<SessionId>& out);
  std::vector<IndexRow const*> select(ListQuery const& query, std::optional<ListPlace> const& behind);
  std::vector<SessionInfo> select_true(ListQuery const& query);
  std::vector<SessionId> doubtful();

  void load();
  void catch_up();
  void apply(IndexUpdate news);
  void apply_change(IndexChange change);
  Result<void> update(std::chrono::milliseconds lock_wait);
  Result<void> write_whole(std::chrono::milliseconds lock_wait);
  struct Compared {
    std::size_t rows = 0, unread = 0; // transcripts
    std::string why_unread = {};      // the first of these
  };
  Result<Compared> prepare(std::string const& rebuild);
  Result<void> replace(std::string const& rebuild, std::chrono::milliseconds lock_wait);
  std::string merged(bool changed, SessionIndex disk);
  void give_back(std::set<std::string> const& touched, std::set<std::string> const& removed, bool written);
  void drop(SessionId const& id);
  void drop_vanished(std::vector<SessionId> const& there);
  void keep_remade();
  Result<void> write_rebuilt(std::chrono::milliseconds lock_wait);
  bool is_rebuilding();
  bool has_row(SessionId const& id) {
    std::lock_guard<std::mutex> const lock(mutex_);
    return rows_.has(id.str());
  }
  void note_rebuilt(std::string const& why, Compared const& compared, Result<void> const& written);

  FileOps* ops_;
  Profile profile_;
  std::string root_;
  FileStoreOptions const* options_;
  TranscriptFolder* folder_;

  std::mutex mutex_; // of all below; never held while a file is read or written
  SessionRows rows_;
  std::unordered_map<std::string, Known> known_;
  std::set<std::string> touched_, removed_;       // since they were last written
  std::set<std::string> stale_;                   // rows that are behind what we know was appended
  std::set<std::string> absent_;                  // rows whose transcripts are not in the directory
  std::unordered_map<std::string, Error> unread_; // transcripts that cannot be read, and have no row
  Sweep swept_;
  bool loaded_ = false, new_ = false;
  std::string rebuild_;         // why all rows are compared before the index is written whole; empty: no need
  bool told_unwritten_ = false; // that it could not be, which is told once
  std::chrono::steady_clock::time_point next_rebuild_ = {};
  std::vector<Event> events_; // told when no lock is held any more

  std::mutex turn_;    // held by the thread that writes at the end of a turn
  std::mutex writing_; // of the files
  IndexFile file_;
  IndexJournal journal_;
};

}}}
