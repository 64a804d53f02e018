// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/line_scan.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <deque>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// How many bytes are read at once. Each read is twice as large as the previous one, but at most `largest`.
struct ReadWindows {
  std::size_t smallest = std::size_t{4} << 10;
  std::size_t first = std::size_t{256} << 10;
  std::size_t largest = std::size_t{4} << 20;
};

/// Facts that the first lines of a file show.
struct LogBegin {
  FileStatus file = {}; ///< the status of the file when its first lines were read
  Dialect const* dialect = nullptr;
  bool is_known = true;
  bool is_decided = false;            ///< a line decided the dialect
  std::uint64_t first_record_end = 0; ///< 0: no record was seen yet
};

/// Remembers the beginning of the file that was read last. Readers of the next pages use it, because a reader
/// may need a long read to find out the same facts. Several threads may call all functions at once.
class LastBegin {
 public:
  /// Copies what is remembered to `out`. Returns false if another file was read last, or if this file was
  /// changed since.
  bool recall(FileStatus const& now, LogBegin& out) const {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (last_.dialect == nullptr || !last_.file.same_version(now)) return false;
    out = last_;
    return true;
  }
  void keep(LogBegin const& begin) {
    std::lock_guard<std::mutex> const lock(mutex_);
    last_ = begin;
  }

 private:
  mutable std::mutex mutex_;
  LogBegin last_;
};

/// Does the work of `TranscriptReader`, with a descriptor that another object owns and with system calls that
/// tests can replace.
class SESSIONKIT_API FileReader {
 public:
  FileReader(FileOps& ops, int descriptor, std::string path, ReaderOptions options, ReadWindows windows = {});

  Result<RecordPage> read(ReadRange const& range);
  /// Returns a page with only the first record of the file, or with no record if the file has none.
  Result<RecordPage> first();

  Dialect const& dialect() const noexcept { return *begin_.dialect; }
  std::string const& path() const noexcept { return path_; }
  ReadWindows const& windows() const noexcept { return windows_; }
  LineScan scan() const noexcept { return {*ops_, descriptor_, path_, options_.max_line}; }
  Result<FileStatus> status();
  /// Finds out the dialect. `read` does this if no line has decided the dialect yet.
  Result<void> detect();
  /// False if the file has lines, but its first lines are in no known dialect (`DialectSearch`).
  bool is_known() const noexcept { return begin_.is_known; }
  /// True if `detect` found a record.
  bool has_records() const noexcept { return begin_.first_record_end != 0; }
  /// Makes this reader use `last`. Before the reader finds out the dialect, also in `detect`, it looks into
  /// `last`. If it finds out the dialect itself, it stores the result in `last`. `last` must outlive this
  /// reader.
  void keep_begin_in(LastBegin& last) noexcept { last_ = &last; }

  /// Reads the head of one line. Returns false if the line gives no record. The reason is then added to
  /// `damage`, except for a blank line.
  bool judge(RawLine const& line, TrimmedLine const& trimmed, RecordView& out,
             std::deque<std::string>& unescaped, std::vector<Damage>& damage) const;
  /// The places where the first and the last record of a line end.
  struct Ends {
    std::uint64_t first = 0, last = 0; ///< 0: the line gives no record
  };
  Ends ends_of(RawLine const& line) const;
  /// True if the file has these bytes at `offset`. False also if they cannot be read.
  bool holds_at(std::uint64_t offset, std::string_view bytes) const;
  /// True if the file ends at `end` with a line that has this CRC-32C. Reads only one block, so the result
  /// for a longer line is false.
  Result<bool> ends_with(Position end, std::uint32_t crc);

 private:
  // Where a scan begins, and the end of the record after which (or before which) records are returned.
  struct Start {
    std::uint64_t scan = 0, limit = 0;
  };
  Result<Start> boundary(ReadRange const& range, std::uint64_t size, LineScan& scan) const;
  Result<std::uint64_t> log_end(std::uint64_t size);

  FileOps* ops_;
  int descriptor_;
  std::string path_;
  ReaderOptions options_;
  ReadWindows windows_;
  LogBegin begin_;
  LastBegin* last_ = nullptr;
  std::uint64_t ended_size_ = 0, ended_at_ = 0; // the log's end when the file had `ended_size_` bytes
};

/// Returns the entries on a line that has several entries, or an entry and other bytes (`split_glued`). For
/// any other line the list is empty. What is wrong with the line is added to `damage`. Each returned
/// `RawLine` ends where its record ends.
SESSIONKIT_API std::vector<RawLine> glued_parts(RawLine const& line, std::string_view text,
                                                std::vector<Damage>& damage);
/// Adds a finding. After the first thousand findings, neighbouring lines that give no entry are joined into
/// one finding.
SESSIONKIT_API void add_finding(std::vector<Damage>& all, Damage damage);
/// Returns the damage to report for a line that gives no record.
SESSIONKIT_API Damage line_damage(RawLine const& line, std::string_view text);
/// Returns the id of a record whose line has none.
SESSIONKIT_API std::string derived_id(TrimmedLine const& line);

}}}
