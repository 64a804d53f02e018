// SPDX-License-Identifier: MIT
// Lends connections to threads and opens them when they are needed.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/mongo/detail/mongo_pool.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

// Takes an idle connection; none: the caller may open one.
Result<std::vector<MongoConnection>> MongoPool::idle_or_place(MongoDeadline deadline, Wanted wanted) {
  std::vector<MongoConnection> dead, taken; // the dead are closed after the lock is released
  std::unique_lock<std::mutex> lock(mutex_);
  if (!given_back_.wait_until(lock, deadline, [this] { return !idle_.empty() || open_ < most_; }))
    return detail::make_error(
        Errc::timed_out, "all {} connections were in use for too long; try again, or raise `connections`",
        most_);
  if (wanted == Wanted::fresh) {
    open_ -= idle_.size();
    dead.swap(idle_);
  }
  if (!idle_.empty()) {
    taken.push_back(std::move(idle_.back()));
    idle_.pop_back();
  } else {
    ++open_;
  }
  return taken;
}

Result<MongoPool::Lease> MongoPool::take(MongoDeadline deadline, Wanted wanted) {
  Result<std::vector<MongoConnection>> idle = idle_or_place(deadline, wanted);
  if (!idle) return idle.error();
  if (!idle->empty()) return Lease(*this, std::move(idle->front()));
  Result<MongoConnection> made = MongoConnection::open(settings_);
  if (made) return Lease(*this, std::move(*made));
  std::lock_guard<std::mutex> const lock(mutex_);
  --open_;
  given_back_.notify_one();
  return made.error();
}

void MongoPool::give_back(MongoConnection connection) noexcept {
  std::lock_guard<std::mutex> const lock(mutex_);
  bool kept = false;
  if (!connection.spent())
    detail::without_throwing([&] { // out of memory: the connection is closed
      idle_.push_back(std::move(connection));
      kept = true;
    });
  if (!kept) --open_;
  given_back_.notify_one();
}

void MongoPool::abandon() noexcept {
  for (MongoConnection& connection : idle_) connection.abandon();
}

}}}
