// SPDX-License-Identifier: MIT
#pragma once
#include "turn_feed.hpp"

#include <sessionkit/result.hpp>

#include <deque>
#include <functional>
#include <llm/cancel.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace chat_host {

/// The running turns: one at a time in each session, each on a thread of its own, with or without listeners.
/// Safe to use from several threads at once.
class RunningTurns {
 public:
  /// Runs one turn and returns its last event. Throws nothing.
  using Work = std::function<std::string(TurnFeed&, llm::CancelToken const&)>;

  /// At most `most` at once. The newest ended turns can still be read, as long as their events are not longer
  /// than `most_ended_bytes`.
  explicit RunningTurns(std::size_t most, std::size_t most_ended_bytes = std::size_t{32} << 20)
      : most_(most), most_ended_bytes_(most_ended_bytes) {}
  /// Cancels all running turns and waits for them.
  ~RunningTurns();
  RunningTurns(RunningTurns const&) = delete;
  RunningTurns& operator=(RunningTurns const&) = delete;

  /// A reserved place for one turn, in a session or in one to be created. It is released when the turn begins
  /// or this object ends.
  class Place {
   public:
    Place(Place&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), session_(std::move(other.session_)) {}
    Place& operator=(Place&&) = delete;
    Place(Place const&) = delete;
    Place& operator=(Place const&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->give_up(*this);
    }

   private:
    friend class RunningTurns;
    Place(RunningTurns& of, std::string session) noexcept : of_(&of), session_(std::move(session)) {}
    RunningTurns* of_;    ///< null if the place was used
    std::string session_; ///< its key in `running_`; empty if it is one of `places_`
  };
  /// Reserves a place; call this before anything is stored for a turn. Pass no session if it must be created.
  /// `conflict` while the session has a place or a turn; `unavailable` while all places are taken, and after
  /// `stop_all`.
  sessionkit::Result<Place> reserve(std::string const& session = {});

  /// Begins a turn in the session of the place, or in a new one: `conflict` if it is not new.
  sessionkit::Result<std::shared_ptr<TurnFeed const>> start(Place place, std::string const& session,
                                                            Work work);

  /// Begins a turn as soon as the session's running turn, and those that wait before it, have ended. Returns
  /// how many wait now; 0 if no turn ran, so that this one began at once. `unavailable` if too many wait or
  /// run.
  sessionkit::Result<std::size_t> enqueue(std::string const& session, Work work);
  /// True after `stop_all`.
  bool is_stopping() const;
  /// How many turns wait for the session's running turn.
  std::size_t waiting(std::string const& session) const;

  /// The running turn; null if there is none.
  std::shared_ptr<TurnFeed const> running(std::string const& session) const;
  /// The running turn, or the last one if it ended not long ago; null if there is none to listen to.
  std::shared_ptr<TurnFeed const> find(std::string const& session) const;

  /// Cancels a session's turn, which ends soon after, and drops those that wait for it. Returns how many were
  /// dropped; absent if no turn runs.
  std::optional<std::size_t> cancel(std::string const& session);
  /// Cancels a session's turn, drops those that wait, waits for its end and then calls `action`; no turn of
  /// it begins before that returns.
  void when_quiet(std::string const& session, std::function<void()> const& action);
  /// Cancels all, drops those that wait, and waits for the end of the others; no place is given any more. A
  /// turn that has a place still begins, cancelled. Returns how many were dropped.
  std::size_t stop_all();

 private:
  struct Turn {
    std::shared_ptr<TurnFeed> feed; ///< null if a place, or `when_quiet`, holds the session
    llm::CancelToken cancel = {};
    std::thread thread = {};
    std::deque<Work> next = {}; ///< the turns that wait for this one

    /// Cancels it and returns how many turns waited for it; they are dropped.
    std::size_t stop() {
      cancel.cancel();
      return std::exchange(next, {}).size();
    }
  };
  struct Ended {
    std::string session;
    std::shared_ptr<TurnFeed const> feed;
  };
  void give_up(Place const& place);
  std::shared_ptr<TurnFeed const> begin(std::string const& session, Turn& turn, Work work);
  void end(std::string const& session, std::string const& last_words);
  void begin_next(std::string const& session, std::deque<Work> waiting);
  void forget_oldest();
  void join_ended();

  std::size_t most_, most_ended_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under `mutex_`:
  std::size_t places_ = 0; ///< for sessions without an id yet
  std::map<std::string, Turn> running_;
  std::deque<Ended> ended_;          ///< the last few, newest at the back
  std::vector<std::thread> to_join_; ///< threads of ended turns
  bool stopping_ = false;
};

}
