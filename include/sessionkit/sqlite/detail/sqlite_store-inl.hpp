// SPDX-License-Identifier: MIT
// Implements the store interface over one SQLite file.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/sqlite/detail/sqlite_file.hpp>
#include <sessionkit/sqlite/detail/sqlite_log.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <algorithm>
#include <limits>
#include <mutex>

#include <sqlite3.h>

namespace sessionkit { inline namespace v0 {

namespace sqlite_store_inl { namespace {

using detail::SqliteDatabase;
using detail::SqliteFile;
using detail::SqliteQuery;
using detail::SqliteTables;
using detail::SqliteTransaction;

constexpr std::size_t refreshed_at_once = 64; // stale rows in one transaction

/// A name under which SQLite opened a file: the database, or its log, or the log's index. SQLite removes the
/// last two only when the last connection closes.
struct SqliteName {
  std::string path;
  std::optional<SqliteFile> file = {}; ///< absent: it is not checked
};

/// A connection, and the lock by which threads take turns.
struct SqliteLane {
  std::mutex mutex;
  SqliteDatabase db;
};

class SqliteStore final : public SessionStore {
 public:
  SqliteStore(SqliteDatabase writer, SqliteDatabase reader, SqliteFile file,
              detail::SqliteSchema const& schema, SqliteStoreOptions options, Profile const& profile)
      : SessionStore(profile),
        options_(std::move(options)),
        process_(writer.path()),
        path_(writer.path()),
        database_{path_, file},
        log_{path_ + "-wal"},
        log_index_{path_ + "-shm"},
        tables_(schema),
        writer_{{}, std::move(writer)},
        reader_{{}, std::move(reader)} {
    if (!writer_.db.options().read_only) remember_log();
  }
  SqliteStore(SqliteStore const&) = delete;
  SqliteStore& operator=(SqliteStore const&) = delete;
  ~SqliteStore() override {
    if (process_.is_this_one()) {
      keep_strange_log();
      return;
    }
    writer_.db.abandon(); // closing would release locks that the parent holds
    reader_.db.abandon();
  }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override;
  Result<void> remove_permanently(SessionId const& id) override;

 private:
  void remember_log();
  void keep_strange_log() noexcept;
  Result<void> check_handle() const;
  Result<void> begin_writing(SqliteTransaction& transaction) const;
  Result<void> set_level(bool durable);
  Result<Position> append_locked(SessionId const& id, Append const& batch);
  Result<void> check_key(SessionId const& id, std::string_view key);
  static std::vector<SessionInfo> take_rows(SqliteQuery& rows);
  Result<detail::AppendPlan> decide(SessionId const& id, Append const& batch,
                                    std::optional<SqliteTables::Row> const& row);
  Result<void> check_end(SessionId const& id, SqliteTables::Row const& row, ReadRange const& range,
                         RecordPage const& page) const;
  Result<void> commit(SqliteTransaction& transaction, SessionId const& id);
  Result<void> reopen_if_needed();
  Result<SessionInfo> refreshed(SessionId const& id);
  Result<void> refresh_stale();
  Result<void> refresh_row(std::string const& name);

