// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/postgres/detail/connection.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Connections that threads use in turn. They are opened when they are needed.
class PostgresPool {
 public:
  PostgresPool(PostgresSettings settings, std::size_t most, PostgresConnection first)
      : settings_(std::move(settings)), most_(most) {
    idle_.push_back(std::move(first));
  }

  /// A connection that a thread has borrowed. The destructor returns the connection to the pool.
  class Lease {
   public:
    Lease(PostgresPool& pool, PostgresConnection connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    Lease(Lease const&) = delete;
    Lease& operator=(Lease const&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(connection_));
    }
    PostgresConnection& operator*() noexcept { return connection_; }
    PostgresConnection* operator->() noexcept { return &connection_; }

   private:
    PostgresPool* pool_;
    PostgresConnection connection_;
  };

  enum class Wanted { any, fresh };
  /// Lends a connection. If `wanted` is `fresh`, first closes the idle connections, because they may be
  /// broken like the last one. Fails with `timed_out` if other threads keep all connections for longer than
  /// `statement_wait`.
  Result<Lease> take(Wanted wanted = Wanted::any);
  /// Forgets all connections without closing them, because they belong to the parent process.
  void abandon() noexcept;

 private:
  Result<std::optional<PostgresConnection>> idle_or_place(Wanted wanted);
  void give_back(PostgresConnection connection) noexcept;

  PostgresSettings settings_;
  std::size_t most_, open_ = 1;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<PostgresConnection> idle_;
};

}}}
