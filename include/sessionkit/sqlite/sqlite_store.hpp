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

/// How an SQLite store opens its file, and how long it waits.
struct SqliteStoreOptions {
  Durability durability = Durability::turn;
  std::chrono::milliseconds lock_wait{5000}; ///< how long to wait for other writers before `timed_out`
  std::uint64_t max_line = default_max_line; ///< longer lines are refused; bytes
  /// Create the file (mode 0600), its folder (0700) and the tables. If false, a file that cannot be written
  /// is opened for reading.
  bool create = true;
  bool adopt = true; ///< continue a database of ZeroClaw's; if false, a database that has no columns of ours
                     ///< is refused
  bool upgrade = true; ///< bring tables of an earlier version to the newest one; if false, they are refused
  std::optional<Profile> profile = {}; ///< absent: ZeroClaw's in its databases, else native
  OnEvent on_event = {};
  std::string vfs = {}; ///< name of an SQLite VFS; empty: the default one
};

/// Sessions in one SQLite file: tables `sessions`, `session_messages`, `session_state`, `session_index` as
/// ZeroClaw names them, and `session_entries` for entries that are no message. Each append is one transaction
/// in WAL mode. A durable one is synced (`synchronous=FULL`); others survive the end of the process. Any
/// number of threads, stores and processes may use the file. A database of ZeroClaw, with `session_index` or
/// without, is continued: a copy is kept beside it as `<path>.before-sessionkit` (with `-2`, ... if that name
/// is taken), columns are added, ZeroClaw's own queries answer as before, and the event `database_adopted`
/// reports it. Removed sessions are gone. `not_found` (and not `create`), `unsafe_path`, `corrupt`,
/// `unsupported` (tables of another program), `unsupported_version`, `timed_out`, `io_error`. Part of the
/// library `sessionkit::sqlite`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_sqlite_store(std::string const& path,
                                                                       SqliteStoreOptions options = {});

}}
