// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/record.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// How to read a transcript.
struct ReaderOptions {
  std::uint64_t max_line = default_max_line; ///< longer lines are skipped as `oversize`; bytes
  /// The dialect of a file whose lines do not show it: one that holds only a header without a mark of one
  /// program. Null: native.
  Dialect const* fallback = nullptr;
};

/// Reads one transcript file from either end, a bounded window at a time. Takes no lock and writes nothing.
///
/// A line ends at byte 0x0A only. A bad line is skipped, located and stops nothing. A last line without a
/// line end counts if it is a complete object; else somebody may be writing it, and it is not there yet
/// (`torn_tail`). One thread at a time.
class SESSIONKIT_API TranscriptReader {
 public:
  /// `not_found`, `unsafe_path` for anything but a regular file, `io_error`.
  static Result<TranscriptReader> open(std::string const& path, ReaderOptions options = {});
  /// Reads an open descriptor, which the caller keeps and closes. `path` is for messages.
  static Result<TranscriptReader> from_descriptor(int descriptor, std::string path,
                                                  ReaderOptions options = {});

  TranscriptReader(TranscriptReader&&) noexcept;
  TranscriptReader& operator=(TranscriptReader&&) noexcept;
  TranscriptReader(TranscriptReader const&) = delete;
  TranscriptReader& operator=(TranscriptReader const&) = delete;
  ~TranscriptReader();

  /// Records of the file as it is now, the header line included. Heads only: a record's line may prove bad
  /// when it is decoded, for example torn bytes that a later append closed off. Positions are byte offsets
  /// after a line's end (after its last byte, where that line end is missing). A file without any
  /// recognisable line reads as an empty log in the native dialect.
  Result<RecordPage> read(ReadRange const& range);

  /// The dialect of the file, by the first line that only one program writes.
  Dialect const& dialect() const noexcept;

  /// Reads the whole file and reports everything odd about lines and about relations between entries
  /// (`DamageKind`), in file order. `progress`, where given, is called now and then with bytes done and bytes
  /// in all.
  Result<std::vector<Damage>> verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress = {});

  /// As it was given.
  std::string const& path() const noexcept;

 private:
  struct State;
  explicit TranscriptReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
