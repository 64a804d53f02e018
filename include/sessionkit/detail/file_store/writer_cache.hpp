// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/transcript/file_writer.hpp>
#include <sessionkit/file_store.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The writer of one transcript. Threads share it: they write one after another, and wait for the disk
/// together.
struct SESSIONKIT_API CachedWriter {
  /// The file to write, and the session that its events name.
  struct Target {
    FilePlace place;
    std::string session;
  };
  std::mutex mutex;                 ///< a thread locks this mutex before it writes
  std::optional<FileWriter> writer; ///< absent until the file is opened
  std::vector<Event> events;        ///< the events of the append that is being written

  unsigned leases = 0; ///< how many leases keep the file's lock

  /// Takes the file's lock, and keeps it until `release` was called as often as `hold`. If there is no file,
  /// the append that makes the file takes the lock. `target` is used if no writer is open.
  Result<void> hold(FileOps& ops, FileStoreOptions const& options, Target target);
  void release();

  /// Makes one append, as every store of files does. First locks `mutex` and calls `write`, which appends by
  /// `append_in_turn` or `append_at_end`. Then waits for the disk without the lock, so that other threads may
  /// write meanwhile. Then calls `settle` with the result, and last emits the events, both without a lock.
  /// This object must exist until then: closing the writer earlier would forget a failed sync.
  template <class Write, class Settle>
  Result<Position> append(OnEvent const& on_event, Write const& write, Settle const& settle) {
    Result<Position> end = Position{};
    DueSync due;
    std::vector<Event> own_events;
    {
      std::lock_guard<std::mutex> const turn(mutex);
      end = write(due);
      own_events.swap(events);
    }
    if (auto synced = due.wait(); end && !synced) end = synced.error();
    settle(end);
    if (on_event)
      for (Event const& event : own_events) on_event(event);
    return end;
  }
  template <class Write> Result<Position> append(OnEvent const& on_event, Write const& write) {
    return append(on_event, write, [](Result<Position> const&) {});
  }

  /// Writes a batch. The caller has locked `mutex`. If no writer is open, first opens one for the `Target`
  /// that `target` returns.
  template <class TargetOf>
  Result<Position> append_in_turn(FileOps& ops, FileStoreOptions const& options, Append const& batch,
                                  std::chrono::steady_clock::time_point asked, DueSync& due,
                                  TargetOf const& target) {
    if (!writer)
      if (auto r = open(ops, target(), options, batch); !r) return r.error();
    return writer->write(batch, is_durable(options, batch), asked, due);
  }
  /// Does the same, but appends at the end that the log has at that moment; see `FileWriter::write_at_end`.
  template <class TargetOf>
  Result<Position> append_at_end(FileOps& ops, FileStoreOptions const& options, Append& batch,
                                 std::chrono::steady_clock::time_point asked, DueSync& due,
                                 TargetOf const& target) {
    if (!writer)
      if (auto r = open(ops, target(), options, batch); !r) return r.error();
    return writer->write_at_end(batch, is_durable(options, batch), asked, due);
  }

 private:
  static bool is_durable(FileStoreOptions const& options, Append const& batch) noexcept {
    return options.durability == Durability::entry
           || (options.durability == Durability::turn && batch.durable);
  }
  Result<void> open(FileOps& ops, Target target, FileStoreOptions const& options, Append const& batch);
};

/// Holds a transcript (`CachedWriter::hold`) until the returned object is destroyed. In a forked child, the
/// object leaves the lock to the parent.
SESSIONKIT_API Result<std::shared_ptr<void>> hold_transcript(FileOps& ops, FileStoreOptions const& options,
                                                             std::shared_ptr<CachedWriter> log,
                                                             CachedWriter::Target target);

/// The writers that a store keeps open: the most recently used ones.
class SESSIONKIT_API WriterCache {
 public:
  static constexpr std::size_t most_open = 128;

  std::shared_ptr<CachedWriter> of(std::string const& name);
  /// Returns the position up to which the log is known to be on the disk. Zero if the log's writer is not
  /// open.
  Position durable(std::string const& name);
  std::size_t size() const noexcept { return logs_.size(); }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<CachedWriter>>>;
  void close_unused();
  Order order_; // most recently used first
  std::unordered_map<std::string, Order::iterator> logs_;
  std::mutex mutex_;
};

}}}