  SqliteStoreOptions options_;
  detail::OpeningProcess process_;
  std::string path_;
  SqliteName database_, log_, log_index_; ///< where nothing is written, only the first is checked
  SqliteTables tables_;
  SqliteLane writer_, reader_;
  std::optional<bool> full_; ///< the level that the writer was set to
  bool doubtful_ = false;    ///< a commit failed: the log may hold what is not on disk
};

// A disk that fails before the commit leaves nothing in the database.
Error sqlite_not_written(Error error) {
  if (error.code == Errc::io_error) error.code = Errc::not_written;
  return error;
}

int look(std::string const& path, detail::FileStatus& found) {
  return detail::system_file_ops().status_at_without_time(detail::working_directory, path.c_str(), found);
}

// SQLite itself goes on writing to a file that no longer has its name, and nobody would find it.
Result<void> check(SqliteName const& name) {
  if (!name.file) return {};
  detail::FileStatus found;
  int const looked = look(name.path, found);
  if (looked == 0 && name.file->is(found)) return {};
  return detail::make_error(Errc::poisoned, -looked,
                            "{}: the file was {} while it was open; open the store again", name.path,
                            looked == 0 ? "replaced" : "removed");
}

// SQLite has both files open from the first transaction on. Some of its file systems have no index of the
// log.
void SqliteStore::remember_log() {
  for (SqliteName* const name : {&log_, &log_index_})
    if (detail::FileStatus found; look(name->path, found) == 0)
      name->file = SqliteFile{found.device, found.inode};
}

// The last connection that closes writes its log into the database and removes the file of the log's name. If
// that is the log of another program, it must stay.
void SqliteStore::keep_strange_log() noexcept {
  detail::FileStatus found;
  if (!log_.file || look(log_.path, found) != 0 || log_.file->is(found)) return;
  for (SqliteDatabase* const db : {&writer_.db, &reader_.db})
    (void)sqlite3_db_config(db->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Result<void> SqliteStore::check_handle() const {
  if (auto r = process_.check(); !r) return r;
  for (SqliteName const* const name : {&database_, &log_, &log_index_})
    if (auto r = check(*name); !r) return r;
  return {};
}

// A writer with another index of the log would not wait for us. The log itself is checked after the commit.
Result<void> SqliteStore::begin_writing(SqliteTransaction& transaction) const {
  Result<void> begun = transaction.begin_writing();
  if (begun) begun = check(database_);
  return begun ? check(log_index_) : begun;
}

Result<void> SqliteStore::set_level(bool durable) {
  bool const full =
      options_.durability != Durability::os && (durable || options_.durability == Durability::entry);
  if (full_ == full) return {};
  full_.reset();
  if (auto r = writer_.db.run(
          {"set what is synced", full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"});
      !r)
    return r;
  full_ = full;
  return {};
}

// A commit failed, maybe its sync. What is only in the system's memory is written to the disk another way
// before any other data is called safe.
Result<void> SqliteStore::reopen_if_needed() {
  if (!doubtful_) return {};
  SqliteQuery query(writer_.db, {"bring the log to the disk", "PRAGMA wal_checkpoint(TRUNCATE)"});
  bool const busy = query.row() && query.integer(0) != 0;
  if (auto r = query.done(); !r)
    return detail::make_error(Errc::poisoned, r.error().system,
                              "{} (a commit failed before; repair the disk and open the store again)",
                              r.error().message);
  if (busy)
    return detail::make_error(Errc::timed_out, "{}: others read while a failed commit is cleared; try again",
                              path_);
  doubtful_ = false;
  return {};
}

Result<void> SqliteStore::commit(SqliteTransaction& transaction, SessionId const& id) {
  Result<void> const done = transaction.commit();
  if (done) return check(log_); // what went to a removed log is not stored
  transaction.roll_back();
  Error error = done.error();
  if (error.code == Errc::timed_out || error.code == Errc::no_space)
    return error; // its last page is not written
  doubtful_ = true;
  error.code = Errc::outcome_unknown;
  error.message = detail::format_text(
      "session '{}': {}; it is not known whether it was stored: repeat it with the same ids", id.str(),
      error.message);
  return error;
}

Result<detail::AppendPlan> SqliteStore::decide(SessionId const& id, Append const& batch,
                                               std::optional<SqliteTables::Row> const& row) {
  detail::AppendDecision decision(id, batch,
                                  row ? std::optional<detail::LastRecord>(row->last) : std::nullopt);
  if (decision.wants_line()) {
    bool as_expected = false;
    auto const found =
        SqliteTables::each_up_to(writer_.db, id, *row, batch.expected, 1, [&](RecordPage::Item const& item) {
          as_expected = decision.expects(item);
          return false;
        });
    if (!found) return found.error();
    decision.line_at_expected(as_expected);
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
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = detail::check_lines(batch.records, {options_.max_line}, "session '" + id.str() + "'"); !r)
    return r.error();
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = reopen_if_needed(); !r) return r.error();
  if (auto r = set_level(batch.durable); !r) return sqlite_not_written(r.error());
  return append_locked(id, batch);
}

Result<Position> SqliteStore::append_locked(SessionId const& id, Append const& batch) {
  SqliteDatabase& db = writer_.db;
  SqliteTransaction transaction(db);
  if (auto r = begin_writing(transaction); !r) return sqlite_not_written(r.error());
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
    Result<void> r;
    if (full_.value_or(false)) // the commit of any change syncs everything before it
      r = SqliteQuery(db, {"sync", "UPDATE sessionkit SET value = value + 1 WHERE name = 'syncs'"}).done();
    if (r) r = full_.value_or(false) ? commit(transaction, id) : check(log_);
    if (!r) return r.error();
    return plan->end;
  }
  if (!*row && detail::is_sole_start(batch))
    if (auto r = check_key(id, batch.unless_active); !r) return sqlite_not_written(r.error());
  bool const starts = !*row || (*row)->last.end == Position{};
  std::string_view const dialect = starts ? detail::dialect_of_start(batch) : (*row)->dialect;
  Result<std::vector<Position>> const ends = tables_.add(db, id, batch.records, plan->from, dialect);
  if (!ends) return sqlite_not_written(ends.error());
  info = detail::info_after(std::move(info), batch, *plan, *ends, dialect);
  if (!*row)
    if (auto r = tables_.create(db, id, info); !r) return sqlite_not_written(r.error());
  if (auto r = tables_.store(db, info, dialect, !starts && (*row)->adopted); !r)
    return sqlite_not_written(r.error());
  if (*row && info.archived != ((*row)->status == "archived"))
    if (auto r = tables_.note_archived(db, info); !r) return sqlite_not_written(r.error());
  if (auto r = commit(transaction, id); !r) return r.error();
  return ends->back();
}

// `conflict` if the key has a session that is not archived, also if another program wrote to that since.
// Within the transaction that writes: no other writer comes between.
Result<void> SqliteStore::check_key(SessionId const& id, std::string_view key) {
  std::vector<std::string> stale;
  SqliteQuery names(writer_.db, {"look for what others wrote to the key", tables_.stale_of_key_sql()});
  names.with(key);
  while (names.row()) stale.emplace_back(names.text(0));
  if (names.failed()) return names.error();
  for (std::string const& name : stale)
    if (auto r = refresh_row(name); !r) return r;
  ListQuery const query = active_query(key);
  SqliteQuery rows(writer_.db, {"look for the session of the key", tables_.list_sql(query)});
  rows.with(*query.key).with(std::int64_t{0}).with(std::numeric_limits<std::int64_t>::max());
  rows.with(std::string_view()).with(std::int64_t{1});
  std::vector<SessionInfo> const active = take_rows(rows);
  if (rows.failed()) return rows.error();
  return active.empty() ? Result<void>{} : detail::key_has_session(id, key, active.front().id.str());
}

std::vector<SessionInfo> SqliteStore::take_rows(SqliteQuery& rows) {
  std::vector<SessionInfo> found;
  while (rows.row())
    if (Result<SessionId> const id = SessionId::parse(rows.text(0)))
      found.push_back(detail::from_row_text(*id, rows.text(1)));
  return found;
}

// A page with the end of the log must reach the end that the session's row knows; with a damaged index fewer
// records are found. A row whose `stale` is 2 is not believed, because records were removed.
Result<void> SqliteStore::check_end(SessionId const& id, SqliteTables::Row const& row, ReadRange const& range,
                                    RecordPage const& page) const {
  bool const backwards = range.order == ReadRange::newest_first;
  if (backwards ? range.from && *range.from < row.last.end : page.more) return {};
  Position const newest = !backwards             ? page.next
                          : page.items().empty() ? Position{}
                                                 : page.items().front().end;
  if (row.stale > 1 || newest >= row.last.end) return {};
  return detail::make_error(
      Errc::corrupt,
      "{}: session '{}' ends at {}, and its row says {}: records are missing between; keep a "
      "copy, then use sqlite3's .recover, or take a backup",
      path_, id.str(), newest.value(), row.last.end.value());
}

Result<RecordPage> SqliteStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = check_handle(); !r) return r.error();
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
  std::size_t const limit = std::min<std::size_t>(most, 1U << 30) + 1; // one more detects a next page
  Result<void> const done = backwards ? SqliteTables::each_up_to(db, id, **row, page.next, limit, use)
                                      : SqliteTables::each_behind(db, id, **row, page.next, limit, use);
  if (!done) return done.error();
  if (auto r = check_end(id, **row, range, page); !r) return r.error();
  return page;
}

Result<SessionInfo> SqliteStore::info(SessionId const& id) {
  if (auto r = check_handle(); !r) return r.error();
  {
    std::lock_guard<std::mutex> const lock(reader_.mutex);
    Result<std::optional<SqliteTables::Row>> row = tables_.find(reader_.db, id);
    if (!row) return row.error();
    if (!*row) return detail::no_such_session(id, path_);
    if ((*row)->stale == 0) return tables_.summary(reader_.db, id, **row);
  }
  return refreshed(id);
}

// Folds records that another program wrote.
Result<SessionInfo> SqliteStore::refreshed(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = set_level(false); !r) return r.error();
  SqliteTransaction transaction(writer_.db);
  if (auto r = begin_writing(transaction); !r) return r.error();
  Result<std::optional<SqliteTables::Row>> row = tables_.find(writer_.db, id);
  if (!row) return row.error();
  if (!*row) return detail::no_such_session(id, path_);
  Result<SessionInfo> info = tables_.summary(writer_.db, id, **row);
  if (!info) return info;
  if (auto r = transaction.commit(); !r) return r.error();
  return info;
}

// Refreshes each row once: a row that gets stale again after its turn is left for the next call.
Result<void> SqliteStore::refresh_stale() {
  std::vector<std::string> names;
  {
    std::lock_guard<std::mutex> const lock(reader_.mutex);
    SqliteQuery query(reader_.db,
                      {"look for what others wrote", "SELECT session_id FROM sessions WHERE stale > 0"});
    while (query.row()) names.emplace_back(query.text(0));
    if (query.failed()) return query.error();
  }
  if (names.empty()) return {};
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = set_level(false); !r) return r;
  for (std::size_t at = 0; at < names.size();) {
    SqliteTransaction transaction(writer_.db);
    if (auto r = begin_writing(transaction); !r) return r;
    for (std::size_t const end = std::min(at + refreshed_at_once, names.size()); at < end; ++at)
      if (auto r = refresh_row(names[at]); !r) return r;
    if (auto r = transaction.commit(); !r) return r;
  }
  return {};
}

Result<void> SqliteStore::refresh_row(std::string const& name) {
  Result<SessionId> const id = SessionId::parse(name);
  if (!id) return SqliteTables::set_fresh(writer_.db, name); // not an id of ours: no caller asks for it
  Result<std::optional<SqliteTables::Row>> row = tables_.find(writer_.db, *id);
  if (!row || !*row) return row ? Result<void>{} : row.error();
  Result<SessionInfo> const info = tables_.summary(writer_.db, *id, **row);
  return info ? Result<void>{} : info.error();
}

Result<SessionPage> SqliteStore::list(ListQuery const& query) {
  if (auto r = check_handle(); !r) return r.error();
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  if (auto r = refresh_stale(); !r) return r.error();
  std::lock_guard<std::mutex> const lock(reader_.mutex);
  SqliteQuery rows(reader_.db, {"list the sessions", tables_.list_sql(query)});
  for (auto const* value : {&query.key, &query.agent, &query.user})
    if (*value) rows.with(**value);
  if (query.archived) rows.with(std::int64_t{*query.archived});
  constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max();
  std::int64_t const at = *behind ? (*behind)->updated_ms : latest;
  rows.with(at).with(*behind ? (*behind)->id : std::string_view());
  rows.with(static_cast<std::int64_t>(std::min<std::size_t>(query.limit, 1U << 30)) + 1);
  std::vector<SessionInfo> found = take_rows(rows);
  if (rows.failed()) return rows.error();
  return detail::page_of_rows(std::move(found), query);
}

Result<void> SqliteStore::remove(SessionId const& id) {
  if (auto r = process_.check(); !r) return r;
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  if (auto r = reopen_if_needed(); !r) return r;
  if (auto r = set_level(true); !r) return r;
  SqliteTransaction transaction(writer_.db);
  if (auto r = begin_writing(transaction); !r) return r;
  Result<bool> const removed = tables_.remove(writer_.db, id);
  if (!removed) return removed.error();
  if (!*removed) return detail::no_such_session(id, path_);
  return commit(transaction, id);
}

// The freed pages are overwritten, and the log with earlier pages is emptied unless others read it.
SESSIONKIT_SELDOM Result<void> SqliteStore::remove_permanently(SessionId const& id) {
  if (auto r = process_.check(); !r) return r;
  {
    std::lock_guard<std::mutex> const lock(writer_.mutex);
    if (auto r = writer_.db.run({"overwrite what is deleted", "PRAGMA secure_delete = ON"}); !r) return r;
  }
  if (auto r = remove(id); !r) return r;
  std::lock_guard<std::mutex> const lock(writer_.mutex);
  (void)writer_.db.run({"empty the log", "PRAGMA wal_checkpoint(TRUNCATE)"});
  return {};
}

}}

