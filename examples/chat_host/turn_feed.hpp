// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/ids.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

/// The events of a turn, kept as long as a client may ask for them. Each listener, from the start or from
/// where it was cut off, receives all of them at its own pace. Safe to use from several threads at once.
class TurnFeed {
 public:
  /// For the turn's own thread, before it stores anything: the entry that it follows; empty if it is the
  /// first of its log. `log_end` is the log's last entry, which is another one if the turn begins a branch.
  void begin_behind(sessionkit::EntryId entry, sessionkit::EntryId log_end);
  /// Absent if the turn has stored nothing yet.
  std::optional<sessionkit::EntryId> begun_behind() const;
  /// The log's last entry before the turn; empty if it was the one that the turn follows.
  sessionkit::EntryId log_ended_with() const;

  /// For the turn's own thread: add one more event, and the last one.
  void say(std::string_view words);
  void finish(std::string_view last_words);

  /// Returns the events from the `from`th on. Waits up to `patience` if there are none yet. Empty and not
  /// `over` means that nothing arrived.
  struct Heard {
    std::vector<std::string> words;
    bool over = false; ///< these are the last events
  };
  Heard hear(std::size_t from, std::chrono::milliseconds patience) const;

  /// The id of the `n`th event, unique over all turns of all processes. A listener that was cut off may send
  /// it back.
  std::string name_of(std::size_t n) const { return name_ + "." + std::to_string(n); }
  /// The number of the event after this one; the first, if the id is not of this turn.
  std::size_t position_behind(std::string_view name) const;

  /// The approximate memory of all events.
  std::size_t bytes() const;

  TurnFeed();

 private:
  void add(std::string_view words, bool last);

  std::string name_; ///< never changes
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // All under `mutex_`:
  std::optional<sessionkit::EntryId> begun_behind_;
  sessionkit::EntryId log_ended_with_;
  std::string said_;              ///< one after the other: a long answer is many small pieces
  std::vector<std::size_t> ends_; ///< where each ends in `said_`
  bool over_ = false;
};

}
