// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/crc32c.hpp>
#include <sessionkit/detail/file_store.hpp>
#include <sessionkit/sqlite/detail/sqlite_log.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sessionkit { inline namespace v0 {

namespace {

using detail::SqliteDatabase;
using detail::SqliteQuery;
using detail::SqliteTables;
using detail::SqliteTransaction;

constexpr std::size_t refreshed_at_once = 64; // stale rows in one transaction

/// A connection, and the lock that makes threads take turns.
struct SqliteLane {
  std::mutex mutex;
  SqliteDatabase db;
};

class SqliteStore final : public SessionStore {
 public:
  SqliteStore(SqliteDatabase writer, SqliteDatabase reader, detail::SqliteSchema const& schema,
              SqliteStoreOptions options, Profile const& profile)
      : SessionStore(profile),
        options_(std::move(options)),
        process_(::getpid()),
        path_(writer.path()),
        tables_(schema),
        writer_{{}, std::move(writer)},
        reader_{{}, std::move(reader)} {}
  SqliteStore(SqliteStore const&) = delete;
  SqliteStore& operator=(SqliteStore const&) = delete;
  ~SqliteStore() override {
    if (::getpid() == process_) return;
    writer_.db.abandon(); // closing would give back locks that the parent holds
    reader_.db.abandon();
  }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override;

 private:
  Result<void> check_process() const;
  Result<void> set_level(bool durable);
  Result<Position> append_locked(SessionId const& id, Append const& batch);
  Result<detail::AppendPlan> decide(SessionId const& id, Append const& batch,
                                    std::optional<SqliteTables::Row> const& row);
  Result<void> commit(SqliteTransaction& transaction, SessionId const& id);
  Result<void> mend();
  Result<SessionInfo> refreshed(SessionId const& id);
  Result<void> refresh_stale();