Result<std::shared_ptr<SessionStore>> open_sqlite_store(std::string const& path, SqliteStoreOptions options) {
  Result<detail::SqliteFile> const file = detail::prepare_sqlite_file(path, options.create);
  if (!file) return file.error();
  Result<detail::OpenSqlite> open = detail::open_known_sqlite(path, options);
  if (!open) return open.error();
  detail::SqliteSchema const& schema = open->schema;
  Result<detail::SqliteDatabase> reader = detail::SqliteDatabase::open(path, open->how);
  if (!reader) return reader.error();
  // From a first look on SQLite has the log and its index open, so that their names can be checked.
  if (!open->how.read_only)
    if (auto r = open->writer.run({"look at the tables", "SELECT 1 FROM sqlite_master LIMIT 1"}); !r)
      return r.error();
  if (!schema.copy.empty() && options.on_event)
    options.on_event({Event::database_adopted,
                      {},
                      detail::format_text(
                          "{}: columns were added to ZeroClaw's tables; the database as it was is kept as {}",
                          path, schema.copy)});
  Profile const* const noted = find_profile(schema.profile);
  Profile const profile = options.profile ? *options.profile
                          : noted         ? *noted
                          : schema.ours   ? profiles::native
                                          : profiles::zeroclaw;
  return std::shared_ptr<SessionStore>(std::make_shared<sqlite_store_inl::SqliteStore>(
      std::move(open->writer), std::move(*reader), *file, schema, std::move(options), profile));
}

}}
