// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/file_store.hpp>
#include <sessionkit/session_store.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 {

/// How an SQLite store opens its file, and how long it waits.
struct SqliteStoreOptions {
  Durability durability = Durability::turn;
  std::chrono::milliseconds lock_wait{5000};        ///< how long to wait for other writers: then `timed_out`
  std::uint64_t max_line = std::uint64_t{64} << 20; ///< longer lines are refused; bytes
  /// Make the file (mode 0600), its folder (0700) and the tables. Without, a file that cannot be written is
  /// opened for reading.
  bool create = true;
  bool adopt =
      true; ///< continue a database of ZeroClaw's; without, one that has no columns of ours is refused
  std::optional<Profile> profile = {}; ///< absent: ZeroClaw's in its databases, else native
  OnEvent on_event = {};
  std::string vfs = {}; ///< name of an SQLite VFS; empty: the default one
};

/// Sessions in one SQLite file: tables `sessions`, `session_messages`, `session_state`, `session_index` as
/// ZeroClaw names them, and `session_entries` for what is no message. Each append is one transaction in WAL
/// mode; a durable one is synced (`synchronous=FULL`), others survive the end of the process. Any number of
/// threads, stores and processes may use the file. A database of ZeroClaw's, with `session_index` or without,
/// is continued: a copy is kept beside it as `<path>.before-sessionkit` (`-2`, ... where one is there),
/// columns are added, its own queries answer as before, and `Event::database_adopted` tells. Removed sessions
/// are gone. `not_found` (and not `create`), `unsafe_path`, `corrupt`, `unsupported` (tables of another
/// program), `unsupported_version`, `timed_out`, `io_error`. Part of the library `sessionkit::sqlite`.
SESSIONKIT_API Result<std::shared_ptr<SessionStore>> open_sqlite_store(std::string const& path,
                                                                       SqliteStoreOptions options = {});

}}
