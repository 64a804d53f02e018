// SPDX-License-Identifier: MIT
// Runs statements of SQLite on one connection and turns its codes into errors.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/sqlite/detail/database.hpp>

#include <sqlite3.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace database_inl { namespace {

struct SqliteMeaning {
  int code; ///< primary result code
  Errc errc;
  std::string_view fix;
};
constexpr SqliteMeaning sqlite_meanings[] = {
    {SQLITE_BUSY, Errc::timed_out, "another process holds the database; try again"},
    {SQLITE_LOCKED, Errc::timed_out, "another connection holds the table; try again"},
    {SQLITE_PROTOCOL, Errc::timed_out, "other processes kept the lock of the log; try again"},
    {SQLITE_FULL, Errc::no_space, "the disk or quota is full; free some and try again"},
    {SQLITE_CORRUPT, Errc::corrupt, "the file is damaged; keep a copy, then use sqlite3's .recover"},
    {SQLITE_NOTADB, Errc::corrupt, "this is no SQLite database; name another file"},
    {SQLITE_TOOBIG, Errc::invalid_argument, "a text is larger than SQLite keeps; make it shorter"},
    {SQLITE_READONLY, Errc::io_error, "the file or its folder cannot be written; change its mode or owner"},
    {SQLITE_PERM, Errc::io_error, "the file may not be used; change its mode or owner"},
    {SQLITE_CANTOPEN, Errc::io_error, "the file or its log cannot be opened; look at its folder's mode"},
    {SQLITE_IOERR, Errc::io_error, "the system refused; look at the disk, then try again"},
};

// So that a name that looks like a URI is a name. Before a drive of Windows there is a `/` too.
std::string sqlite_uri(std::string_view path, bool immutable) {
  bool const is_absolute = root_length(path) > 0;
  std::string uri = is_absolute ? "file:///" : "file:./";
  if (is_absolute && root_length(path.substr(0, 1)) == 1) path.remove_prefix(1);
  for (char const c : path)
    if (c == '%' || c == '?' || c == '#')
      uri += detail::format_text("%{:02X}", static_cast<unsigned>(c));
    else
      uri += c;
  return immutable ? uri + "?immutable=1" : uri;
}

// SQLite's own pauses grow to 100 ms, and during them a program that writes without end always gets the lock.
int sqlite_wait_for_others(void* to, int tries) {
  auto& wait = *static_cast<SqliteWait*>(to);
  if (tries == 0) wait.waited = {};
  if (wait.waited >= wait.most) return 0;
  wait.random = wait.random * 1664525U + 1013904223U; // waiting programs must not stay in step
  std::chrono::milliseconds const pause{1 + (wait.random >> 16) % 5};
  sqlite3_sleep(static_cast<int>(pause.count()));
  wait.waited += pause;
  return 1;
}

// For other failures SQLite would report the errno of an earlier one.
bool has_errno(int primary) noexcept { return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN; }

}}

void CloseSqlite::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }
void FinalizeSqlite::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Error SqliteDatabase::failure(std::string_view doing) const {
  int const primary = sqlite3_errcode(handle_.get()) & 0xFF;
  int const system = database_inl::has_errno(primary) ? sqlite3_system_errno(handle_.get()) : 0;
  if (primary == SQLITE_NOMEM) detail::out_of_memory();
  std::string text = detail::format_text("{}: cannot {}: {}", path_, doing, sqlite3_errmsg(handle_.get()));
  for (database_inl::SqliteMeaning const& meaning : database_inl::sqlite_meanings)
    if (meaning.code == primary)
      return Error{meaning.errc, system,
                   primary == SQLITE_BUSY
                       ? detail::format_text("{} within {} ms: {}", text, wait_->most.count(), meaning.fix)
                       : detail::format_text("{}: {}", text, meaning.fix)};
  return detail::make_error(Errc::io_error, system,
                            "{}: the tables are not as they were; open the store again", text);
}

