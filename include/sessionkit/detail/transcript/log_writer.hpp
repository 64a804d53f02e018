// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/log_sync.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What `TranscriptWriter` does, over calls that tests can replace.
class SESSIONKIT_API LogWriter {
 public:
  /// Opens the file now, so that what is wrong with it is told here. Not `make_now`: `create` is for an
  /// append that starts a session.
  static Result<LogWriter> open(FileOps& ops, LogPlace place, WriterOptions options, bool make_now = true);

  Result<Position> append(Append const& batch);
  /// The first half of `append`, for callers that have looked whether they are the process that opened this,
  /// and let other threads write while the disk works: the append is done when `due` has been waited for.
  /// `durable`: whatever the batch says. Waiting for the lock ends `lock_wait` after `asked`.
  Result<Position> write(Append const& batch, bool durable, std::chrono::steady_clock::time_point asked,
                         DueSync& due);
  Position durable_position() const { return file_ ? sync_->durable(*file_) : Position{}; }
  bool poisoned() const noexcept { return sync_->poisoned(); }

 private:
  // What stands behind the expected end, and so what is left to do.
  struct Found {
    std::size_t present = 0; // leading records of the batch that stand there
    Position end = {};       // of the last of these
    bool seal = false;       // the file's last byte is no line end
  };

  LogWriter(FileOps& ops, LogPlace place, WriterOptions options);

  Error error(Errc code, std::string message, int system = 0) const;
  Result<void> open_file();
  Result<void> check_file(LogFile& file, bool made);
  Result<std::uint64_t> lock_file(std::chrono::milliseconds wait);
  bool unlock_file() noexcept;
  Result<Position> write_locked(Append const& batch, bool durable, std::chrono::milliseconds wait,
                                DueSync& due);
  Result<Position> append_behind(Append const& batch, std::uint64_t size, std::uint64_t& behind);
  Result<void> check_boundary(Append const& batch, std::uint64_t size, bool& seal);
  Result<bool> ends_as_before(Append const& batch);
  Result<Found> look_behind(Append const& batch, std::uint64_t size);
  Result<Position> write_rest(Append const& batch, Found const& found, std::uint64_t size);
  Error failed_write(std::int64_t result, std::uint64_t size, std::uint64_t first_line_end, bool part_stands);
  void remove_if_made();

  FileOps* ops_;
  LogPlace place_;
  WriterOptions options_;
  std::shared_ptr<LogSync> sync_;
  std::shared_ptr<LogFile> file_ = {}; // null: to be opened
  int process_;
  bool may_create_;
  bool made_ = false;          // by us, and nothing was written to it yet
  std::uint64_t end_ = 0;      // of the file after our own last write; 0: not known
  std::string end_bytes_ = {}; // the last bytes we wrote there
  std::uint32_t end_crc_ = 0;  // of the last line we wrote
  std::string buffer_ = {};
  std::vector<Event> events_ = {};
};

}}}
