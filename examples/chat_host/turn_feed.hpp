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

/// What a turn says, kept as long as anybody may ask for it: each listener, from the start or from where it
/// was cut off, hears all of it at its own pace. Safe to use from several threads at once.
class TurnFeed {
 public:
  /// For the turn's own thread, before it stores anything: the entry that it follows; empty: it is the first
  /// of its log.
  void begin_behind(sessionkit::EntryId entry);
  /// Nothing: the turn has stored nothing yet.
  std::optional<sessionkit::EntryId> begun_behind() const;

  /// For the turn's own thread: one more thing said, and the last one.
  void say(std::string_view words);
  void finish(std::string_view last_words);

  /// What was said from the `from`th on. Waits up to `patience` where there is nothing yet. Empty and not
  /// `over`: nothing came.
  struct Heard {
    std::vector<std::string> words;
    bool over = false; ///< nothing follows these
  };
  Heard hear(std::size_t from, std::chrono::milliseconds patience) const;

  /// Names the `n`th thing said, over all turns of all processes: what a listener that is cut off may come
  /// back with.
  std::string name_of(std::size_t n) const { return name_ + "." + std::to_string(n); }
  /// Where a listener goes on who last heard this one; at the start, if it is none of this turn's.
  std::size_t position_behind(std::string_view name) const;

  /// How much memory all of it takes, more or less.
  std::size_t bytes() const;

  TurnFeed();

 private:
  void add(std::string_view words, bool last);

  std::string name_; ///< never changes
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // All under `mutex_`:
  std::optional<sessionkit::EntryId> begun_behind_;
  std::string said_;              ///< one behind the other: a long answer is many small pieces
  std::vector<std::size_t> ends_; ///< where each ends in `said_`
  bool over_ = false;
};

}
