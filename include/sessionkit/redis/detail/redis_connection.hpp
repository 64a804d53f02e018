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

/// A command: texts in order.
class RedisCommand {
 public:
  RedisCommand() = default;
  /// The bytes are not copied: they live until the command does not.
  RedisCommand& with(std::string_view text) { return texts_.push_back(text), *this; }
  RedisCommand& with(char const* text) { return with(std::string_view(text)); }
  RedisCommand& with(std::string&& text) {
    return with(std::string_view(kept_.emplace_back(std::move(text))));
  }
  RedisCommand& with(std::int64_t number) { return with(std::to_string(number)); }
  std::vector<std::string_view> const& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::list<std::string> kept_; // its elements stay where they are when it is moved
};

/// What a server answered.
class RedisReply {
 public:
  RedisReply() = default;
  explicit RedisReply(redisReply* owned) noexcept;

  bool is_error() const noexcept;
  bool is_nil() const noexcept;
  /// Of an error too; empty for what has no text.
  std::string_view text() const noexcept;
  /// Of a number, also where it came as text; 0 for what is none.
  std::int64_t integer() const noexcept;
  std::size_t size() const noexcept;
  /// An element of an array; nil where there is none. Lives as long as this.
  RedisReply at(std::size_t i) const noexcept;

 private:
  struct Free {
    void operator()(redisReply* reply) const noexcept;
  };
  std::shared_ptr<redisReply> owned_;
  redisReply const* reply_ = nullptr;
};

/// What a server does with what it acknowledges.
struct RedisServerState {
  enum Keeps { in_memory, in_system, on_disk };
  Keeps keeps = in_memory;
  std::string why = {}; ///< the setting that decides
  enum Drops { nothing, with_ttl, anything };
  Drops drops = nothing; ///< where its memory is short
  std::string policy = {};
  bool is_replica = false;
  unsigned replicas = 0;
};

/// One connection. One thread at a time.
class RedisConnection {
 public:
  /// Connected, let in and asked for its state. `unavailable`; `invalid_argument` if it does not let us in.
  static Result<std::unique_ptr<RedisConnection>> open(RedisAddress const& address, RedisPlace const& place,
                                                       RedisDeadline deadline);
  RedisConnection(RedisConnection const&) = delete;
  RedisConnection& operator=(RedisConnection const&) = delete;
  ~RedisConnection();

  RedisAddress const& address() const noexcept { return address_; }
  RedisServerState const& state() const noexcept { return state_; }
  /// Sends all, then takes a reply of each. `unavailable`: none was executed for sure; `outcome_unknown`:
  /// they were sent, and not all answered. Either way the connection is of no more use.
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
