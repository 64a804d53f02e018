// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/index_state.hpp>
#include <sessionkit/detail/file_store/time_proof.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/file_store.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// How a look at a transcript finds out whether its row is right.
enum class RowCheck {
  size,   ///< the transcript ends where the row says
  times,  ///< the times of the transcript prove that its bytes are those that were compared (`TimeProof`)
  content ///< this process compared the bytes with the row
};

/// Updates the rows from the transcripts in the directory: finds transcripts that are new, removed or
/// changed, and folds their new entries into the rows. If a row and its transcript differ, the transcript is
/// right. Several threads may call all functions at once.
class SESSIONKIT_API DirectoryWatch {
 public:
  /// `shared` means that other programs write the index too. Only those programs correct their own rows in
  /// it. All arguments must outlive this object.
  DirectoryWatch(FileOps& ops, TranscriptFolder& folder, IndexState& state, std::string root, bool shared,
                 FileStoreOptions const& options);

  /// Finds out what the times of transcripts prove. Without this call they prove nothing.
  void begin();
  Error missing(SessionId const& id) const;
  /// Updates one row from its transcript. If `all` is true, folds the transcript from its first line.
  Result<void> refresh(SessionId const& id, bool all);
  /// Does the same as `refresh(id, false)`, but does not open a transcript that has not changed since it was
  /// last compared.
  Result<void> refresh_if_changed(SessionId const& id);
  /// Does the same as `refresh`, but opens a transcript only if it may have changed. A transcript counts as
  /// unchanged if `check` or a later value of `RowCheck` says so. If a transcript cannot be read, its row
  /// stays unchanged. Returns false if nothing changed.
  Result<bool> look(SessionId const& id, RowCheck check);
  /// Calls `look` for each of these transcripts. Returns true if one of them changed or could not be read.
  bool look_at(std::vector<SessionId> const& ids, RowCheck check);
  /// Notes the versions of the transcripts to which we appended since the index was last written. Rows of
  /// transcripts that others changed since our last write get no version.
  void note_versions();
  /// Updates all rows. Only a look at each transcript finds an append that is not in our journal. Looks at
  /// all transcripts are so rare that they take a small part of the time. In a large store, the first sweep
  /// looks only at the newest transcripts, because a process that was killed during a turn was most likely
  /// writing one of these.
  Result<void> sweep();
  /// Returns the version of the directory, if its transcripts are exactly those that have rows. Zero if this
  /// is not known.
  std::uint64_t names_version();
  /// Notes that the transcripts are exactly those that have rows, if the directory still has this version.
  /// Then the next sweep does not read the names.
  void believe_names(std::uint64_t version);
  /// True if the directory still has this version.
  bool has_names_version(std::uint64_t version);
  /// True if the times of the transcript prove that the row is right.
  bool is_proved(IndexRow const& row);
  /// Makes the next sweep read the names in the directory, even if the directory did not change. A transcript
  /// that had no entry may have one now.
  void doubt_names();
  /// If the row of a session was removed in memory, but not yet on the disk, and the session was created
  /// again, keeps the row.
  void keep_remade();

 private:
  Result<std::vector<SessionId>> list_directory(bool& all);
  void compare_names(FileNames const& there, bool all, std::vector<SessionId>& out);
  std::vector<SessionId> doubtful();
  std::vector<SessionId> newest(std::size_t count);
  bool is_right(std::string const& name, IndexRows::End const& end, FileStatus const& now, RowCheck check);

  FileOps* ops_;
  TranscriptFolder* folder_;
  IndexState* state_;
  std::string root_;
  bool shared_;
  FileStoreOptions const* options_;
  TimeProof proof_;

  // From the last sweep; guarded by the mutex of the state.
  FileStatus directory_ = {};
  std::uint64_t names_ = 0; // the sum of the hashes of the names
  bool swept_ = false;
  std::chrono::steady_clock::time_point next_ = {};
};

}}}
