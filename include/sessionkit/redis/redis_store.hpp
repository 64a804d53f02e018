// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>
#include <sessionkit/store_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How a Redis store talks to its servers, and how long it waits.
struct RedisStoreOptions {
  /// `turn` and `entry` require `appendonly yes` and `appendfsync always` of the server, `os` only the first.
  /// Each new connection checks this; a weaker server is `unsupported` unless `accept_weaker` is set.
  Durability durability = Durability::turn;
  bool accept_weaker = false; ///< accept a weaker server and report it by `on_event`
  /// How many replicas must have a durable append before it is acknowledged (WAIT). Absent: one if the server
  /// has any, else none.
  std::optional<unsigned> replicas = {};
  std::chrono::milliseconds connect_wait{2000}; ///< for one connection
  std::chrono::milliseconds wait{5000};         ///< for one call with its repetitions (failover, restarts)
  /// A whole session expires this long after its last append. Zero: as the URL says (`?ttl=SECONDS`), else
  /// never.
  std::chrono::milliseconds ttl{0};
  /// The prefix of all key names: up to 64 of `[A-Za-z0-9:._-]`.
  std::string prefix = "sessionkit:";
  std::uint64_t max_line = default_max_line; ///< longer lines are refused; bytes
  std::optional<Profile> profile = {};       ///< of new sessions; absent: native
  OnEvent on_event = {};
};

/// Sessions in Redis 5 or newer, or in a Redis Cluster: `redis://[user:password@]host[:port][/database]`,
/// with more hosts after commas, and `?cluster` and `ttl=SECONDS` at the end; user and password are
/// percent-encoded. Each append is one script and happens whole or not at all. After a lost connection, a
/// restart, a moved slot or a failover the call is safely repeated within `wait`. When that is over, it fails
/// with `unavailable` (nothing happened) or `outcome_unknown`. Any number of threads, stores and processes
/// may share the data. Removed sessions are gone. `invalid_argument` (the URL, the password), `unsupported`
/// (the server keeps less than `durability` asks; `rediss://`: this store has no TLS), `unsupported_version`,
/// `unavailable`. Part of the library `sessionkit::redis`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_redis_store(std::string const& url,
                                                                      RedisStoreOptions options = {});

/// Rebuilds the lists from the existing sessions, and answers how many there are. A call is rarely needed:
/// lists repair themselves when they are read, except for sessions whose keys another program removed.
SESSIONKIT_API Result<std::size_t> reindex_redis_store(std::string const& url, RedisStoreOptions options = {},
                                                       StoreProgress const& progress = {});

}}
