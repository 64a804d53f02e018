// SPDX-License-Identifier: MIT
// Makes the file of a database, and opens it with its tables and its log.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/sqlite/detail/sqlite_file.hpp>

#include <sqlite3.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace sqlite_file_inl { namespace {

// SQLite does not wait for others when it changes the journal mode.
Result<void> use_write_ahead_log(SqliteDatabase& db, std::chrono::milliseconds wait) {
  constexpr int pause_ms = 5;
  for (std::int64_t waited = 0;; waited += pause_ms) {
    SqliteQuery query(db, {"switch to a write-ahead log", "PRAGMA journal_mode = WAL"});
    bool const switched = query.row() && query.text(0) == "wal";
    if (switched) return {};
    if (!query.failed())
      return make_error(Errc::unsupported,
                        "{}: its file system cannot share a write-ahead log; keep it on a local disk",
                        db.path());
    if (query.error().code != Errc::timed_out || waited >= wait.count()) return query.error();
    sqlite3_sleep(pause_ms);
  }
}

// A checkpoint waits for two syncs, so we make fewer than SQLite, which makes one every 1,000 pages. The
// log's index has parts of 4,062 pages; while it is one part, a reader looks in no other.
Result<void> set_checkpoints(SqliteDatabase& db) {
  return db.run({"set how long the log may grow", "PRAGMA wal_autocheckpoint = 4000"});
}

// On macOS a sync leaves the bytes in the memory of the disk, unless this is set. Elsewhere it changes
// nothing.
Result<void> set_syncs(SqliteDatabase& db) { return db.run({"set what a sync is", "PRAGMA fullfsync = ON"}); }

// True if the file has no log and can get none: then only the file itself is read.
bool is_sealed_off(std::string const& path, std::string const& folder) {
  FileStatus log;
  return system_file_ops().status_at(working_directory, (path + "-wal").c_str(), log) < 0
         && !may_write(folder.c_str());
}

}}

// Makes the folder, and the file with our mode: SQLite would take the mode from the umask.
Result<SqliteFile> prepare_sqlite_file(std::string const& path, bool create) {
  if (path.empty() || path == ":memory:")
    return make_error(Errc::invalid_argument,
                      "a database in memory lives as long as its connection; use make_memory_store");
  FileOps& ops = system_file_ops();
  auto const opened = open_store_directory(ops, parent_directory(path), create);
  if (!opened) return opened.error();
  auto const refused = [&](Errc code, int result, char const* why) {
    return make_error(code, -result, "{}: {}", path, why);
  };
  FileStatus found;
  int looked = ops.status_at(working_directory, path.c_str(), found);
  if (looked < 0) {
    if (fault_of(looked) != SystemFault::missing)
      return refused(Errc::io_error, looked, "cannot look at the file; change its folder's mode");
    if (!create)
      return refused(Errc::not_found, looked, "there is no such database; create it or name another");
    OpenFlags const flags = OpenFlags::read | OpenFlags::write | OpenFlags::only_new;
    int const made = ops.open(working_directory, path.c_str(), flags);
    OpenFile(ops, made).reset(); // at once, because closing it drops the locks of this process on the file
    if (made < 0 && fault_of(made) != SystemFault::exists)
      return refused(Errc::io_error, made, "cannot make the file");
    looked = ops.status_at(working_directory, path.c_str(), found);
    if (looked < 0) return refused(Errc::io_error, looked, "cannot look at the file made");
  }
  if (found.kind != FileStatus::regular)
    return refused(Errc::unsafe_path, 0, "not a regular file; name the database itself, no link");
  return SqliteFile{found.device, found.inode};
}

// A foreign database stays as it is: we change its journal mode only after we recognised its tables.
Result<OpenSqlite> open_known_sqlite(std::string const& path, SqliteStoreOptions const& options) {
  SqliteDatabase::Options how;
  how.wait = options.lock_wait;
  how.vfs = options.vfs;
  Result<SqliteDatabase> db = SqliteDatabase::open(path, how);
  if (!db) return db.error();
  how.read_only = db->is_read_only() && !options.create;
  if (how.read_only) {
    how.immutable = sqlite_file_inl::is_sealed_off(path, parent_directory(path));
    db = SqliteDatabase::open(path, how);
    if (!db) return db.error();
  }
  Result<SqliteSchema> schema =
      prepare_sqlite_schema(*db, {options.create, options.adopt, options.upgrade,
                                  options.profile ? options.profile->name : std::string_view()});
  if (!schema) return schema.error();
  if (!how.read_only)
    if (auto r = sqlite_file_inl::use_write_ahead_log(*db, options.lock_wait); !r) return r.error();
  if (auto r = sqlite_file_inl::set_checkpoints(*db); !r) return r.error();
  if (auto r = sqlite_file_inl::set_syncs(*db); !r) return r.error();
  return OpenSqlite{std::move(*db), std::move(how), std::move(*schema)};
}

}}}
