// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/ids.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a transcript is: a name in a directory that somebody else holds open (or AT_FDCWD and a path).
struct LogPlace {
  int directory;
  std::string name;
  std::string path;   ///< for messages
  unsigned above = 0; ///< how many directories above `directory` may be as new as the file: synced with it
};

/// An open transcript and how far it is on the disk. The descriptor closes with its last user.
struct LogFile {
  OpenFile file = {};
  FileStatus opened = {};
  std::atomic<std::uint64_t> written{0}; ///< where our own writes end

 private:
  friend class LogSync; // under its mutex
  std::uint64_t durable_ = 0;
  unsigned generation_ = 0; // of what is known: another one when somebody shortened the file
  bool named_ = false;      // its name, too, is on the disk
};

/// The syncs of one writer, shared by threads: who comes while the disk works waits, and one sync covers all
/// that stands by then. A sync that fails is told to everyone it was to cover and to all who come later;
/// nothing is synced again, for the second time may succeed without the pages of the first.
class SESSIONKIT_API LogSync {
 public:
  LogSync(FileOps& ops, LogPlace place);

  /// Makes `file` durable up to `end` (or finds that it is). `poisoned`.
  Result<void> reach(LogFile& file, std::uint64_t end);
  /// Of a file that somebody else shortened nothing is known.
  void forget(LogFile& file);
  Position durable(LogFile const& file) const;
  bool poisoned() const noexcept { return failure_.load(std::memory_order_acquire) != 0; }
  /// What an append behind a failed sync answers.
  Error refusal() const;

 private:
  int sync_now(int descriptor, bool named) noexcept;
  int sync_directory_at(int directory, char const* path) noexcept;

  FileOps* ops_;
  LogPlace place_;
  std::string beside_; // the path of the file's directory, where no descriptor of it was given
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool busy_ = false;
  std::atomic<int> failure_{0}; // errno of the sync that failed
  std::uint64_t last_durable_ = 0;
};

/// What a durable append still waits for when its bytes are written: holds all it needs.
struct DueSync {
  std::shared_ptr<LogSync> sync = {};
  std::shared_ptr<LogFile> file = {};
  std::uint64_t end = 0;

  Result<void> wait() const { return sync ? sync->reach(*file, end) : Result<void>{}; }
};

}}}