  SqliteStoreOptions options_;
  pid_t process_;
  std::string path_;
  SqliteTables tables_;
  SqliteLane writer_, reader_;
  std::optional<bool> full_; ///< what the writer's level is
  bool doubtful_ = false;    ///< a commit failed: the log may hold what is not on the disk
};

// Before anything is committed, a failing disk left nothing behind.
Error sqlite_not_written(Error error) {
  if (error.code == Errc::io_error) error.code = Errc::not_written;
  return error;
}

Result<void> SqliteStore::check_process() const {
  if (::getpid() == process_) return {};
  return Error{Errc::forked, 0, path_ + ": the store was opened by the parent process; open one of your own"};
}

Result<void> SqliteStore::set_level(bool durable) {
  bool const full =
      options_.durability != Durability::os && (durable || options_.durability == Durability::entry);
  if (full_ == full) return {};
  full_.reset();
  if (auto r = writer_.db.run(full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"); !r)
    return r;
  full_ = full;
  return {};
}

// A commit failed, perhaps its sync: what the system has in memory only is brought to the disk another way,
// before anything else is called safe.
Result<void> SqliteStore::mend() {
  if (!doubtful_) return {};
  SqliteQuery query(writer_.db, "PRAGMA wal_checkpoint(TRUNCATE)");
  bool const busy = query.row() && query.integer(0) != 0;
  if (auto r = query.done(); !r)
    return Error{Errc::poisoned, r.error().system,
                 fmt::format("{} (a commit failed before; mend the disk and open the store again)",
                             r.error().message)};
  if (busy)
    return Error{Errc::timed_out, 0, path_ + ": others read while a failed commit is cleared; try again"};
  doubtful_ = false;
  return {};
}

Result<void> SqliteStore::commit(SqliteTransaction& transaction, SessionId const& id) {
  Result<void> const done = transaction.commit();
  if (done) return {};
  transaction.roll_back();
  Error error = done.error();
  if (error.code == Errc::timed_out || error.code == Errc::no_space)
    return error; // its last page is not written
  doubtful_ = true;
  error.code = Errc::outcome_unknown;
  error.message = fmt::format("session '{}': {}; whether it stands is not known: repeat it with the same ids",
                              id.str(), error.message);
  return error;
}

Result<detail::AppendPlan> SqliteStore::decide(SessionId const& id, Append const& batch,
                                               std::optional<SqliteTables::Row> const& row) {
  detail::AppendDecision decision(id, batch, row ? std::optional<detail::LogTail>(row->tail) : std::nullopt);
  if (decision.wants_line()) {
    std::optional<std::uint32_t> crc;
    auto const found =
        SqliteTables::each_up_to(writer_.db, id, *row, batch.expected, 1, [&](RecordPage::Item const& item) {
          if (item.end == batch.expected) crc = detail::crc32c(item.line);
          return false;
        });
    if (!found) return found.error();
    decision.line_at_expected(crc);
  }
  if (decision.wants_behind()) {
    constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
    auto const seen =
        SqliteTables::each_behind(writer_.db, id, *row, batch.expected, all,
                                  [&](RecordPage::Item const& item) { return decision.see(item); });
    if (!seen) return seen.error();
  }
  return decision.plan();
}

Result<Position> SqliteStore::append(SessionId const& id, Append const& batch) {
  if (auto r = check_process(); !r) return r.error();
  if (auto r = detail::check_lines(batch.records, {options_.max_line}, "session '" + id.str() + "'"); !r)
    return r.error();
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = mend(); !r) return r.error();
  if (auto r = set_level(batch.durable); !r) return sqlite_not_written(r.error());
  return append_locked(id, batch);
}

Result<Position> SqliteStore::append_locked(SessionId const& id, Append const& batch) {
  SqliteDatabase& db = writer_.db;
  SqliteTransaction transaction(db);
  if (auto r = transaction.begin_writing(); !r) return sqlite_not_written(r.error());
  Result<std::optional<SqliteTables::Row>> row = tables_.find(db, id);
  if (!row) return sqlite_not_written(row.error());
  SessionInfo info = make_session_info(id);
  if (*row && ((*row)->stale != 0 || batch.after == nullptr)) {
    Result<SessionInfo> known = tables_.summary(db, id, **row);
    if (!known) return sqlite_not_written(known.error());
    info = std::move(*known);
  }
  Result<detail::AppendPlan> const plan = decide(id, batch, *row);
  if (!plan) return sqlite_not_written(plan.error());
  if (plan->from == batch.records.size()) {
    if (!full_.value_or(false)) return plan->end;
    // A commit of anything syncs everything before it.
    auto r = SqliteQuery(db, "UPDATE sessionkit SET value = value + 1 WHERE name = 'syncs'").done();
    if (r) r = commit(transaction, id);
    if (!r) return r.error();
    return plan->end;
  }
  bool const starts = !*row || (*row)->tail.end == Position{};
  std::string_view const dialect =
      starts ? detail::dialect_of_first_line(batch.records.front().line) : (*row)->dialect;
  Result<std::vector<Position>> const ends = tables_.add(db, id, batch.records, plan->from, dialect);
  if (!ends) return sqlite_not_written(ends.error());
  info = detail::info_after(std::move(info), batch, *plan, *ends, dialect);
  if (!*row)
    if (auto r = tables_.create(db, id, info); !r) return sqlite_not_written(r.error());
  if (auto r = tables_.store(db, info, dialect, !starts && (*row)->adopted); !r)
    return sqlite_not_written(r.error());
  if (auto r = commit(transaction, id); !r) return r.error();
  return ends->back();
}

Result<RecordPage> SqliteStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = check_process(); !r) return r.error();
  std::lock_guard<std::mutex> const lock(reader_.mutex);
  SqliteDatabase& db = reader_.db;
  SqliteTransaction transaction(db); // the page and the end are of one moment
  if (auto r = transaction.begin_reading(); !r) return r.error();
  Result<std::optional<SqliteTables::Row>> const row = tables_.find(db, id);
  if (!row) return row.error();
  if (!*row) return detail::no_such_session(id, path_);
  Result<Position> const end = SqliteTables::end_of(db, id, **row);
  if (!end) return end.error();

