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

/// Options of a Redis store.
struct RedisStoreOptions {
  /// `turn` and `entry` require that the server has `appendonly yes` and `appendfsync always`. `os` requires
  /// only `appendonly yes`. Each new connection checks these settings. A server with weaker settings is
  /// refused with `unsupported`, unless `accept_weaker` is true.
  Durability durability = Durability::turn;
  bool accept_weaker = false; ///< true: accept a weaker server, and report it by `on_event`
  /// The number of replicas that must have a durable append before it is acknowledged (the command WAIT). If
  /// absent, the number is one if the server has replicas, else zero.
  std::optional<unsigned> replicas = {};
  std::chrono::milliseconds connect_wait{2000}; ///< the longest wait for one connection
  /// The longest time of one call, including its repetitions after a failover or a restart.
  std::chrono::milliseconds wait{5000};
  /// A session expires as a whole when this time has passed since its last append. If zero, `?ttl=SECONDS` in
  /// the URL decides. If the URL has no `ttl`, sessions never expire.
  std::chrono::milliseconds ttl{0};
  /// The prefix of the names of all keys: at most 64 characters of `[A-Za-z0-9:._-]`.
  std::string prefix = "sessionkit:";
  std::uint64_t max_line = default_max_line; ///< the longest line in bytes; longer lines are refused
  std::optional<Profile> profile = {};       ///< the profile of new sessions; absent: native
  OnEvent on_event = {};                     ///< receives `durability_lowered`; absent: it is dropped
};

/// Opens a store in Redis 5 or newer, or in a Redis Cluster. This function is part of the library
/// `sessionkit::redis`. The URL has the form `redis://[user:password@]host[:port][/database]`. More hosts may
/// follow after commas. The URL may end in `?cluster`, in `?ttl=SECONDS`, or in both, joined by `&`. User and
/// password are percent-encoded.
///
/// Each append is one script, which happens completely or not at all. After a lost connection, a restart, a
/// moved slot or a failover, the store safely repeats the call until `wait` has passed. Then the call fails
/// with `unavailable` (nothing happened) or `outcome_unknown`. Any number of threads, stores and processes
/// may share the data. A removed session is deleted; there is no trash.
///
/// Errors: `invalid_argument` (the URL or the password is wrong), `unsupported` (the server promises less
/// than `durability` demands, or the URL begins with `rediss://`, because this store has no TLS),
/// `unsupported_version`, `unavailable`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_redis_store(std::string const& url,
                                                                      RedisStoreOptions options = {});

/// Rebuilds the lists of sessions from the existing sessions, and returns the number of sessions. A call is
/// rarely needed, because reading a list repairs the list. The exceptions are sessions whose Redis keys were
/// removed by another program.
SESSIONKIT_API Result<std::size_t> reindex_redis_store(std::string const& url, RedisStoreOptions options = {},
                                                       StoreProgress const& progress = {});

}}
