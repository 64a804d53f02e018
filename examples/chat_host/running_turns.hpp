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

namespace chat_host {

/// The turns on their way: one at a time in each session, each on a thread of its own, whoever listens. Safe
/// to use from several threads at once.
class RunningTurns {
 public:
  /// One turn; answers its last words. Throws nothing.
  using Work = std::function<std::string(TurnFeed&, llm::CancelToken const&)>;

  explicit RunningTurns(std::size_t most) : most_(most) {}
  /// Cancels what runs and waits for it.
  ~RunningTurns();
  RunningTurns(RunningTurns const&) = delete;
  RunningTurns& operator=(RunningTurns const&) = delete;

  /// `conflict` while a turn of this session runs; `unavailable` while `most` run, and after `stop_all`.
  sessionkit::Result<std::shared_ptr<TurnFeed const>> start(std::string const& session, Work work);

  /// The turn that runs, or the last one if it ended not long ago; null: there is none to listen to.
  std::shared_ptr<TurnFeed const> find(std::string const& session) const;
  bool is_running(std::string const& session) const;

  /// Cancels a session's turn, which ends soon after. False: none runs.
  bool cancel(std::string const& session);
  /// Cancels a session's turn, waits for its end and then calls `action`; no turn of it begins meanwhile.
  void when_quiet(std::string const& session, std::function<void()> const& action);
  /// Cancels all and waits for them; nothing starts any more.
  void stop_all();

 private:
  struct Turn {
    std::shared_ptr<TurnFeed> feed; ///< null: `when_quiet` has the session
    llm::CancelToken cancel = {};
    std::thread thread = {};
  };
  struct Ended {
    std::string session;
    std::shared_ptr<TurnFeed const> feed;
  };
  void end(std::string const& session, std::string last_words);
  void join_ended();

  std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under `mutex_`:
  std::map<std::string, Turn> running_;
  std::deque<Ended> ended_;          ///< the last few, newest at the back
  std::vector<std::thread> to_join_; ///< of turns that ended
  bool stopping_ = false;
};

}
