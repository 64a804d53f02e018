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
  /// The longest line in bytes. Longer lines are skipped as `oversize`.
  std::uint64_t max_line = default_max_line;
  /// The dialect of a file if its lines do not show it. For example, the file may have only a header that
  /// several programs could have written. If null, the dialect is that of the program that most likely wrote
  /// the header. Without a header, it is native.
  Dialect const* fallback = nullptr;
};

/// The lines of a transcript whose entries would be `Unknown`: they are kept, and no model sees them.
struct UnknownLines {
  std::uint64_t count = 0; ///< the number of lines
  /// The different types of these lines: at most 8, each cut to 64 bytes. An empty text means a line without
  /// a type.
  std::vector<std::string> types = {};
};

/// Reads one transcript file, from its beginning or its end, in windows of limited size. A reader takes no
/// lock and writes nothing.
///
/// A line ends at byte 0x0A only. A bad line is skipped and reported, and does not stop the reading. A last
/// line without a line end counts if it is a complete object. An incomplete last line does not count yet,
/// because a writer may be completing it (`torn_tail`). Use a reader from one thread at a time.
class SESSIONKIT_API TranscriptReader {
 public:
  /// Opens a file. Fails with `not_found`, with `unsafe_path` if the path is no regular file, or with
  /// `io_error`.
  static Result<TranscriptReader> open(std::string const& path, ReaderOptions options = {});
  /// Makes a reader for an open descriptor, which the caller keeps and closes. Error messages contain `path`.
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

  /// Reads records of the file in its present state, including the header. Only the head of each line (id,
  /// type, parent) is checked. So a record may be bad, and only decoding shows this. An example is an
  /// incomplete line to which a later append added a line end. The position of a record is the byte offset
  /// after its line end, or after its last byte if the line end is missing. If no line of a file gives a
  /// record, the file reads as an empty log. If a torn line shows the dialect of such a file, it has this
  /// dialect. Otherwise it has the fallback, or native if there is no fallback.
  Result<RecordPage> read(ReadRange const& range);

  /// Returns the dialect of the file. The first line that only one program could have written decides the
  /// dialect.
  Dialect const& dialect() const noexcept;

  /// Reads the complete file and returns all faults of lines and of relations between entries (`DamageKind`),
  /// in file order. If `progress` is given, it is called now and then with the number of bytes read and the
  /// number of all bytes. If `unknown` is given, the lines of unknown types are added to it.
  Result<std::vector<Damage>> verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress = {},
                                     UnknownLines* unknown = nullptr);

  /// Returns the path that the caller gave.
  std::string const& path() const noexcept;

 private:
  struct State;
  explicit TranscriptReader(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