Result<SqliteDatabase> SqliteDatabase::open(std::string const& path, Options const& options) {
  SqliteDatabase database;
  database.path_ = path;
  database.options_ = options;
  std::uint32_t seed = 0;
  sqlite3_randomness(sizeof seed, &seed);
  database.wait_ = std::make_unique<SqliteWait>(SqliteWait{options.wait, {}, seed});
  std::string const name = database_inl::sqlite_uri(path, options.immutable);
  int const flags = (options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
                    | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_URI;
  sqlite3* handle = nullptr;
  int const result =
      sqlite3_open_v2(name.c_str(), &handle, flags, options.vfs.empty() ? nullptr : options.vfs.c_str());
  database.handle_.reset(handle);
  if (handle == nullptr) detail::out_of_memory();
  if (result != SQLITE_OK) return database.failure("open it");
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, database_inl::sqlite_wait_for_others,
                       database.wait_.get()); // before anything that may wait
  return database;
}

Result<sqlite3_stmt*> SqliteDatabase::prepared(SqliteStatement const& statement) {
  auto& kept = statements_[statement.sql];
  if (!kept) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v3(handle_.get(), statement.sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr)
        != SQLITE_OK)
      return failure(statement.doing);
    kept.reset(made);
  }
  return kept.get();
}

Result<void> SqliteDatabase::run(SqliteStatement const& statement) {
  if (sqlite3_exec(handle_.get(), statement.sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure(statement.doing);
  return {};
}

bool SqliteDatabase::is_read_only() const noexcept { return sqlite3_db_readonly(handle_.get(), "main") == 1; }
bool SqliteDatabase::in_transaction() const noexcept { return sqlite3_get_autocommit(handle_.get()) == 0; }
int SqliteDatabase::changed() const noexcept { return sqlite3_changes(handle_.get()); }

void SqliteDatabase::abandon() noexcept {
  for (auto& [sql, statement] : statements_) static_cast<void>(statement.release());
  static_cast<void>(handle_.release());
}

SqliteQuery::SqliteQuery(SqliteDatabase& database, SqliteStatement const& statement)
    : database_(&database), doing_(statement.doing) {
  Result<sqlite3_stmt*> const prepared = database.prepared(statement);
  if (prepared)
    statement_ = *prepared;
  else
    failure_ = prepared.error();
}

SqliteQuery::~SqliteQuery() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_); // an open one would keep its transaction
  sqlite3_clear_bindings(statement_);
}

void SqliteQuery::fail() {
  if (!failure_) failure_ = database_->failure(doing_);
}

SqliteQuery& SqliteQuery::with(std::int64_t value) {
  if (!failure_ && sqlite3_bind_int64(statement_, ++next_, value) != SQLITE_OK) fail();
  return *this;
}
SqliteQuery& SqliteQuery::with(std::string_view text) {
  char const* const bytes = text.data() != nullptr ? text.data() : "";
  if (!failure_
      && sqlite3_bind_text64(statement_, ++next_, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8)
             != SQLITE_OK)
    fail();
  return *this;
}
SqliteQuery& SqliteQuery::with_or_null(std::optional<std::string_view> text) {
  if (text) return with(*text);
  if (!failure_ && sqlite3_bind_null(statement_, ++next_) != SQLITE_OK) fail();
  return *this;
}

bool SqliteQuery::row() {
  if (failure_ || ended_) return false;
  int const result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  ended_ = true;
  if (result != SQLITE_DONE) fail();
  return false;
}

Result<void> SqliteQuery::done() {
  while (row()) {}
  if (failure_) return *failure_;
  return {};
}

std::int64_t SqliteQuery::integer(int column) const { return sqlite3_column_int64(statement_, column); }
std::string_view SqliteQuery::text(int column) const {
  auto const* const bytes = static_cast<char const*>(sqlite3_column_blob(statement_, column));
  auto const size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes != nullptr ? std::string_view(bytes, size) : std::string_view();
}
bool SqliteQuery::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Result<void> SqliteTransaction::begin_reading() {
  return SqliteQuery(*database_, {"begin reading", "BEGIN"}).done();
}
Result<void> SqliteTransaction::begin_writing() {
  return SqliteQuery(*database_, {"begin writing", "BEGIN IMMEDIATE"}).done();
}
Result<void> SqliteTransaction::commit() { return SqliteQuery(*database_, {"commit", "COMMIT"}).done(); }
void SqliteTransaction::roll_back() noexcept {
  if (database_->in_transaction())
    (void)sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}}}
