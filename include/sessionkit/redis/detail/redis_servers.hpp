// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/event.hpp>
#include <sessionkit/redis/detail/redis_connection.hpp>
#include <sessionkit/store_options.hpp>

#include <map>
#include <mutex>

namespace sessionkit { inline namespace v0 { namespace detail {

/// A script, and the name that the servers give it.
struct RedisScript {
  std::string_view text;
  std::string sha = {}; ///< the name; empty if the server refuses to load scripts
};

/// A call of a script; all its keys are in one slot.
struct RedisCall {
  RedisScript const* script = nullptr;
  std::vector<std::string> keys = {};
  RedisCommand values = {};
};

/// A server's answer. `repeated` is true if an earlier attempt of the same call may have been executed.
struct RedisAnswer {
  RedisReply reply;
  bool repeated = false;
  std::string server = {};
};

/// The servers of a URL. This class knows which server has which slot, keeps connections, and repeats calls
/// that got no answer. So it must be safe to execute a call twice. Several threads may use an object at once.
class RedisServers {
 public:
  struct Options {
    std::chrono::milliseconds connect_wait{2000};
    Durability durability = Durability::turn;
    bool accept_weaker = false;
    std::optional<unsigned> replicas = {};
    bool ttl = false; ///< true: keys expire
    OnEvent on_event = {};
  };
  RedisServers(RedisPlace place, Options options);

  RedisPlace const& place() const noexcept { return place_; }
  /// Finds the servers and loads the scripts, so that calls can send the name of a script instead of its
  /// text.
  Result<void> open(std::vector<RedisScript*> const& scripts, RedisDeadline deadline);

  /// Calls a script. Fails with `unavailable` if the script was not executed, and with `outcome_unknown` if
  /// it may have been executed. If `replicated` is true, the call also fails with `outcome_unknown` if too
  /// few replicas (`RedisStoreOptions::replicas`) have the change.
  Result<RedisAnswer> call(RedisCall const& call, RedisDeadline deadline, bool replicated = false);
  /// Calls scripts that only read, in one round trip for each server. Each call has its own answer or
  /// failure.
  std::vector<Result<RedisReply>> call_all(std::vector<RedisCall> const& calls, RedisDeadline deadline);
  /// Returns the servers that have slots. Without a cluster, this is the one master.
  Result<std::vector<RedisAddress>> masters(RedisDeadline deadline);
  /// Sends one command to one server, and returns the reply.
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
  std::vector<RedisAddress> known_;        // servers of the URL and of the last list of slots
  std::map<unsigned, RedisAddress> slots_; // server of each range of slots, by its last slot
  bool slots_known_ = false, weaker_reported_ = false;
};

/// Returns the refusal of a server as an `Error`.
Error redis_refusal(std::string_view server, std::string_view text);

}}}
