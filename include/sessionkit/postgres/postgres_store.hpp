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

/// How a PostgreSQL store talks to its server, and how long it waits.
struct PostgresStoreOptions {
  Durability durability = Durability::turn;
  /// Use a server that does not keep what `durability` promises (`fsync = off`), and report it by `on_event`.
  /// If false, such a server is `unsupported`.
  bool accept_weaker = false;
  std::string schema = "sessionkit";              ///< where the tables are
  bool create = true;                             ///< create the schema and the tables
  std::chrono::milliseconds connect_wait{5000};   ///< for each host; a multiple of seconds, at least two
  std::chrono::milliseconds statement_wait{5000}; ///< for one answer, the wait for other writers included
  std::size_t connections = 8;                    ///< at most; a thread waits if none is free
  std::uint64_t max_line = default_max_line;      ///< longer lines are refused; bytes
  std::optional<Profile> profile = {};            ///< absent: native
  OnEvent on_event = {};
};

/// Sessions in a PostgreSQL database, in tables `sessions` and `entries` of a schema. `where` is what libpq
/// takes: a URL (`postgres://user@host/database`, `postgresql://host1,host2/database`) or `host=...
/// dbname=...`. Of several hosts the writable one is used, also after a failover. libpq finds what `where`
/// does not say (in its environment, in `~/.pgpass`). Each append is one transaction in one round trip. A
/// durable append waits until the server's log is flushed. Others survive the end of the process. They also
/// survive a crash of the server, unless it comes within the next second. A broken connection is opened
/// again, and an append in doubt is looked for by its ids; the result is `outcome_unknown` if that is not
/// possible. Any number of threads, stores and hosts may use the tables. Lines are UTF-8 without NUL bytes;
/// others are `invalid_argument`. Removed sessions are gone. Errors: `invalid_argument` (`where` cannot name
/// a server, or the server refuses the user), `not_found` (there is no such database, or there are no tables
/// and `create` is false), `unsupported` (another encoding than UTF-8, tables of another program, no
/// durability), `unsupported_version`, `unavailable`, `timed_out`, `io_error`. Part of the library
/// `sessionkit::postgres`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_postgres_store(std::string const& where,
                                                                         PostgresStoreOptions options = {});

}}
