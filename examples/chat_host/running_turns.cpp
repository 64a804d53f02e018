// SPDX-License-Identifier: MIT
#include "running_turns.hpp"

#include <algorithm>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;

namespace {

// A client that lost the connection at the end of an answer can fetch it until this many others have ended.
constexpr std::size_t most_ended = 256;
constexpr std::size_t most_waiting = 32; // turns of one session

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
  auto feed = begin(session, running_.at(session), std::move(work));
  place.of_ = nullptr;
  return feed;
}

std::shared_ptr<TurnFeed const> RunningTurns::begin(std::string const& session, Turn& turn, Work work) {
  if (stopping_) turn.cancel.cancel();
  auto feed = std::make_shared<TurnFeed>();
  turn.thread = std::thread([this, session, feed, cancel = turn.cancel, work = std::move(work)] {
    end(session, work(*feed, cancel)); // `end` waits for our lock
  });
  turn.feed = feed;
  return feed;
}

sk::Result<std::size_t> RunningTurns::enqueue(std::string const& session, Work work) {
  {
    std::lock_guard const lock(mutex_);
    auto const running = running_.find(session);
    if (running != running_.end() && running->second.feed && !stopping_) {
      auto& next = running->second.next;
      if (next.size() >= most_waiting)
        return sk::Error{sk::Errc::unavailable, 0,
                         std::to_string(most_waiting) + " messages wait in session '" + session
                             + "' already"};
      next.push_back(std::move(work));
      return next.size();
    }
  }
  auto place = reserve(session);
  if (!place) return place.error();
  if (auto const feed = start(*std::move(place), session, std::move(work)); !feed) return feed.error();
  return std::size_t{0};
}

bool RunningTurns::is_stopping() const {
  std::lock_guard const lock(mutex_);
  return stopping_;
}

std::size_t RunningTurns::waiting(std::string const& session) const {
  std::lock_guard const lock(mutex_);
  auto const running = running_.find(session);
  return running == running_.end() ? 0 : running->second.next.size();
}

// The session is free, or its next turn has begun, before the end of the turn is reported, so that a listener
// may begin one or listen to it.
void RunningTurns::end(std::string const& session, std::string const& last_words) {
  std::shared_ptr<TurnFeed> feed;
  {
    std::lock_guard const lock(mutex_);
    auto turn = running_.extract(session);
    feed = turn.mapped().feed;
    to_join_.push_back(std::move(turn.mapped().thread));
    ended_.push_back({session, feed});
    begin_next(session, std::move(turn.mapped().next));
    feed->finish(last_words);
    forget_oldest();
  }
  changed_.notify_all();
}

void RunningTurns::begin_next(std::string const& session, std::deque<Work> waiting) {
  if (waiting.empty() || stopping_) return;
  Turn& turn = running_[session];
  Work work = std::move(waiting.front());
  waiting.pop_front();
  turn.next = std::move(waiting);
  begin(session, turn, std::move(work));
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

std::optional<std::size_t> RunningTurns::cancel(std::string const& session) {
  std::lock_guard const lock(mutex_);
  auto const running = running_.find(session);
  if (running == running_.end()) return std::nullopt;
  return running->second.stop();
}

void RunningTurns::when_quiet(std::string const& session, std::function<void()> const& action) {
  {
    std::unique_lock lock(mutex_);
    // A turn may have begun between two of the waits: cancel it as well.
    for (auto running = running_.find(session); running != running_.end(); running = running_.find(session)) {
      running->second.stop();
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

std::size_t RunningTurns::stop_all() {
  std::size_t dropped = 0;
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    for (auto& [session, turn] : running_) dropped += turn.stop();
    changed_.wait(lock, [&] { return running_.empty() && places_ == 0; });
  }
  join_ended();
  return dropped;
}

}
