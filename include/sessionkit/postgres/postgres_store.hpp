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

/// Options of a PostgreSQL store.
struct PostgresStoreOptions {
  Durability durability = Durability::turn; ///< the promise of an acknowledged append
  /// True: also use a server that promises less than `durability` demands (`fsync = off`), and report this by
  /// `on_event`. False: such a server gives `unsupported`.
  bool accept_weaker = false;
  std::string schema = "sessionkit"; ///< the schema that has the tables
  bool create = true;                ///< create the schema and the tables if they do not exist
  std::chrono::milliseconds connect_wait{
      5000}; ///< the longest wait for each host; rounded up to whole seconds, at least two
  std::chrono::milliseconds statement_wait{
      5000};                   ///< the longest wait for an answer, including the wait for other writers
  std::size_t connections = 8; ///< the maximum number; a thread waits if no connection is free
  std::uint64_t max_line = default_max_line; ///< the longest line, in bytes; longer lines are refused
  std::optional<Profile> profile = {};       ///< the profile of new sessions; absent: native
  OnEvent on_event = {};                     ///< receives `durability_lowered`; absent: it is dropped
};

/// Opens a store in a PostgreSQL database. This function is part of the library `sessionkit::postgres`. The
/// sessions are in the tables `sessions` and `entries` of a schema.
///
/// `where` is a connection string of libpq: a URL (`postgres://user@host/database`,
/// `postgresql://host1,host2/database`) or `host=... dbname=...`. If there are several hosts, the store uses
/// the writable one, also after a failover. libpq takes settings that the string does not contain from
/// environment variables and from `~/.pgpass`.
///
/// Each append is one transaction in one round trip. A durable append waits until the server has flushed its
/// write-ahead log. Any other append survives the end of this process; a crash of the server within the next
/// second may lose it. If a connection breaks during an append, the store connects again and looks whether
/// the ids of the append are in the log. If that is not possible, the append fails with `outcome_unknown`.
/// Any number of threads, stores and hosts may use the tables. A removed session is deleted; there is no
/// trash.
///
/// A line must be UTF-8 without NUL bytes; any other line is refused with `invalid_argument`. Errors:
/// `invalid_argument` (`where` cannot name a server, or the server refuses the user), `not_found` (there is
/// no such database, or there are no tables and `create` is false), `unsupported` (an encoding other than
/// UTF-8, tables of another program, or a server that promises less than `durability` demands),
/// `unsupported_version`, `unavailable`, `timed_out`, `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_postgres_store(std::string const& where,
                                                                         PostgresStoreOptions options = {});

}}
