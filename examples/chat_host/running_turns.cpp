// SPDX-License-Identifier: MIT
#include "running_turns.hpp"

#include <algorithm>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

// A client that lost the connection at the end of an answer can fetch it until this many others have ended.
constexpr std::size_t most_ended = 256;

sk::Error is_answering(std::string const& session) {
  return {sk::Errc::conflict, 0, "session '" + session + "' is already answering"};
}

}

RunningTurns::~RunningTurns() { stop_all(); }

sk::Result<RunningTurns::Place> RunningTurns::reserve(std::string const& session) {
  std::lock_guard const lock(mutex_);
  if (running_.count(session) != 0) return is_answering(session);
  if (stopping_) return sk::Error{sk::Errc::unavailable, 0, "this server is about to stop"};
  if (running_.size() + places_ >= most_)
    return sk::Error{sk::Errc::unavailable, 0, "too many turns are running"};
  if (session.empty())
    ++places_;
  else
    running_[session];
  return Place(*this, session);
}

void RunningTurns::give_up(Place const& place) {
  {
    std::lock_guard const lock(mutex_);
    if (place.session_.empty())
      --places_;
    else
      running_.erase(place.session_);
  }
  changed_.notify_all();
}

sk::Result<std::shared_ptr<TurnFeed const>> RunningTurns::start(Place place, std::string const& session,
                                                                Work work) {
  join_ended();
  std::lock_guard const lock(mutex_);
  if (place.session_.empty()) {
    if (!running_.try_emplace(session).second) return is_answering(session);
    place.session_ = session;
    --places_;
  }
  Turn& turn = running_.at(session);
  if (stopping_) turn.cancel.cancel();
  auto feed = std::make_shared<TurnFeed>();
  turn.thread = std::thread([this, session, feed, cancel = turn.cancel, work = std::move(work)] {
    end(session, work(*feed, cancel)); // `end` waits for our lock
  });
  turn.feed = feed;
  place.of_ = nullptr;
  return std::shared_ptr<TurnFeed const>(std::move(feed));
}

// The session is free before the end of the turn is reported, so that a listener may begin the next one.
void RunningTurns::end(std::string const& session, std::string const& last_words) {
  std::shared_ptr<TurnFeed> feed;
  {
    std::lock_guard const lock(mutex_);
    auto turn = running_.extract(session);
    feed = turn.mapped().feed;
    to_join_.push_back(std::move(turn.mapped().thread));
    ended_.push_back({session, feed});
    feed->finish(last_words);
    forget_oldest();
  }
  changed_.notify_all();
}

void RunningTurns::forget_oldest() {
  std::size_t count = 0, bytes = 0;
  auto const one_too_many = std::find_if(ended_.rbegin(), ended_.rend(), [&](Ended const& each) {
    return ++count > most_ended || (bytes += each.feed->bytes()) > most_ended_bytes_;
  });
  ended_.erase(ended_.begin(), one_too_many.base());
}

void RunningTurns::join_ended() {
  std::vector<std::thread> threads;
  {
    std::lock_guard const lock(mutex_);
    threads.swap(to_join_);
  }
  for (auto& thread : threads) thread.join();
}

std::shared_ptr<TurnFeed const> RunningTurns::running(std::string const& session) const {
  std::lock_guard const lock(mutex_);
  auto const running = running_.find(session);
  return running == running_.end() ? nullptr : running->second.feed;
}

std::shared_ptr<TurnFeed const> RunningTurns::find(std::string const& session) const {
  std::lock_guard const lock(mutex_);
  auto const running = running_.find(session);
  if (running != running_.end() && running->second.feed) return running->second.feed;
  auto const ended = std::find_if(ended_.rbegin(), ended_.rend(),
                                  [&](Ended const& each) { return each.session == session; });
  return ended == ended_.rend() ? nullptr : ended->feed;
}

bool RunningTurns::cancel(std::string const& session) {
  std::lock_guard const lock(mutex_);
  auto const running = running_.find(session);
  if (running == running_.end()) return false;
  running->second.cancel.cancel();
  return true;
}

void RunningTurns::when_quiet(std::string const& session, std::function<void()> const& action) {
  {
    std::unique_lock lock(mutex_);
    // A turn may have begun between two of the waits: cancel it as well.
    for (auto running = running_.find(session); running != running_.end(); running = running_.find(session)) {
      running->second.cancel.cancel();
      changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
    running_[session];
    ended_.erase(std::remove_if(ended_.begin(), ended_.end(),
                                [&](Ended const& each) { return each.session == session; }),
                 ended_.end());
  }
  action();
  {
    std::lock_guard const lock(mutex_);
    running_.erase(session);
  }
  changed_.notify_all();
}

void RunningTurns::stop_all() {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    for (auto const& [session, turn] : running_) turn.cancel.cancel();
    changed_.wait(lock, [&] { return running_.empty() && places_ == 0; });
  }
  join_ended();
}

}
