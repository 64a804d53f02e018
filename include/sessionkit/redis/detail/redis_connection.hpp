// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/redis/detail/redis_url.hpp>

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisContext;
struct redisReply;

namespace sessionkit { inline namespace v0 { namespace detail {

using RedisDeadline = std::chrono::steady_clock::time_point;

/// A command: its texts in order.
class RedisCommand {
 public:
  RedisCommand() = default;
  /// Adds the next text. The bytes are not copied, so they must exist until the command ends.
  RedisCommand& with(std::string_view text) { return texts_.push_back(text), *this; }
  RedisCommand& with(char const* text) { return with(std::string_view(text)); }
  RedisCommand& with(std::string&& text) {
    return with(std::string_view(kept_.emplace_back(std::move(text))));
  }
  RedisCommand& with(std::int64_t number) { return with(std::to_string(number)); }
  std::vector<std::string_view> const& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::list<std::string> kept_; // a move leaves the elements where they are
};

/// The reply of a server.
class RedisReply {
 public:
  RedisReply() = default;
  explicit RedisReply(redisReply* owned) noexcept;

  bool is_error() const noexcept;
  bool is_nil() const noexcept;
  /// The text of a string or an error; empty for other replies.
  std::string_view text() const noexcept;
  /// The number, also if it came as text; 0 for other replies.
  std::int64_t integer() const noexcept;
  std::size_t size() const noexcept;
  /// Returns an element of an array; nil if there is none. The element is valid as long as this reply exists.
  RedisReply at(std::size_t i) const noexcept;

 private:
  struct Free {
    void operator()(redisReply* reply) const noexcept;
  };
  std::shared_ptr<redisReply> owned_;
  redisReply const* reply_ = nullptr;
};

/// How a server treats data that it acknowledged.
struct RedisServerState {
  enum Keeps { in_memory, in_system, on_disk };
  Keeps keeps = in_memory;
  std::string why = {}; ///< the setting of the server that decides `keeps`
  enum Drops { nothing, with_ttl, anything };
  Drops drops = nothing; ///< the keys that the server removes when its memory is full
  std::string policy = {};
  bool is_replica = false;
  unsigned replicas = 0;
};

/// One connection. Only one thread may use it at a time.
class RedisConnection {
 public:
  /// Connects, logs in and reads the server's state. Fails with `unavailable`, or with `invalid_argument` if
  /// the server refuses the login.
  static Result<std::unique_ptr<RedisConnection>> open(RedisAddress const& address, RedisPlace const& place,
                                                       RedisDeadline deadline);
  RedisConnection(RedisConnection const&) = delete;
  RedisConnection& operator=(RedisConnection const&) = delete;
  ~RedisConnection();

  RedisAddress const& address() const noexcept { return address_; }
  RedisServerState const& state() const noexcept { return state_; }
  /// Sends all commands, then reads one reply for each. Fails with `unavailable` if it is certain that no
  /// command was executed, and with `outcome_unknown` if commands may have been executed. After either
  /// failure the connection cannot be used any more.
  Result<std::vector<RedisReply>> exchange(std::vector<RedisCommand const*> const& commands,
                                           RedisDeadline deadline);
  bool usable() const noexcept { return usable_; }

 private:
  explicit RedisConnection(RedisAddress address) : address_(std::move(address)) {}
  Result<void> connect(RedisDeadline deadline);
  Result<void> introduce(RedisPlace const& place, RedisDeadline deadline);
  Result<void> send_all(std::string_view bytes, RedisDeadline deadline);
  Result<RedisReply> receive(RedisDeadline deadline);
  Error failure(Errc code, std::string_view what) const;
  struct Free {
    void operator()(redisContext* context) const noexcept;
  };
  RedisAddress address_;
  std::unique_ptr<redisContext, Free> context_;
  RedisServerState state_;
  bool usable_ = true;
};

}}}
