// SPDX-License-Identifier: MIT
#pragma once
#include "turn_feed.hpp"

#include <sessionkit/result.hpp>

#include <deque>
#include <functional>
#include <llm/cancel.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace chat_host {

/// The turns on their way: one at a time in each session, each on a thread of its own, whoever listens. Safe
/// to use from several threads at once.
class RunningTurns {
 public:
  /// One turn; answers its last words. Throws nothing.
  using Work = std::function<std::string(TurnFeed&, llm::CancelToken const&)>;

  /// `most` at once. Of those that ended the newest may be asked for, as long as what they said is not more
  /// than `most_ended_bytes`.
  explicit RunningTurns(std::size_t most, std::size_t most_ended_bytes = std::size_t{32} << 20)
      : most_(most), most_ended_bytes_(most_ended_bytes) {}
  /// Cancels what runs and waits for it.
  ~RunningTurns();
  RunningTurns(RunningTurns const&) = delete;
  RunningTurns& operator=(RunningTurns const&) = delete;

  /// Room for one turn, in a session or in one that is yet to be made, until the turn begins or this goes.
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
    RunningTurns* of_;    ///< null: it is used
    std::string session_; ///< which is in `running_`; empty: it is one of `places_`
  };
  /// To be had before anything is stored for a turn. No session is named where it is yet to be made.
  /// `conflict` while this one has a place or a turn; `unavailable` while all places are taken, and after
  /// `stop_all`.
  sessionkit::Result<Place> reserve(std::string const& session = {});

  /// Begins a turn in the session of the place, or in a new one: `conflict` if that is not new.
  sessionkit::Result<std::shared_ptr<TurnFeed const>> start(Place place, std::string const& session,
                                                            Work work);

  /// The turn that runs; null: none does.
  std::shared_ptr<TurnFeed const> running(std::string const& session) const;
  /// The turn that runs, or the last one if it ended not long ago; null: there is none to listen to.
  std::shared_ptr<TurnFeed const> find(std::string const& session) const;

  /// Cancels a session's turn, which ends soon after. False: none runs.
  bool cancel(std::string const& session);
  /// Cancels a session's turn, waits for its end and then calls `action`; no turn of it begins meanwhile.
  void when_quiet(std::string const& session, std::function<void()> const& action);
  /// Cancels all and waits for them; no place is given any more. Who has one still begins, cancelled.
  void stop_all();

 private:
  struct Turn {
    std::shared_ptr<TurnFeed> feed; ///< null: a place, or `when_quiet`, has the session
    llm::CancelToken cancel = {};
    std::thread thread = {};
  };
  struct Ended {
    std::string session;
    std::shared_ptr<TurnFeed const> feed;
  };
  void give_up(Place const& place);
  void end(std::string const& session, std::string const& last_words);
  void forget_oldest();
  void join_ended();

  std::size_t most_, most_ended_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under `mutex_`:
  std::size_t places_ = 0; ///< for sessions that have no name yet
  std::map<std::string, Turn> running_;
  std::deque<Ended> ended_;          ///< the last few, newest at the back
  std::vector<std::thread> to_join_; ///< of turns that ended
  bool stopping_ = false;
};

}
