// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>
#include <sessionkit/store_options.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// Options of an SQLite store.
struct SqliteStoreOptions {
  Durability durability = Durability::turn;  ///< the promise of an acknowledged append
  std::chrono::milliseconds lock_wait{5000}; ///< the longest wait for other writers; then `timed_out`
  std::uint64_t max_line = default_max_line; ///< the longest line in bytes; longer lines are refused
  /// Create the file (mode 0600), its folder (0700) and the tables if they do not exist. If false, they are
  /// not created, and a file that cannot be written is opened only for reading.
  bool create = true;
  /// Continue a database that ZeroClaw made. If false, a database without this library's columns is refused.
  bool adopt = true;
  /// Upgrade tables of an earlier version to the newest one. If false, such tables are refused.
  bool upgrade = true;
  /// The profile of new sessions. If absent, it is the built-in profile with which the database was made. If
  /// the database was made with no built-in profile, it is `zeroclaw` in a database that ZeroClaw made, and
  /// `native` in any other database.
  std::optional<Profile> profile = {};
  OnEvent on_event = {}; ///< receives events, for example `database_adopted`; absent: they are dropped
  std::string vfs = {};  ///< the name of an SQLite VFS; empty means the default one
};

/// Opens one SQLite file as a store. This function is part of the library `sessionkit::sqlite`. The tables
/// `sessions`, `session_messages`, `session_state` and `session_index` have ZeroClaw's names;
/// `session_entries` holds the entries that are not messages.
///
/// Each append is one transaction in WAL mode. A durable append is synced (`synchronous=FULL`); any other
/// append survives the end of the process. Any number of threads, stores and processes may use the file. A
/// removed session is deleted; there is no trash.
///
/// The store continues a database of ZeroClaw, with or without a table `session_index`. It first copies the
/// database to `<path>.before-sessionkit` (with `-2`, ... if that name is taken). Then it adds columns, and
/// reports this by the event `database_adopted`. ZeroClaw's own queries give the same answers as before.
///
/// Errors: `not_found` (there is no file and `create` is false), `unsafe_path`, `corrupt`, `unsupported`
/// (tables of another program), `unsupported_version`, `timed_out`, `io_error`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_sqlite_store(std::string const& path,
                                                                       SqliteStoreOptions options = {});

}}
