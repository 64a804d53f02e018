// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_rows.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/file_store.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What a store knows of its sessions without reading them. `mutex` guards all of it, and is never held while
/// a file is read or written.
struct IndexState {
  /// The transcript when its row was compared with it.
  struct Seen {
    FileStatus file = {};       ///< inode 0: never
    std::uint64_t trailing = 0; ///< damaged lines after the last entry
    bool checked = false;       ///< by its content, not by its size alone; or we wrote it
  };

  std::mutex mutex;
  IndexRows rows;
  std::unordered_map<std::string, Seen> seen;
  std::set<std::string> touched, removed;        ///< since they were last written
  std::set<std::string> stale;                   ///< rows that are older than what we know was appended
  std::set<std::string> absent;                  ///< rows whose transcripts are not in the directory
  std::unordered_map<std::string, Error> unread; ///< transcripts that cannot be read, and have no row
  bool settled = false; ///< the names in the directory were compared, and it has not changed since

  /// Removes the row of a transcript that somebody removed.
  void drop(std::string const& name);
};

/// Makes the rows agree with the transcripts, which are right where they differ: finds transcripts that are
/// new, gone or changed, and folds their new entries. Safe to call from several threads at once.
class SESSIONKIT_API DirectoryWatch {
 public:
  /// `shared`: other programs write the index, and only they correct their rows. All arguments live as long
  /// as this.
  DirectoryWatch(FileOps& ops, TranscriptFolder& folder, IndexState& state, std::string root, bool shared,
                 FileStoreOptions const& options);

  Error missing(SessionId const& id) const;
  /// Makes one row agree with its transcript; `all`: folds it from its first line.
  Result<void> refresh(SessionId const& id, bool all);
  /// As `refresh`, but a transcript that did not change is not opened (nor, `by_size`, one that ends where
  /// its row says), and what is known of one that cannot be read stays as it was.
  Result<void> look(SessionId const& id, bool by_size);
  void look_at(std::vector<SessionId> const& ids, bool by_size);
  /// Makes all rows agree. An append without our journal is found only by looking at each transcript, which
  /// is done so rarely that it takes a small part of the time. The first time only the newest are looked at:
  /// a process that was killed in the middle of a turn was most likely in one of these.
  Result<void> sweep();
  /// The next sweep reads the names in the directory, even if that did not change: a transcript that had no
  /// entry may have one now.
  void doubt_names();
  /// Keeps rows that we removed but did not write yet, if their session was made again.
  void keep_remade();

 private:
  Result<std::vector<SessionId>> list_directory(bool& all);
  void compare_names(FileNames const& there, bool all, std::vector<SessionId>& out);
  std::vector<SessionId> doubtful();
  std::vector<SessionId> newest(std::size_t count);

  FileOps* ops_;
  TranscriptFolder* folder_;
  IndexState* state_;
  std::string root_;
  bool shared_;
  FileStoreOptions const* options_;

  // Of the last sweep; guarded as the state is.
  FileStatus directory_ = {};
  std::uint64_t names_ = 0; // the sum of their hashes
  bool swept_ = false;
  std::chrono::steady_clock::time_point next_ = {};
};

}}}
