// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/detail/transcript/file_sync.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Does the work of `TranscriptWriter`, with system calls that tests can replace.
class SESSIONKIT_API FileWriter {
 public:
  /// Opens the file now, so that a problem with the file is reported here. If `make_now` is false, this call
  /// creates no file: `options.create` then applies only to an append that starts a session.
  static Result<FileWriter> open(FileOps& ops, FilePlace place, WriterOptions options, bool make_now = true);

  FileWriter(FileWriter&&) noexcept = default;
  FileWriter& operator=(FileWriter&&) = delete;
  FileWriter(FileWriter const&) = delete;
  FileWriter& operator=(FileWriter const&) = delete;
  /// Gives back the lock if the writer has it. A forked child does not do this, because the lock belongs to
  /// its parent.
  ~FileWriter();

  Result<Position> append(Append const& batch);
  /// The first half of `append`, for callers that let other threads write during the sync. The append is
  /// complete after `due.wait()`. The caller must have checked that this process opened the writer. The
  /// parameter `durable` counts, and `batch.durable` does not. The wait for the lock ends `lock_wait` after
  /// the time `asked`.
  Result<Position> write(Append const& batch, bool durable, std::chrono::steady_clock::time_point asked,
                         DueSync& due);
  /// As `write`, but appends at the end that the log has when the writer holds its lock. Sets
  /// `batch.expected` to that end. A missing file is created if `options.create` is true. No other writer can
  /// come first. (Between a caller's own read of the end and its call of `write`, another writer can.)
  Result<Position> write_at_end(Append& batch, bool durable, std::chrono::steady_clock::time_point asked,
                                DueSync& due);
  /// Zero in a forked child, because another thread of its parent may have held the mutex at the fork.
  Position durable_position() const {
    return file_ && process_.is_this_one() ? sync_->durable(*file_) : Position{};
  }

  /// Takes the file's lock now. The next append gives the lock back, unless `keep_lock(true)` was called.
  /// Fails with `not_found` if there is no file. The append that creates the file then takes the lock.
  Result<void> take_lock(std::chrono::steady_clock::time_point asked);
  /// If `keep` is true, appends do not give the lock back from now on. If it is false, gives the lock back.
  void keep_lock(bool keep) noexcept;
  /// True if this writer has the lock of this file now.
  bool has_lock_of(FileStatus const& file) const noexcept {
    return file_ && file_->locked && file_->opened.same_file(file);
  }
  bool poisoned() const noexcept { return sync_->poisoned(); }

 private:
  FileWriter(FileOps& ops, FilePlace place, WriterOptions options);

  Error error(Errc code, std::string const& message, int system = 0) const;
  Result<void> open_file();
  Result<void> check_file(SyncedFile& file, bool made);
  int look(bool by_name, FileStatus& now);
  Result<std::uint64_t> lock_file(std::chrono::steady_clock::time_point asked, bool by_name = true);
  bool unlock_file() noexcept;
  std::chrono::milliseconds time_left(std::chrono::steady_clock::time_point asked) const;
  Result<Position> write_checked(Append const& batch, Append* at_end, bool durable,
                                 std::chrono::steady_clock::time_point asked, DueSync& due);
  Result<Position> write_locked(Append const& batch, Append* at_end, bool durable,
                                std::chrono::steady_clock::time_point asked, DueSync& due);
  Result<void> expect_end(Append& batch);
  Result<void> write_doubtful_again(std::uint64_t size);
  Result<Position> append_behind(Append const& batch, std::uint64_t size, std::uint64_t& behind);
  FileReader reader() const;
  Result<AppendPlan> decide(Append const& batch, std::uint64_t size, bool& seal);
  Result<bool> holds_expected(Append const& batch, std::uint64_t size);
  Result<void> show_behind(Position expected, AppendDecision& decision, std::uint64_t& torn);
  Result<Position> write_rest(Append const& batch, std::size_t from, bool seal, std::uint64_t size);
  Error failed_write(std::int64_t result, std::uint64_t size, std::uint64_t first_line_end,
                     bool part_written);
  void remove_if_made();

  FileOps* ops_;
  FilePlace place_;
  WriterOptions options_;
  std::shared_ptr<FileSync> sync_;
  std::shared_ptr<SyncedFile> file_ = {}; // null until the file is opened
  OpeningProcess process_;
  bool may_create_;
  bool keeps_lock_ = false;
  unsigned looks_ = 0;         // under a kept lock
  bool made_ = false;          // true: we created the file and have not written to it yet
  std::uint64_t end_ = 0;      // the end of the file after our own last write; 0: not known
  std::string end_bytes_ = {}; // the last bytes we wrote there
  std::uint32_t end_crc_ = 0;  // checksum of the last line we wrote
  std::string buffer_ = {};
  std::vector<Event> events_ = {};
};

}}}
