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

/// How a MongoDB store talks to its servers, and how long it waits.
struct MongoStoreOptions {
  /// Every append has the write concern `majority`. A durable one also waits for the servers' journals
  /// (`j: true`).
  Durability durability = Durability::turn;
  std::chrono::milliseconds connect_wait{2000}; ///< for one connection
  std::chrono::milliseconds wait{5000};         ///< for one call with its repetitions (failover, restarts)
  /// The server removes a session this long after its last append (TTL indexes). Zero: never.
  std::chrono::milliseconds ttl{0};
  std::size_t connections = 8; ///< at most; a thread waits if none is free
  /// The names of the two collections begin with this: up to 64 of `[A-Za-z0-9._-]`, first a letter.
  std::string prefix = "sessionkit_";
  std::uint64_t max_line = default_max_line; ///< longer lines are refused; bytes
  std::optional<Profile> profile = {};       ///< of new sessions; absent: native
  OnEvent on_event = {};
};

/// Sessions in a MongoDB database: `mongodb://[user:password@]host[:port][,host...][/database][?options]` or
/// `mongodb+srv://...`, as libmongoc reads it. Without a database in the URL it is `sessionkit`. A batch is
/// one document whose key is unique for the session and the position before its first entry. So an append is
/// one insert, of two writers at one position only one succeeds, and no transaction is needed. Then the row
/// of the session is moved on; if that is lost, the next `info`, `read` or append does it. After a lost
/// connection, a restart or a failover the call is safely repeated within `wait`. When that is over, it fails
/// with `unavailable` (nothing happened) or `outcome_unknown`. Any number of threads, stores and processes
/// may share the data. Removed sessions are gone. Errors: `invalid_argument` (the URL, the user, the prefix),
/// `unsupported_version`, `unavailable`, `timed_out`, `io_error`. Part of the library `sessionkit::mongo`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_mongo_store(std::string const& url,
                                                                      MongoStoreOptions options = {});

}}
