// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/file_store/index_codec.hpp>
#include <sessionkit/detail/file_store/index_journal.hpp>
#include <sessionkit/detail/file_store/newest_rows.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The name of the journal in a store's directory.
inline constexpr char const* index_journal_name = "sessions.journal";

/// The changes that other writers made to an index since the last look.
struct JournalDelta {
  enum State {
    missing,
    good,
    unreadable,
    unavailable
  };                  // unreadable: it is no index of ours; unavailable: it cannot be read now
  bool whole = false; ///< true: `rows` is the whole index; false: `changes` has the changes
  State state = good; ///< the state of the snapshot
  IndexRows rows = {};
  std::list<RowChange> changes = {};
  std::string doubt = {}; ///< why changes may be missing; empty if none are missing
  /// If `whole`: the version of the directory that has exactly the transcripts of these rows. Zero: not
  /// known.
  std::uint64_t names_version = 0;
};

/// The newest rows of an index, and the version of the directory that has exactly the transcripts of all its
/// rows.
struct NewestOfIndex {
  NewestRows rows;
  std::uint64_t names_version = 0;
};

struct IndexFilesOptions {
  StoreLayout layout = StoreLayout::by_id;
  bool journal = true; ///< false: other programs write the snapshot, or a journal cannot represent its form
  bool synced = false; ///< false: a power loss may leave an unreadable file
  /// Returns the number of transcripts, if known. A file larger than 64 MiB plus 4 KiB for each transcript is
  /// not read.
  std::function<std::optional<std::size_t>()> transcripts = {};
};

/// A snapshot of more bytes is written seldom, and always has a journal.
inline constexpr std::uint64_t small_snapshot = std::uint64_t{256} << 10;

/// The files of an index, which are a cache. `<root>/sessions.json` is the snapshot; it is replaced as a
/// whole under the lock `<root>/.lock`. `<root>/sessions.journal` has the changes since the snapshot, so that
/// one change costs one small write, however many sessions there are. The journal is never synced, and a torn
/// journal is recognised. Its file and that of the lock stay open between changes. Only one thread at a time
/// may call the functions.
class SESSIONKIT_API IndexFiles {
 public:
  /// `directory` must stay open as long as this object exists.
  IndexFiles(FileOps& ops, int directory, std::string root, IndexFilesOptions options);

  /// Returns what others wrote since the last call. The first call returns everything. Takes no lock. Fails
  /// only for lack of memory, because a cache that cannot be read counts as missing.
  JournalDelta look();
  /// Returns the newest rows of the index on the disk. Reads only the end of the snapshot, and the journal.
  /// Absent if the index must be read as a whole. Changes nothing, and counts as no look.
  std::optional<NewestOfIndex> look_at_newest();
  /// Appends to the journal the lines that `make` returns, under the lock. `make` receives what others wrote.
  Result<void> append(std::function<std::string(JournalDelta)> const& make,
                      std::chrono::milliseconds lock_wait);
  /// Replaces the snapshot by the text that `make` returns, under the lock. `make` receives what others
  /// wrote. A new journal begins, because the snapshot contains all changes. A file that is not ours is moved
  /// aside and not lost.
  Result<void> replace(std::function<std::string(JournalDelta)> const& make,
                       std::chrono::milliseconds lock_wait);

  /// False if the last `replace` could not delete the journal of before, which is not used any more.
  bool journal_is_new() const noexcept { return foreign_ || !options_.journal || usable_; }

  std::string const& path() const noexcept { return snapshot_path_; }
  std::string const& journal_path() const noexcept { return journal_path_; }
  /// True if there is no snapshot. False if there is one, or if this cannot be found out.
  bool is_missing();
  /// True if the snapshot belongs to another program. Such a snapshot is read, but never written or moved
  /// aside.
  bool is_foreign() const noexcept { return foreign_; }
  /// True if there is a snapshot that a journal can extend.
  bool may_append() const noexcept { return loaded_ && usable_; }
  std::uint64_t snapshot_bytes() const noexcept { return print_.bytes; }
  /// The time at which the snapshot was written, in nanoseconds since 1970. Zero if there is none.
  std::int64_t snapshot_written_ns() const noexcept { return seen_.modified_ns; }
  std::uint64_t journal_bytes() const noexcept { return applied_; }
  /// Bytes of the journal that we wrote since the last `replace`.
  std::uint64_t written() const noexcept { return written_; }

 private:
  bool is_too_large(std::uint64_t size) const;
  Result<IndexText> read_bytes(OpenFile const& file, std::string const& path, std::uint64_t from,
                               std::uint64_t to,
                               std::function<void(std::string_view so_far)> const& use = {});
  JournalDelta::State read_snapshot(IndexRows& out);
  JournalDelta::State try_snapshot(IndexRows& out);
  std::optional<bool> snapshot_unchanged();
  Result<void> write_snapshot(std::string const& text);
  int move_aside(char const* name);

  JournalDelta load();
  bool load_journal(JournalDelta& delta);
  bool is_in_change(FileStatus const& journal);
  std::optional<IndexText> read_journal(std::uint64_t offset, FileStatus const& now);
  void take_journal(std::string_view text, JournalDelta& delta);
  Result<void> open_for_append();
  void begin_journal(bool usable);
  void restart_journal();
  void start_journal();
  void remove_torn_journal();

  FileOps* ops_;
  int directory_;
  std::string root_, snapshot_path_, journal_path_;
  IndexFilesOptions options_;

  FileStatus seen_ = {};          // the snapshot that was last read or written; inode 0: none
  Fingerprint print_ = {};        // of the bytes of the snapshot in `seen_`
  Error failure_{Errc::io_error}; // why the snapshot could not be read

  DirectoryLock lock_;
  OpenFile appending_ = {}; // the journal in `journal_`, for our next change

  JournalHead head_ = {};
  FileStatus journal_ = {};   // as last seen; inode 0: there was no journal
  std::uint64_t applied_ = 0; // bytes of the journal that the caller has received
  std::uint64_t written_ = 0;
  bool loaded_ = false, usable_ = false;
  bool alien_ = false;   // another program's file has the journal's name
  bool foreign_ = false; // the snapshot is OpenClaw's: it is read and never written
};

}}}
