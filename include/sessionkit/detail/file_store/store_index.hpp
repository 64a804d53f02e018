// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/directory_watch.hpp>
#include <sessionkit/detail/file_store/index_files.hpp>
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/file_store.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The index of a file store. It consists of rows in memory, a watch of the transcripts that the rows
/// describe, and files that keep the rows for the next process. Several threads may call all functions at
/// once.
class SESSIONKIT_API StoreIndex {
 public:
  /// All arguments must outlive this object.
  StoreIndex(FileOps& ops, int directory, std::string const& root, Profile const& profile,
             FileStoreOptions const& options, TranscriptFolder& folder);

  /// Checks whether the index is missing. If it is, and the store has transcripts, the index was lost.
  /// Without transcripts, the store is new.
  Result<void> begin();
  /// Notes that entries were appended. The row is written at the end of the turn.
  void note_append(SessionId const& id, Append const& batch, Position end);
  void note_removed(SessionId const& id);
  void end_of_turn();
  /// Writes the whole index again, so that nothing of a removed session is left in its files.
  Result<void> rewrite();
  void close();

  Result<SessionInfo> info(SessionId const& id);
  /// Returns what `info` says of the last record.
  Result<LastRecord> last_record(SessionId const& id);
  Result<SessionPage> list(ListQuery const& query);
  /// Takes the lock of the index, which keeps other writers out until the file is closed.
  Result<LockedFile> lock_keys() const;
  /// Returns the newest session of a key that is not archived. The caller must have the lock of `lock_keys`.
  /// The result agrees with the transcripts, however old the index is. Fails as `list` does.
  Result<std::optional<SessionInfo>> active_session(std::string_view key);
  Result<std::size_t> reindex(StoreProgress const& progress);
  Error missing(SessionId const& id) const { return watch_.missing(id); }

 private:
  using Lock = std::lock_guard<std::mutex>;
  struct Compared {
    std::size_t rows = 0, unread = 0; // numbers of transcripts
    std::string why_unread = {};      // why the first unread transcript could not be read
  };

  bool may_write_unasked() const;
  bool has_stored();
  bool is_worth_renewing() const;
  bool by_key() const noexcept { return profile_.layout != StoreLayout::by_id; }
  // True if the index has no journal: another program that writes no journal uses the index too, or a journal
  // cannot represent the form of the index.
  bool shared() const noexcept { return profile_.shares_index || by_key(); }
  std::optional<SessionPage> list_newest(ListQuery const& query);
  std::vector<SessionInfo> select_true(ListQuery const& query, RowCheck check);
  Result<void> check_unread(ListQuery const& query);

  void load();
  void catch_up();
  void apply(JournalDelta delta);
  Result<void> append_rows(std::chrono::milliseconds lock_wait);
  Result<void> write_whole(std::chrono::milliseconds lock_wait);
  Result<void> write_rebuilt(std::chrono::milliseconds lock_wait);
  Result<Compared> compare_rows(bool rebuild);
  std::string why_rebuild();
  void note_rebuilt(std::string const& why, Compared const& compared, Result<void> const& written);
  void emit_events();

  FileOps* ops_;
  int directory_;
  std::string root_;
  Profile profile_;
  FileStoreOptions const* options_;
  TranscriptFolder* folder_;
  IndexState state_;
  DirectoryWatch watch_;
  IndexFiles files_;

  std::mutex writing_;                   // guards the files; locked before the mutex of the state
  std::atomic<bool> loaded_{false};      // the files were read
  std::atomic<bool> listed_{false};      // only the first list may do without reading all of them
  std::atomic<bool> ending_turn_{false}; // a thread writes at the end of its turn
  // Guarded by the state's mutex:
  bool stored_ = false;             // this object appended or removed something
  std::uint64_t names_version_ = 0; // as in the journal
  bool closing_ = false; // the next write of the index is the last, and includes new versions of rows
  bool new_ = false;     // the store had no transcripts
  std::string rebuild_;  // why the next whole write must first compare all rows; empty if it need not
  bool reported_unwritten_ = false; // a failed write of the index was reported; only the first is
  std::chrono::steady_clock::time_point next_rebuild_ = {};
  std::vector<Event> events_; // for `on_event`, which is called with no lock held
};

}}}
