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
  std::uint64_t max_line = default_max_line; ///< in bytes; longer lines are skipped as `oversize`
  /// The dialect of a file whose lines do not show their dialect. An example is a file with only a header
  /// that several programs could have written. Null means native.
  Dialect const* fallback = nullptr;
};

/// The lines of a transcript whose entries would be `Unknown`: they are kept, and no model sees them.
struct UnknownLines {
  std::uint64_t count = 0;             ///< lines
  std::vector<std::string> types = {}; ///< their different types, at most 8, each cut to 64 bytes; "": none
};

/// Reads one transcript file, from its beginning or its end, in windows of limited size. A reader takes no
/// lock and writes nothing.
///
/// A line ends at byte 0x0A only. A bad line is skipped and reported, and does not stop the reading. A last
/// line without a line end counts if it is a complete object. An incomplete last line does not count yet,
/// because a writer may be completing it (`torn_tail`). Use a reader from one thread at a time.
class SESSIONKIT_API TranscriptReader {
 public:
  /// Opens a file. Fails with `not_found`, with `unsafe_path` for anything but a regular file, or with
  /// `io_error`.
  static Result<TranscriptReader> open(std::string const& path, ReaderOptions options = {});
  /// Makes a reader of an open descriptor, which the caller keeps and closes. Error messages contain `path`.
  static Result<TranscriptReader> from_descriptor(int descriptor, std::string path,
                                                  ReaderOptions options = {});

  /// Takes the other reader's file. The other reader may only be destroyed or assigned to.
  TranscriptReader(TranscriptReader&&) noexcept;
  /// The same. The file that this reader had is closed.
  TranscriptReader& operator=(TranscriptReader&&) noexcept;
  TranscriptReader(TranscriptReader const&) = delete;
  TranscriptReader& operator=(TranscriptReader const&) = delete;
  /// Closes the file, unless the caller gave the descriptor.
  ~TranscriptReader();

  /// Reads records of the file in its present state, including the header. Only the heads of lines are
  /// checked, so decoding a line may still show that it is bad. An example is an incomplete line to which a
  /// later append added a line end. The position of a record is the byte offset after its line end, or after
  /// its last byte if the line end is missing. A file without any recognisable line reads as an empty log in
  /// the native dialect.
  Result<RecordPage> read(ReadRange const& range);

  /// The dialect of the file. The first line that only one program could have written decides the dialect.
  Dialect const& dialect() const noexcept;

  /// Reads the complete file and returns all faults of lines and of relations between entries (`DamageKind`),
  /// in file order. If `progress` is given, it is called now and then with the number of bytes read and the
  /// number of all bytes. If `unknown` is given, the lines of unknown types are added to it.
  Result<std::vector<Damage>> verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress = {},
                                     UnknownLines* unknown = nullptr);

  /// The path that the caller gave.
  std::string const& path() const noexcept;

 private:
  struct State;
  explicit TranscriptReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
