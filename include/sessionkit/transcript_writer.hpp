// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/session_store.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How to write a transcript.
struct WriterOptions {
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for another writer: then `timed_out`
  std::uint64_t max_line = default_max_line; ///< longer lines are refused: `invalid_argument`; bytes
  /// Create the file (mode 0600) if it does not exist, on opening and for an append that starts a session.
  bool create = false;
  OnEvent on_event = {};
};

/// Appends batches to one transcript file; several processes may do so at once. One thread at a time.
///
/// Each batch is one `write(2)` under a lock that ends with the process. If the last line of the file has no
/// line end, the batch begins with one, so that torn bytes stay and damage nothing. Nothing is ever truncated
/// or changed. Only after a failed sync, the bytes in doubt are written once more, unchanged and at the same
/// place.
class SESSIONKIT_API TranscriptWriter {
 public:
  /// `not_found`, `unsafe_path` (not a regular file, more than one link, a symbolic link, another owner),
  /// `io_error`.
  static Result<TranscriptWriter> open(std::string const& path, WriterOptions options = {});
  /// The file `name` in an open directory, which the caller keeps and closes. `path` is for messages.
  static Result<TranscriptWriter> open_at(int directory, std::string const& name, std::string path,
                                          WriterOptions options = {});

  TranscriptWriter(TranscriptWriter&&) noexcept;
  TranscriptWriter& operator=(TranscriptWriter&&) noexcept;
  TranscriptWriter(TranscriptWriter const&) = delete;
  TranscriptWriter& operator=(TranscriptWriter const&) = delete;
  ~TranscriptWriter();

  /// `SessionStore::append` for this file; `Append::after` is ignored. Further errors: `not_written` if the
  /// write failed before a line of the batch was complete, or `no_space` if the disk was full then;
  /// `outcome_unknown` if the write failed later; `poisoned` after a failed sync (open a new writer);
  /// `forked` in a child process. A batch without records returns `expected`, even if the log is longer. The
  /// sync happens outside the lock.
  Result<Position> append(Append const& batch);

  /// Everything up to this position is on the disk and survives power loss. Zero in a child process.
  Position durable_position() const noexcept;

 private:
  struct State;
  explicit TranscriptWriter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
