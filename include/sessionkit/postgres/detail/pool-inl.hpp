// SPDX-License-Identifier: MIT
// Lends connections to threads and opens them when they are needed.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/postgres/detail/pool.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

// Takes an idle connection; absent: the caller may open one.
Result<std::optional<PostgresConnection>> PostgresPool::idle_or_place(Wanted wanted) {
  std::vector<PostgresConnection> dead; // closed after the lock is released
  std::unique_lock<std::mutex> lock(mutex_);
  auto const available = [this] { return !idle_.empty() || open_ < most_; };
  if (!given_back_.wait_for(lock, settings_.statement_wait, available))
    return detail::make_error(Errc::timed_out,
                              "all {} connections were in use for {} ms; try again, or raise `connections`",
                              most_, settings_.statement_wait.count());
  if (wanted == Wanted::fresh) {
    open_ -= idle_.size();
    dead.swap(idle_);
  }
  while (!idle_.empty()) {
    PostgresConnection last = std::move(idle_.back());
    idle_.pop_back();
    if (last.is_quiet()) return std::optional<PostgresConnection>(std::move(last));
    --open_;
    dead.push_back(std::move(last));
  }
  ++open_;
  return std::optional<PostgresConnection>{};
}

Result<PostgresPool::Lease> PostgresPool::take(Wanted wanted) {
  Result<std::optional<PostgresConnection>> idle = idle_or_place(wanted);
  if (!idle) return idle.error();
  if (*idle) return Lease(*this, std::move(**idle));
  Result<PostgresConnection> made = PostgresConnection::open(settings_);
  if (made) return Lease(*this, std::move(*made));
  std::lock_guard<std::mutex> const lock(mutex_);
  --open_;
  given_back_.notify_one();
  return made.error();
}

void PostgresPool::give_back(PostgresConnection connection) noexcept {
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

void PostgresPool::abandon() noexcept {
  for (PostgresConnection& connection : idle_) connection.abandon();
}

}}}
