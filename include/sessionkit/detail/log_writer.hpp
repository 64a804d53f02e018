// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_ops.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <optional>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a transcript is: a name in a directory that somebody else holds open (or AT_FDCWD and a path).
struct LogPlace {
  int directory;
  std::string name;
  std::string path; ///< for messages
};

/// What `TranscriptWriter` does, over calls that tests can replace.
class SESSIONKIT_API LogWriter {
 public:
  /// Opens the file now, so that what is wrong with it is told here. Not `make_now`: `create` is for an
  /// append that starts a session.
  static Result<LogWriter> open(FileOps& ops, LogPlace place, WriterOptions options, bool make_now = true);

  Result<Position> append(Append const& batch);
  Position durable_position() const noexcept { return Position{durable_}; }
  bool poisoned() const noexcept { return poisoned_; }

 private:
  // What stands behind the expected end, and so what is left to do.
  struct Found {
    std::size_t present = 0; // leading records of the batch that stand there
    Position end = {};       // of the last of these
    bool seal = false;       // the file's last byte is no line end
  };

  LogWriter(FileOps& ops, LogPlace place, WriterOptions options);

  Error error(Errc code, std::string message, int system = 0) const;
  Result<void> check_lines(Append const& batch) const;
  Result<void> open_file();
  Result<void> check_file(int descriptor, bool made);
  Result<std::uint64_t> lock_file();
  bool unlock_file() noexcept;
  Result<Position> append_locked(Append const& batch);
  Result<Position> append_behind(Append const& batch, std::uint64_t size, std::uint64_t& behind);
  Result<void> check_boundary(std::uint64_t expected, std::uint64_t size, bool& seal);
  Result<Found> look_behind(Append const& batch, std::uint64_t size);
  Result<Position> write_rest(Append const& batch, Found const& found, std::uint64_t size);
  Error failed_write(std::int64_t result, std::uint64_t size, std::uint64_t first_line_end, bool part_stands);
  void remove_if_made();
  Result<void> sync_to(std::uint64_t end);

  FileOps* ops_;
  LogPlace place_;
  WriterOptions options_;
  OpenFile file_;
  FileStatus opened_;
  int process_;
  bool may_create_;
  bool made_ = false;          // by us, and nothing was written to it yet
  std::uint64_t end_ = 0;      // of the file after our own last write; 0: not known
  std::string end_bytes_ = {}; // the last bytes we wrote there
  std::uint64_t durable_ = 0;
  bool directory_synced_ = false, poisoned_ = false;
  std::string buffer_ = {};
  std::vector<Event> events_ = {};
};

}}}