  bool const backwards = range.order == ReadRange::newest_first;
  RecordPage page;
  page.dialect = (*row)->dialect;
  page.log_end = *end;
  page.next = std::min(range.from.value_or(backwards ? *end : Position{}), *end);
  std::size_t const most = std::max<std::size_t>(range.max_records, 1);
  std::size_t bytes = 0;
  auto const use = [&](RecordPage::Item const& item) {
    bytes += item.line.size();
    page.more = !page.items().empty() && (page.items().size() >= most || bytes > range.max_bytes);
    if (page.more) return false;
    page.add(item.end, item);
    page.next = backwards ? Position{item.end.value() - 1} : item.end;
    return true;
  };
  std::size_t const limit = std::min<std::size_t>(most, 1U << 30) + 1; // one more tells whether there is more
  Result<void> const done = backwards ? SqliteTables::each_up_to(db, id, **row, page.next, limit, use)
                                      : SqliteTables::each_behind(db, id, **row, page.next, limit, use);
  if (!done) return done.error();
  return page;
}

Result<SessionInfo> SqliteStore::info(SessionId const& id) {
  if (auto r = check_process(); !r) return r.error();
  {
    std::lock_guard<std::mutex> const lock(reader_.mutex);
    Result<std::optional<SqliteTables::Row>> row = tables_.find(reader_.db, id);
    if (!row) return row.error();
    if (!*row) return detail::no_such_session(id, path_);
    if ((*row)->stale == 0) return tables_.summary(reader_.db, id, **row);
  }
  return refreshed(id);
}

// Folds what another program wrote.
Result<SessionInfo> SqliteStore::refreshed(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = set_level(false); !r) return r.error();
  SqliteTransaction transaction(writer_.db);
  if (auto r = transaction.begin_writing(); !r) return r.error();
  Result<std::optional<SqliteTables::Row>> row = tables_.find(writer_.db, id);
  if (!row) return row.error();
  if (!*row) return detail::no_such_session(id, path_);
  Result<SessionInfo> info = tables_.summary(writer_.db, id, **row);
  if (!info) return info;
  if (auto r = transaction.commit(); !r) return r.error();
  return info;
}

Result<void> SqliteStore::refresh_stale() {
  constexpr char const* some = "SELECT session_id FROM sessions WHERE stale > 0 LIMIT ?1";
  {
    std::lock_guard<std::mutex> const lock(reader_.mutex);
    SqliteQuery query(reader_.db, some);
    query.with(std::int64_t{1});
    if (!query.row()) return query.failed() ? Result<void>(query.error()) : Result<void>{};
  }
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = set_level(false); !r) return r;
  for (;;) {
    SqliteTransaction transaction(writer_.db);
    if (auto r = transaction.begin_writing(); !r) return r;
    std::vector<std::string> names;
    {
      SqliteQuery query(writer_.db, some);
      query.with(static_cast<std::int64_t>(refreshed_at_once));
      while (query.row()) names.emplace_back(query.text(0));
      if (query.failed()) return query.error();
    }
    if (names.empty()) return {};
    for (std::string const& name : names) {
      Result<SessionId> const id = SessionId::parse(name);
      if (!id) { // no id that anybody can ask for: it stays the other program's
        auto r =
            SqliteQuery(writer_.db, "UPDATE sessions SET stale = 0 WHERE session_id = ?1").with(name).done();
        if (!r) return r;
        continue;
      }
      Result<std::optional<SqliteTables::Row>> row = tables_.find(writer_.db, *id);
      if (!row) return row.error();
      if (!*row) continue;
      if (Result<SessionInfo> const info = tables_.summary(writer_.db, *id, **row); !info)
        return info.error();
    }
    if (auto r = transaction.commit(); !r) return r;
  }
}

