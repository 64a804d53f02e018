// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/sqlite/detail/database.hpp>
#include <sessionkit/sqlite/detail/sqlite_schema.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <cstdint>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Identifies the file, whatever its name is.
struct SqliteFile {
  std::uint64_t device = 0, inode = 0;
  bool is(FileStatus const& found) const noexcept { return found.device == device && found.inode == inode; }
};

/// An open database: the connection for writing, the options for further connections, and the tables that
/// were found or made.
struct OpenSqlite {
  SqliteDatabase writer;
  SqliteDatabase::Options how;
  detail::SqliteSchema schema;
};

/// Makes the folder and the file if they are missing and `create` permits it. Fails with `invalid_argument`
/// (the path names no file), `not_found`, `unsafe_path` (a link, or no regular file) or `io_error`.
Result<SqliteFile> prepare_sqlite_file(std::string const& path, bool create);

/// Opens the database, and prepares its tables (see `prepare_sqlite_schema`) and its write-ahead log. A
/// database of another program stays unchanged.
Result<OpenSqlite> open_known_sqlite(std::string const& path, SqliteStoreOptions const& options);

}}}
