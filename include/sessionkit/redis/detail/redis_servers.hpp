// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/redis/detail/redis_connection.hpp>

#include <map>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A script, and what the server calls it.
struct RedisScript {
  std::string_view text;
  std::string sha = {}; ///< empty: the server loads none
};

/// A call of a script: its keys are of one slot.
struct RedisCall {
  RedisScript const* script = nullptr;
  std::vector<std::string> keys = {};
  RedisCommand values = {};
};

/// A server's answer, and whether an earlier try of the same call may have been executed too.
struct RedisAnswer {
  RedisReply reply;
  bool repeated = false;
  std::string server = {};
};

/// The servers behind a URL: who has which slot, connections to them, and the repetition of what got no
/// answer. Calls must be safe to repeat. Safe to use from several threads at once.
class RedisServers {
 public:
  struct Options {
    std::chrono::milliseconds connect_wait{2000};
    Durability durability = Durability::turn;
    bool accept_weaker = false;
    std::optional<unsigned> replicas = {};
    bool ttl = false; ///< keys go by themselves
    OnEvent on_event = {};
  };
  RedisServers(RedisPlace place, Options options);

  RedisPlace const& place() const noexcept { return place_; }
  /// Learns who is there, and what they call the scripts.
  Result<void> open(std::vector<RedisScript*> const& scripts, RedisDeadline deadline);

  /// `unavailable`: it was not executed; `outcome_unknown`: it may have been. `replicated`: as many replicas
  /// as the options say have it, else `outcome_unknown`.
  Result<RedisAnswer> call(RedisCall const& call, RedisDeadline deadline, bool replicated = false);
  /// Calls that only read, in one go for each server; each has an answer or a failure of its own.
  std::vector<Result<RedisReply>> call_all(std::vector<RedisCall> const& calls, RedisDeadline deadline);
  /// The servers that have slots.
  Result<std::vector<RedisAddress>> masters(RedisDeadline deadline);
  /// One command to one server.
  Result<RedisReply> ask_one(RedisAddress const& address, RedisCommand const& command,
                             RedisDeadline deadline);

 private:
  using Connection = std::unique_ptr<RedisConnection>;
  struct Route {
    RedisAddress address;
    bool asking = false;
  };
  struct Try;

  Result<Connection> take(RedisAddress const& address, RedisDeadline deadline);
  void give_back(Connection connection);
  void forget(RedisAddress const& address);
  Result<void> check_level(RedisConnection const& connection);
  Result<RedisAddress> server_of(unsigned slot, RedisDeadline deadline);
  Result<RedisAddress> first_master(RedisDeadline deadline);
  Result<void> learn_slots(RedisDeadline deadline);
  Result<void> learn_slots_from(RedisAddress const& address, RedisDeadline deadline);
  void move_slot(unsigned slot, RedisAddress const& address);
  void attempt(RedisCall const& call, RedisDeadline deadline, bool replicated, Try& state);
  void sort_out(RedisReply const& reply, Try& state);
  std::vector<std::size_t> ask_together(RedisAddress const& address, std::vector<std::size_t> const& which,
                                        std::vector<RedisCall> const& calls, RedisDeadline deadline,
                                        std::vector<Result<RedisReply>>& answers);
  Result<void> load(RedisAddress const& address, std::vector<RedisScript*> const& scripts,
                    RedisDeadline deadline);
  Result<void> load_anywhere(std::vector<RedisScript*> const& scripts, RedisDeadline deadline);

  RedisPlace place_;
  Options options_;
  std::mutex mutex_;
  std::map<RedisAddress, std::vector<Connection>> idle_;
  std::vector<RedisAddress> known_;        // servers that were ever named
  std::map<unsigned, RedisAddress> slots_; // the last slot of each range, and who has it
  bool slots_known_ = false, weaker_told_ = false;
};

/// A server's refusal in our words.
Error redis_refusal(std::string_view server, std::string_view text);

}}}
