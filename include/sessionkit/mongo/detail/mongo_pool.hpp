// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/mongo/detail/mongo_connection.hpp>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Connections that threads use in turn. They are opened when they are needed. The pool of libmongoc is not
/// used, because it would start threads.
class MongoPool {
 public:
  MongoPool(MongoSettings settings, std::size_t most, MongoConnection first)
      : settings_(std::move(settings)), most_(most) {
    idle_.push_back(std::move(first));
  }

  /// A connection that a thread has borrowed. The destructor returns the connection to the pool.
  class Lease {
   public:
    Lease(MongoPool& pool, MongoConnection connection) : pool_(&pool), connection_(std::move(connection)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
    Lease& operator=(Lease&&) = delete;
    Lease(Lease const&) = delete;
    Lease& operator=(Lease const&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(connection_));
    }
    MongoConnection& operator*() noexcept { return connection_; }

   private:
    MongoPool* pool_;
    MongoConnection connection_;
  };

  enum class Wanted { any, fresh };
  /// Lends a connection. If `wanted` is `fresh`, first closes the idle connections, because they may be
  /// broken like the last one. Fails with `timed_out` if other threads keep all connections until the
  /// deadline.
  Result<Lease> take(MongoDeadline deadline, Wanted wanted);
  /// Forgets all connections without closing them, because they belong to the parent process.
  void abandon() noexcept;

 private:
  Result<std::vector<MongoConnection>> idle_or_place(MongoDeadline deadline, Wanted wanted);
  void give_back(MongoConnection connection) noexcept;

  MongoSettings settings_;
  std::size_t most_, open_ = 1;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<MongoConnection> idle_;
};

}}}