Result<SessionPage> SqliteStore::list(ListQuery const& query) {
  if (auto r = check_process(); !r) return r.error();
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  if (auto r = refresh_stale(); !r) return r.error();
  std::lock_guard<std::mutex> const lock(reader_.mutex);
  SqliteQuery rows(reader_.db, tables_.list_sql(query));
  for (auto const* value : {&query.key, &query.agent, &query.user})
    if (*value) rows.with(**value);
  if (query.archived) rows.with(std::int64_t{*query.archived});
  constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
  std::int64_t const at = *behind ? (*behind)->updated_ms : latest;
  rows.with(at).with(at).with(*behind ? (*behind)->id : std::string_view());
  rows.with(static_cast<std::int64_t>(std::min<std::size_t>(query.limit, 1U << 30)) + 1);
  std::vector<SessionInfo> found;
  while (rows.row())
    if (Result<SessionId> const id = SessionId::parse(rows.text(0)))
      found.push_back(detail::from_row_text(*id, rows.text(1)));
  if (rows.failed()) return rows.error();
  return detail::page_of_rows(std::move(found), query);
}

Result<void> SqliteStore::remove(SessionId const& id) {
  if (auto r = check_process(); !r) return r;
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = mend(); !r) return r;
  if (auto r = set_level(true); !r) return r;
  SqliteTransaction transaction(writer_.db);
  if (auto r = transaction.begin_writing(); !r) return r;
  Result<bool> const removed = tables_.remove(writer_.db, id);
  if (!removed) return removed.error();
  if (!*removed) return detail::no_such_session(id, path_);
  return commit(transaction, id);
}

// The folder, and the file with our mode: SQLite would make it as the umask says.
Result<void> prepare_sqlite_file(std::string const& path, bool create) {
  if (path.empty() || path == ":memory:")
    return Error{Errc::invalid_argument, 0,
                 "a database in memory lives as long as its connection; use make_memory_store"};
  std::size_t const slash = path.find_last_of('/');
  std::string const folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  auto const opened = detail::open_store_directory(detail::system_file_ops(), folder, create);
  if (!opened) return opened.error();
  struct stat found = {};
  auto const refused = [&](Errc code, char const* why) {
    return Error{code, errno, fmt::format("{}: {}", path, why)};
  };
  if (::lstat(path.c_str(), &found) == 0)
    return S_ISREG(found.st_mode)
               ? Result<void>{}
               : refused(Errc::unsafe_path, "not a regular file; name the database itself, no link");
  if (errno != ENOENT) return refused(Errc::io_error, "cannot look at the file; change its folder's mode");
  if (!create) return refused(Errc::not_found, "there is no such database; create it or name another");
  int const file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return errno == EEXIST ? Result<void>{} : refused(Errc::io_error, "cannot make the file");
  ::close(file);
  return {};
}

// SQLite does not wait for others where it changes the mode.
Result<void> use_write_ahead_log(SqliteDatabase& db, std::chrono::milliseconds wait) {
  constexpr int pause_ms = 5;
  for (std::int64_t waited = 0;; waited += pause_ms) {
    SqliteQuery query(db, "PRAGMA journal_mode = WAL");
    bool const switched = query.row() && query.text(0) == "wal";
    if (switched) return {};
    if (!query.failed())
      return Error{Errc::unsupported, 0,
                   fmt::format("{}: its file system cannot share a write-ahead log; keep it on a local disk",
                               db.path())};
    if (query.error().code != Errc::timed_out || waited >= wait.count()) return query.error();
    sqlite3_sleep(pause_ms);
  }
}

}

Result<std::shared_ptr<SessionStore>> open_sqlite_store(std::string const& path, SqliteStoreOptions options) {
  if (auto r = prepare_sqlite_file(path, options.create); !r) return r.error();
  SqliteDatabase::Options const how{false, options.lock_wait, options.vfs};
  Result<SqliteDatabase> writer = SqliteDatabase::open(path, how);
  if (!writer) return writer.error();
  if (auto r = use_write_ahead_log(*writer, options.lock_wait); !r) return r.error();
  Result<detail::SqliteSchema> const schema = detail::prepare_sqlite_schema(*writer);
  if (!schema) return schema.error();
  Result<SqliteDatabase> reader = SqliteDatabase::open(path, how);
  if (!reader) return reader.error();
  Profile const profile = options.profile ? *options.profile
                          : schema->ours  ? profiles::native
                                          : profiles::zeroclaw;
  return std::shared_ptr<SessionStore>(std::make_shared<SqliteStore>(std::move(*writer), std::move(*reader),
                                                                     *schema, std::move(options), profile));
}

}}
