// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/file_store.hpp>
#include <sessionkit/session_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How a Redis store asks its servers, and for how long.
struct RedisStoreOptions {
  /// `turn` and `entry` ask of the server `appendonly yes` and `appendfsync always`, `os` the first alone.
  /// Each new connection looks; a server that does less is refused (`unsupported`), unless `accept_weaker`.
  Durability durability = Durability::turn;
  bool accept_weaker = false; ///< take what the server does and tell it by `on_event`
  /// How many replicas have a durable append before it is acknowledged (WAIT). Absent: one where the server
  /// has any, else none.
  std::optional<unsigned> replicas = {};
  std::chrono::milliseconds connect_wait{2000}; ///< for one connection
  std::chrono::milliseconds wait{5000}; ///< for one call, its repetitions (failover, restarts) included
  /// A session goes this long after its last append, all of it at once. Zero: never.
  std::chrono::milliseconds ttl{0};
  /// What the names of all keys begin with: up to 64 of `[A-Za-z0-9:._-]`.
  std::string prefix = "sessionkit:";
  std::uint64_t max_line = std::uint64_t{64} << 20; ///< longer lines are refused; bytes
  std::optional<Profile> profile = {};              ///< of new sessions; absent: native
  OnEvent on_event = {};
};

/// Sessions in Redis 5 or newer, or in a Redis Cluster: `redis://[user:password@]host[:port][/database]`,
/// more hosts behind commas, `?cluster` behind all of it; user and password are percent-encoded. Each append
/// is one script and happens whole or not at all. A lost connection, a restart, a slot that moved and a
/// failover are waited for and the call is repeated, safely, within `wait`; then it is `unavailable` (nothing
/// happened) or `outcome_unknown`. Any number of threads, stores and processes may share the data. Removed
/// sessions are gone. `invalid_argument` (the URL, the password), `unsupported` (the server keeps less than
/// `durability` asks; `rediss://`: this store has no TLS), `unsupported_version`, `unavailable`. Part of
/// the library `sessionkit::redis`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_redis_store(std::string const& url,
                                                                      RedisStoreOptions options = {});

/// Makes the lists anew from the sessions that are there, and answers how many that is. Nobody has to call
/// it: lists mend themselves where they are read, but for what a program lost its keys of.
SESSIONKIT_API Result<std::size_t> reindex_redis_store(std::string const& url, RedisStoreOptions options = {},
                                                       StoreProgress const& progress = {});

}}
