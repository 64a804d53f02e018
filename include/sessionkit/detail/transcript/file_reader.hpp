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
  FileStatus file = {}; ///< its status when the lines were read
  Dialect const* dialect = nullptr;
  bool is_known = true;
  bool is_decided = false;            ///< a line decided the dialect
  std::uint64_t first_record_end = 0; ///< 0: no record was seen yet
};

/// Remembers the beginning of the file that was read last, for readers of its next pages, because finding it
/// out may take a long read. Several threads may call all functions at once.
class LastBegin {
 public:
  /// False if another file was read last, or if this file was changed since.
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
  /// The first record of the file, as a page. Only the first part of the file is searched.
  Result<RecordPage> first();

  Dialect const& dialect() const noexcept { return *begin_.dialect; }
  std::string const& path() const noexcept { return path_; }
  ReadWindows const& windows() const noexcept { return windows_; }
  LineScan scan() const noexcept { return {*ops_, descriptor_, path_, options_.max_line}; }
  Result<FileStatus> status();
  /// Finds out the dialect. `read` does this if no line has decided the dialect yet.
  Result<void> detect();
  /// False if the file has lines, and the lines at its begin are in no dialect (`DialectSearch`).
  bool is_known() const noexcept { return begin_.is_known; }
  /// True if `detect` found a record.
  bool has_records() const noexcept { return begin_.first_record_end != 0; }
  /// Makes this reader look into `last` before it finds out the dialect, and store there what it finds out.
  /// `last` must outlive this reader.
  void keep_begin_in(LastBegin& last) noexcept { last_ = &last; }

  /// Reads the head of one line. False if the line gives no record. Then `damage` says why, unless the line
  /// is blank.
  bool judge(RawLine const& line, TrimmedLine const& trimmed, RecordView& out,
             std::deque<std::string>& unescaped, std::vector<Damage>& damage) const;
  /// Where the first and the last record of a line end, if it gives any.
  struct Ends {
    std::uint64_t first = 0, last = 0; ///< 0: none
  };
  Ends ends_of(RawLine const& line) const;
  /// True if the file has these bytes at `offset`. False also if they cannot be read.
  bool holds_at(std::uint64_t offset, std::string_view bytes) const;
  /// True if the file ends at `end` with a line that has this CRC-32C. Reads one block, and returns false for
  /// a longer line.
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
  std::uint64_t ended_size_ = 0, ended_at_ = 0; // the log's end when the file had that size
};

/// Returns the entries on a line that is not one entry itself (`split_glued`). The other bytes of the line
/// are added to `damage`. Each returned part ends where its record ends.
SESSIONKIT_API std::vector<RawLine> glued_parts(RawLine const& line, std::string_view text,
                                                std::vector<Damage>& damage);
/// Adds a finding. After the first thousand findings, neighbouring lines that give no entry become one
/// finding.
SESSIONKIT_API void add_finding(std::vector<Damage>& all, Damage damage);
/// The damage to report for a line that gives no record.
SESSIONKIT_API Damage line_damage(RawLine const& line, std::string_view text);
/// The id of a record whose line has none.
SESSIONKIT_API std::string derived_id(TrimmedLine const& line);

}}}
