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

/// The writer of one transcript, which threads share: they write in turns and wait for the disk together.
struct SESSIONKIT_API CachedWriter {
  /// Which file is written, and the session that its events name.
  struct Target {
    FilePlace place;
    std::string session;
  };
  std::mutex mutex;                 ///< whose turn it is
  std::optional<FileWriter> writer; ///< absent: to be opened
  std::vector<Event> events;        ///< of the append whose turn it is

  /// One append, as every store of files does it. In the writer's turn `write` appends, by `append_in_turn`.
  /// It waits for the disk out of turn, so that other threads may write meanwhile; then it calls `settle`
  /// with the answer, and last, with no lock held, it emits the events. Keep the writer until then: closing
  /// it would forget a failed sync.
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

  /// Writes a batch; opens the writer where there is none. `target` answers the `Target` to open.
  template <class TargetOf>
  Result<Position> append_in_turn(FileOps& ops, FileStoreOptions const& options, Append const& batch,
                                  std::chrono::steady_clock::time_point asked, DueSync& due,
                                  TargetOf const& target) {
    if (!writer)
      if (auto r = open(ops, target(), options, batch); !r) return r.error();
    bool const durable =
        options.durability == Durability::entry || (options.durability == Durability::turn && batch.durable);
    return writer->write(batch, durable, asked, due);
  }

 private:
  Result<void> open(FileOps& ops, Target target, FileStoreOptions const& options, Append const& batch);
};

/// The writers a store keeps open: the most recently used.
class SESSIONKIT_API WriterCache {
 public:
  static constexpr std::size_t most_open = 128;

  std::shared_ptr<CachedWriter> of(std::string const& name);
  /// How far the log is known to be on the disk; zero for one that is not open.
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
