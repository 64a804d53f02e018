// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/ids.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The place of a transcript: either a name in a directory that another object keeps open, or a path together
/// with `working_directory`.
struct FilePlace {
  int directory;
  std::string name;
  std::string path;   ///< for messages
  unsigned above = 0; ///< how many directories above `directory` may be new and are synced with the file
};

/// An open transcript, and how much of it is on the disk. The last user of this object closes the descriptor.
struct SyncedFile {
  OpenFile file = {};
  FileStatus opened = {};
  std::atomic<std::uint64_t> written{0};       ///< the place where our own writes end
  bool locked = false;                         ///< the writer has the file's lock; only its thread may look
  std::atomic<std::uint64_t> written_again{0}; ///< the failure (`FileDoubts`) whose bytes we wrote again
  FileDoubts::File identity() const noexcept { return {opened.device, opened.inode}; }

 private:
  friend class FileSync; // under its mutex
  std::uint64_t durable_ = 0;
  unsigned generation_ = 0; // changes when the file was shortened, which makes `durable_` invalid
  bool named_ = false;      // true: the name of the file is on the disk too
};

/// Syncs the file of one writer for several threads. A thread that asks during a sync waits for the end of
/// this sync. The next sync then covers everything that was written in the meantime, for all threads that
/// wait. If a sync fails, each caller whose bytes it should cover gets the error, and so does each later
/// caller. A failed sync is never repeated, because a second sync may succeed without the pages that the
/// first one lost. The process remembers the file (`FileDoubts`).
class SESSIONKIT_API FileSync {
 public:
  FileSync(FileOps& ops, FilePlace place);

  /// Makes `file` durable up to `end`, unless it is so already. Fails with `poisoned` if a sync failed.
  Result<void> reach(SyncedFile& file, std::uint64_t end);
  /// Forgets how much of a file is on the disk, because another program shortened the file.
  void forget(SyncedFile& file);
  Position durable(SyncedFile const& file) const;
  bool poisoned() const noexcept { return failure_.load(std::memory_order_acquire) != 0; }
  /// Returns the error of an append after a failed sync.
  Error refusal() const;

 private:
  int sync_now(int descriptor, bool named) noexcept;
  int sync_directory_at(int directory, char const* path) noexcept;

  FileOps* ops_;
  FilePlace place_;
  std::string beside_; // the path of the file's directory, if no descriptor of it was given
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool busy_ = false;
  std::atomic<int> failure_{0}; // the system's error number; 0: no sync failed
  std::uint64_t last_durable_ = 0;
};

/// The sync for which a durable append waits after its bytes are written. This object owns all that the sync
/// needs.
struct DueSync {
  std::shared_ptr<FileSync> sync = {};
  std::shared_ptr<SyncedFile> file = {};
  std::uint64_t end = 0;

  Result<void> wait() const { return sync ? sync->reach(*file, end) : Result<void>{}; }
};

}}}
