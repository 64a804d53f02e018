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

/// How a PostgreSQL store asks its server, and for how long.
struct PostgresStoreOptions {
  Durability durability = Durability::turn;
  /// A server that does not keep what `durability` promises (`fsync = off`) is used all the same, and
  /// `on_event` is told; else it is `unsupported`.
  bool accept_weaker = false;
  std::string schema = "sessionkit";            ///< where the tables are
  bool create = true;                           ///< make the schema and the tables
  std::chrono::milliseconds connect_wait{5000}; ///< for each host; a multiple of seconds, at least two
  std::chrono::milliseconds statement_wait{
      5000};                   ///< for one answer, other writers included: then `timed_out`
  std::size_t connections = 8; ///< at most; a thread that finds none free waits
  std::uint64_t max_line = std::uint64_t{64} << 20; ///< longer lines are refused; bytes
  std::optional<Profile> profile = {};              ///< absent: native
  OnEvent on_event = {};
};

/// Sessions in a PostgreSQL database, in tables `sessions` and `entries` of a schema. `where` is what libpq
/// takes: a URL (`postgres://user@host/database`, `postgresql://host1,host2/database`) or `host=...
/// dbname=...`; of several hosts the one that can be written to is used, also after it was another. What
/// `where` does not say is libpq's to find (its environment, `~/.pgpass`). Each append is one transaction in
/// one round trip; a durable one waits for the server's log to be flushed, others survive the end of the
/// process and, unless the server itself crashes within the next second, that too. A connection that breaks
/// is made anew, and an append in doubt looked for by its ids; `outcome_unknown` is told where that is not
/// possible. Any number of threads, stores and hosts may use the tables. Lines are UTF-8 without NUL bytes:
/// others are `invalid_argument`. Removed sessions are gone. `invalid_argument` (no such way to name a
/// server, a user that it does not take), `not_found` (no such database; no tables, and not `create`),
/// `unsupported` (another encoding than UTF-8, tables of another program, no durability),
/// `unsupported_version`, `unavailable`, `timed_out`, `io_error`. Part of the library `sessionkit::postgres`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_postgres_store(std::string const& where,
                                                                         PostgresStoreOptions options = {});

}}
