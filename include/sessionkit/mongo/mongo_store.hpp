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

/// Options of a MongoDB store.
struct MongoStoreOptions {
  /// Every append has the write concern `majority`. A durable append also waits for the servers' journals
  /// (`j: true`).
  Durability durability = Durability::turn;
  std::chrono::milliseconds connect_wait{2000}; ///< the longest wait for one connection
  std::chrono::milliseconds wait{
      5000}; ///< the longest time of one call with its repetitions (failover, restarts)
  /// The server removes a session when this time has passed since its last append (TTL indexes). Zero means
  /// never.
  std::chrono::milliseconds ttl{0};
  std::size_t connections = 8; ///< the maximum number; a thread waits if no connection is free
  /// The prefix of the names of the two collections: at most 64 characters of `[A-Za-z0-9._-]`. The first one
  /// is a letter.
  std::string prefix = "sessionkit_";
  std::uint64_t max_line = default_max_line; ///< the longest line, in bytes; longer lines are refused
  std::optional<Profile> profile = {};       ///< the profile of new sessions; absent: native
  OnEvent on_event = {}; ///< receives the events of the store; at present the store has no events
};

/// Opens a store in a MongoDB database. This function is part of the library `sessionkit::mongo`. libmongoc
/// reads the URL: `mongodb://[user:password@]host[:port][,host...][/database][?options]` or
/// `mongodb+srv://...`. If the URL names no database, the database is `sessionkit`.
///
/// Each batch is one document. Its unique key consists of the session and the position before the batch. So
/// an append is one insert without a transaction. If two writers append at the same position, only one of
/// them succeeds. After the insert, the store updates the session's row. If this update is interrupted, the
/// next `info`, `read` or append completes it.
///
/// After a lost connection, a restart or a failover, the store safely repeats the call within `wait`. After
/// this time the call fails with `unavailable` (nothing happened) or `outcome_unknown`. Any number of
/// threads, stores and processes may share the data. A removed session is deleted; there is no trash.
///
/// Errors: `invalid_argument` (the URL, the user or the prefix is wrong), `unsupported_version`,
/// `unavailable`, `timed_out`, `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_mongo_store(std::string const& url,
                                                                      MongoStoreOptions options = {});

}}
