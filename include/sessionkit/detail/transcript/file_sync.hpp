// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/ids.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a transcript is: a name in a directory that another object holds open (or AT_FDCWD and a path).
struct FilePlace {
  int directory;
  std::string name;
  std::string path;   ///< for messages
  unsigned above = 0; ///< how many directories above `directory` may be as new as the file: synced with it
};

/// An open transcript and how far it is on the disk. The descriptor closes with its last user.
struct SyncedFile {
  OpenFile file = {};
  FileStatus opened = {};
  std::atomic<std::uint64_t> written{0};       ///< where our own writes end
  std::atomic<std::uint64_t> written_again{0}; ///< the failure (`FileDoubts`) whose bytes we wrote again
  FileDoubts::File identity() const noexcept { return {opened.device, opened.inode}; }

 private:
  friend class FileSync; // under its mutex
  std::uint64_t durable_ = 0;
  unsigned generation_ = 0; // of what is known: changes when the file was shortened
  bool named_ = false;      // its name, too, is on the disk
};

/// The syncs of one writer, shared by threads: a thread that comes while the disk works waits, and one sync
/// then covers all that is written. A failed sync is reported to every caller it was to cover and to all
/// later ones; nothing is synced again, because a second sync may succeed without the pages of the first. The
/// process remembers the file (`FileDoubts`).
class SESSIONKIT_API FileSync {
 public:
  FileSync(FileOps& ops, FilePlace place);

  /// Makes `file` durable up to `end` (or finds that it is). `poisoned`.
  Result<void> reach(SyncedFile& file, std::uint64_t end);
  /// Forgets what is known of a file that another program shortened.
  void forget(SyncedFile& file);
  Position durable(SyncedFile const& file) const;
  bool poisoned() const noexcept { return failure_.load(std::memory_order_acquire) != 0; }
  /// The error that an append after a failed sync returns.
  Error refusal() const;

 private:
  int sync_now(int descriptor, bool named) noexcept;
  int sync_directory_at(int directory, char const* path) noexcept;

  FileOps* ops_;
  FilePlace place_;
  std::string beside_; // the path of the file's directory, where no descriptor of it was given
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool busy_ = false;
  std::atomic<int> failure_{0}; // errno of the sync that failed
  std::uint64_t last_durable_ = 0;
};

/// The sync that a durable append waits for after its bytes are written. It holds all it needs.
struct DueSync {
  std::shared_ptr<FileSync> sync = {};
  std::shared_ptr<SyncedFile> file = {};
  std::uint64_t end = 0;

  Result<void> wait() const { return sync ? sync->reach(*file, end) : Result<void>{}; }
};

}}}
