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
  /// The dialect of a file whose lines do not show it, for example a file with only a header that several
  /// programs could have written. Null: native.
  Dialect const* fallback = nullptr;
};

/// Reads one transcript file from its begin or its end, in windows of limited size. Takes no lock and writes
/// nothing.
///
/// A line ends at byte 0x0A only. A bad line is skipped and reported, and does not stop the reading. A last
/// line without a line end counts if it is a complete object. Otherwise a writer may be completing it, so it
/// does not count yet (`torn_tail`). Use an object from one thread at a time.
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

  /// Reads records of the file in its present state, including the header. Only heads of lines are checked,
  /// so a line may prove bad when it is decoded, for example torn bytes to which a later append added a line
  /// end. Positions are byte offsets after the end of a line, or after its last byte if the line end is
  /// missing. A file without any recognisable line reads as an empty log in the native dialect.
  Result<RecordPage> read(ReadRange const& range);

  /// The dialect of the file, by the first line that only one program writes.
  Dialect const& dialect() const noexcept;

  /// Reads the complete file and reports all faults of lines and of relations between entries (`DamageKind`),
  /// in file order. `progress`, if given, is called now and then with the number of bytes read and of all
  /// bytes.
  Result<std::vector<Damage>> verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress = {});

  /// The path that the caller gave.
  std::string const& path() const noexcept;

 private:
  struct State;
  explicit TranscriptReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
