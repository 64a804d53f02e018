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
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for another writer; then `timed_out`
  /// The longest line in bytes. Longer lines are refused with `invalid_argument`.
  std::uint64_t max_line = default_max_line;
  /// True: create the file (mode 0600) if it does not exist, both on opening and for an append that starts a
  /// session.
  bool create = false;
  /// True: keep the lock from the opening until the writer is destroyed. Other writers then get `timed_out`.
  /// If another writer keeps the lock, the opening fails with `timed_out`. Readers need no lock.
  bool exclusive = false;
  OnEvent on_event = {}; ///< receives `tail_sealed`; if absent, this event is dropped
};

/// Appends batches to one transcript file. Several processes may append to one file at once. Use a writer
/// from one thread at a time.
///
/// Each batch is one `write(2)` under a lock, which the system releases if the process ends. If the last line
/// of the file has no line end, the batch begins with a line end. So the bytes of an incomplete line stay in
/// the file and do not damage the batch. A writer never truncates the file and never changes its bytes. After
/// a failed sync, bytes may be lost. A new writer of this process then writes the same bytes again at the
/// same place.
class SESSIONKIT_API TranscriptWriter {
 public:
  /// Opens a file. Fails with `not_found`, with `unsafe_path` (not a regular file, more than one link, a
  /// symbolic link, another owner), or with `io_error`.
  static Result<TranscriptWriter> open(std::string const& path, WriterOptions options = {});
  /// Opens the file `name` in an open directory, which the caller keeps and closes. Error messages contain
  /// `path`.
  static Result<TranscriptWriter> open_at(int directory, std::string const& name, std::string path,
                                          WriterOptions options = {});

  /// Takes the other writer's file and lock. The other writer may only be destroyed or assigned to.
  TranscriptWriter(TranscriptWriter&&) noexcept;
  /// The same. The file that this writer had is closed.
  TranscriptWriter& operator=(TranscriptWriter&&) noexcept;
  TranscriptWriter(TranscriptWriter const&) = delete;
  TranscriptWriter& operator=(TranscriptWriter const&) = delete;
  /// Closes the file without a sync.
  ~TranscriptWriter();

  /// Appends a batch to this file, as `SessionStore::append` does. `Append::after` is ignored. For a batch
  /// without records, the call returns `expected`, even if the log is longer. The lock is not held during the
  /// sync.
  ///
  /// Further errors: `not_written` if the write failed before a line of the batch was complete, or `no_space`
  /// if the reason was a full disk; `outcome_unknown` if the write failed later; `poisoned` after a failed
  /// sync (open a new writer); `forked` in a child process.
  Result<Position> append(Append const& batch);

  /// Returns the position up to which everything is on the disk and survives power loss. The position is zero
  /// in a child process.
  Position durable_position() const noexcept;

 private:
  struct State;
  explicit TranscriptWriter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}}
