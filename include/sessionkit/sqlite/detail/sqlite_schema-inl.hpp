// SPDX-License-Identifier: MIT
// Creates the tables of a database, upgrades old ones, and adopts those of ZeroClaw.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/sqlite/detail/sqlite_schema.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include <sqlite3.h>

namespace sessionkit { inline namespace v0 { namespace detail {
namespace sqlite_schema_inl { namespace {

// The tables as ZeroClaw makes them (schema 7), without our columns.
constexpr char const* zeroclaw_tables = R"(
CREATE TABLE session_index(session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  title TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_state(session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL,
  updated_at TEXT NOT NULL, PRIMARY KEY(session_id, key));
)";

// Our columns. A program that knows none of them may write any row: then `line` and `row_json` are null, and
// `stale` says that the summary must be continued (1) or folded again from the start (2).
constexpr char const* our_columns = R"(
ALTER TABLE sessions ADD COLUMN agent TEXT;
ALTER TABLE sessions ADD COLUMN user_id TEXT;
ALTER TABLE sessions ADD COLUMN archived INTEGER;
ALTER TABLE sessions ADD COLUMN updated_ms INTEGER;
ALTER TABLE sessions ADD COLUMN dialect TEXT;
ALTER TABLE sessions ADD COLUMN row_json TEXT;
ALTER TABLE sessions ADD COLUMN log_end INTEGER;
ALTER TABLE sessions ADD COLUMN last_crc INTEGER;
ALTER TABLE sessions ADD COLUMN stale INTEGER NOT NULL DEFAULT 1;
ALTER TABLE session_messages ADD COLUMN entry_id TEXT;
ALTER TABLE session_messages ADD COLUMN parent_id TEXT;
ALTER TABLE session_messages ADD COLUMN link INTEGER;
ALTER TABLE session_messages ADD COLUMN type TEXT;
ALTER TABLE session_messages ADD COLUMN line TEXT;
CREATE TABLE session_entries(id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, entry_id TEXT, parent_id TEXT,
  link INTEGER, type TEXT, line TEXT NOT NULL);
CREATE TABLE sessionkit(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO sessionkit VALUES('version', 1), ('syncs', 0);
CREATE INDEX sessions_by_time ON sessions(updated_ms DESC, session_id);
CREATE INDEX sessions_by_key ON sessions({key}, updated_ms DESC, session_id) WHERE {key} <> '';
CREATE INDEX sessions_by_agent ON sessions(agent, updated_ms DESC, session_id) WHERE agent <> '';
CREATE INDEX sessions_by_user ON sessions(user_id, updated_ms DESC, session_id) WHERE user_id <> '';
CREATE INDEX sessions_stale ON sessions(stale) WHERE stale > 0;
CREATE INDEX session_entries_by_session ON session_entries(session_id);
CREATE TRIGGER sessionkit_message_added AFTER INSERT ON session_messages WHEN NEW.line IS NULL BEGIN
  UPDATE sessions SET stale = max(stale, 1) WHERE session_id = NEW.session_id; END;
CREATE TRIGGER sessionkit_message_removed AFTER DELETE ON session_messages BEGIN
  UPDATE sessions SET stale = 2 WHERE session_id = OLD.session_id; END;
CREATE TRIGGER sessionkit_message_changed AFTER UPDATE OF role, content, created_at, meta_json ON session_messages
  WHEN OLD.line IS NULL BEGIN UPDATE sessions SET stale = 2 WHERE session_id = NEW.session_id; END;
CREATE TRIGGER sessionkit_session_changed AFTER UPDATE OF title, status, {key} ON sessions
  WHEN NEW.row_json IS OLD.row_json BEGIN
  UPDATE sessions SET stale = max(stale, 1) WHERE session_id = NEW.session_id; END;
CREATE TRIGGER sessionkit_session_removed AFTER DELETE ON sessions BEGIN
  DELETE FROM session_entries WHERE session_id = OLD.session_id; END;
)";

// An index holds the time in ticks of 2^13 ms, 8 s, about as long as a call of a model takes. So most appends
// of a turn change no index.
constexpr char const* coarse_times = R"(
ALTER TABLE sessions ADD COLUMN updated_tick INTEGER;
UPDATE sessions SET updated_tick = updated_ms >> 13;
DROP INDEX IF EXISTS sessions_by_time;
DROP INDEX IF EXISTS sessions_by_key;
DROP INDEX IF EXISTS sessions_by_agent;
DROP INDEX IF EXISTS sessions_by_user;
CREATE INDEX sessions_by_time ON sessions(updated_tick DESC);
CREATE INDEX sessions_by_key ON sessions({key}, updated_tick DESC) WHERE {key} <> '';
CREATE INDEX sessions_by_agent ON sessions(agent, updated_tick DESC) WHERE agent <> '';
CREATE INDEX sessions_by_user ON sessions(user_id, updated_tick DESC) WHERE user_id <> '';
UPDATE sessionkit SET value = 2 WHERE name = 'version';
)";
/// The changes from one version of the tables to the next; the first adds our columns to ZeroClaw's tables.
constexpr char const* sqlite_versions[] = {our_columns, coarse_times};
static_assert(std::size(sqlite_versions) == sqlite_schema_version);

constexpr char const* messages_index =
    "CREATE INDEX session_messages_by_session ON session_messages(session_id)";

std::string with_key(std::string text, std::string const& key) {
  for (std::size_t at; (at = text.find("{key}")) != std::string::npos;) text.replace(at, 5, key);
  return text;
}

constexpr char const* looking_at_tables = "look at the tables";
constexpr char const* making_tables = "make the tables";

Result<std::int64_t> ask_integer(SqliteDatabase& database, char const* sql) {
  SqliteQuery query(database, {looking_at_tables, sql});
  std::int64_t const value = query.row() ? query.integer(0) : -1;
  if (query.failed()) return query.error();
  return value;
}

Result<std::set<std::string>> ask_names(SqliteDatabase& database, char const* sql) {
  SqliteQuery query(database, {looking_at_tables, sql});
  std::set<std::string> names;
  while (query.row()) names.emplace(query.text(0));
  if (query.failed()) return query.error();
  return names;
}

constexpr char const* all_tables =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
constexpr char const* columns_of_sessions = "SELECT name FROM pragma_table_info('sessions')";
constexpr char const* columns_of_messages = "SELECT name FROM pragma_table_info('session_messages')";
constexpr char const* columns_without_default =
    "SELECT name FROM pragma_table_info('sessions') WHERE \"notnull\" = 1 AND dflt_value IS NULL AND pk = 0 "
    "AND name NOT "
    "IN ('session_key', 'inbound_key', 'status', 'title', 'created_at', 'updated_at', 'agent_id')";
constexpr char const* indexes_by_session =
    "SELECT count(*) FROM pragma_index_list('session_messages') AS l JOIN pragma_index_info(l.name) AS i "
    "WHERE i.seqno = 0 AND i.name = 'session_id' AND l.partial = 0";

bool has_columns(std::set<std::string> const& names, std::initializer_list<char const*> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](char const* name) { return names.count(name) > 0; });
}

Result<SqliteSchema> look_at_schema(SqliteDatabase& database, std::set<std::string> const& tables) {
  SqliteSchema schema;
  Result<std::set<std::string>> const sessions = ask_names(database, columns_of_sessions);
  Result<std::set<std::string>> const messages = ask_names(database, columns_of_messages);
  if (!sessions || !messages) return sessions ? messages.error() : sessions.error();
  schema.has_session_index = tables.count("session_index") > 0;
  if (sessions->count("session_key") == 0) schema.key_column = "inbound_key";
  if (sessions->count("agent_id") > 0) schema.agent_column = "agent_id";
  bool const known =
      has_columns(*sessions, {"session_id", "status", "title", "created_at", "updated_at"})
      && sessions->count(schema.key_column) > 0 && tables.count("session_state") > 0
      && has_columns(*messages, {"id", "session_id", "role", "content", "created_at", "meta_json"});
  Result<std::set<std::string>> const others = ask_names(database, columns_without_default);
  if (!others) return others.error();
  schema.must_be_set.assign(others->begin(), others->end());
  if (!known)
    return detail::make_error(Errc::unsupported,
                              "{}: its tables are neither ours nor ZeroClaw's; name another file",
                              database.path());
  return schema;
}

Error unknown_version(SqliteDatabase const& database, std::int64_t version) {
  return detail::make_error(
      Errc::unsupported_version,
      "{}: written by version {} of these tables, this library knows {}; use a newer one", database.path(),
      version, sqlite_schema_version);
}

Result<void> copy_pages(SqliteDatabase const& database, std::string const& into) {
  SqliteDatabase::Options how = database.options();
  Result<SqliteDatabase> to = SqliteDatabase::open(into, how);
  how.read_only = true;
  Result<SqliteDatabase> from = SqliteDatabase::open(database.path(), how);
  if (!from) return from.error();
  if (!to) return to.error();
  sqlite3_backup* const backup = sqlite3_backup_init(to->handle(), "main", from->handle(), "main");
  if (backup == nullptr) return to->failure("copy the database");
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK) return to->failure("copy the database");
  SqliteQuery check(*to, {"look through the copy", "PRAGMA quick_check(1)"});
  if (check.row() && check.text(0) == "ok") return {};
  if (check.failed()) return check.error();
  return detail::make_error(
      Errc::corrupt,
      "{}: cannot keep a copy of it: {}: the file is damaged; keep it as it is, then use "
      "sqlite3's .recover",
      database.path(), check.text(0));
}

// A name that no earlier copy has.
std::string name_of_copy(FileOps& ops, std::string const& path) {
  std::string const first = path + sqlite_copy_suffix;
  std::string name = first;
  FileStatus earlier;
  for (int n = 2; ops.status_at(working_directory, name.c_str(), earlier) == 0; ++n)
    name = detail::format_text("{}-{}", first, n);
  return name;
}

// Copies page by page, under the lock that keeps writers out. Returns the name of the copy.
Result<std::string> keep_original(SqliteDatabase& database) {
  FileOps& ops = system_file_ops();
  std::string const copy = name_of_copy(ops, database.path()), made = copy + ".part";
  ops.unlink(working_directory, made.c_str());
  auto const refused = [&](int result, char const* what) {
    return detail::make_error(Errc::io_error, -result, "{}: cannot {}; make room or change its mode", made,
                              what);
  };
  int const descriptor = ops.open(working_directory, made.c_str(), OpenFlags::write | OpenFlags::only_new);
  if (descriptor < 0) return refused(descriptor, "keep a copy of the database");
  OpenFile const file(ops, descriptor);
  Result<void> kept = copy_pages(database, made);
  if (int const failed = kept ? ops.sync_data(descriptor) : 0; failed < 0)
    kept = refused(failed, "bring the copy of the database to the disk");
  int const renamed =
      kept ? ops.rename(working_directory, made.c_str(), working_directory, copy.c_str(), true) : 0;
  if (renamed < 0) kept = refused(renamed, "rename the copy of the database");
  if (kept) return copy;
  ops.unlink(working_directory, made.c_str());
  return kept.error();
}

// The name of the built-in profile for which the tables were made; empty if none was named.
Result<std::string> ask_profile(SqliteDatabase& database) {
  SqliteQuery query(database, {looking_at_tables, "SELECT value FROM sessionkit WHERE name = 'profile'"});
  std::string name(query.row() ? query.text(0) : std::string_view());
  if (query.failed()) return query.error();
  return name;
}

Result<void> note_profile(SqliteDatabase& database, std::string_view name) {
  Profile const* const known = find_profile(name);
  if (!known || known->timing == WriteTiming::never) return {}; // it would store nothing for others
  return SqliteQuery(database, {making_tables, "INSERT INTO sessionkit VALUES('profile', ?1)"})
      .with(name)
      .done();
}

// The version of our tables in this database; absent: they are not there.
Result<std::optional<SqliteSchema>> known_schema(SqliteDatabase& database,
                                                 std::set<std::string> const& tables) {
  Result<std::int64_t> const owner = ask_integer(database, "PRAGMA application_id");
  Result<std::int64_t> version = ask_integer(database, "PRAGMA user_version");
  if (!owner || !version) return owner ? version.error() : owner.error();
  bool const ours = *owner == sqlite_application_id; // else the version is the other program's
  if (!ours && tables.count("sessionkit") == 0) return std::optional<SqliteSchema>{};
  if (!ours) version = ask_integer(database, "SELECT value FROM sessionkit WHERE name = 'version'");
  if (!version) return version.error();
  if (*version < 1 || *version > sqlite_schema_version) return unknown_version(database, *version);
  Result<SqliteSchema> schema = look_at_schema(database, tables);
  if (!schema) return schema.error();
  Result<std::string> profile =
      tables.count("sessionkit") > 0 ? ask_profile(database) : Result<std::string>(std::string());
  if (!profile) return profile.error();
  schema->profile = std::move(*profile);
  schema->ours = ours;
  schema->version = *version;
  if (*version == 1) schema->tick = "(updated_ms >> 13)";
  return std::optional<SqliteSchema>(std::move(*schema));
}

// Upgrades the tables from the version they have to the last.
Result<void> add_what_is_ours(SqliteDatabase& database, SqliteSchema const& schema) {
  Result<std::int64_t> const indexes = ask_integer(database, indexes_by_session);
  if (!indexes) return indexes.error();
  std::string sql;
  for (auto at = static_cast<std::size_t>(schema.version); at < std::size(sqlite_versions); ++at)
    sql += with_key(sqlite_versions[at], schema.key_column);
  if (*indexes == 0) sql += messages_index + std::string(";");
  if (schema.ours)
    sql += detail::format_text("PRAGMA application_id = {}; PRAGMA user_version = {}", sqlite_application_id,
                               sqlite_schema_version);
  return database.run({making_tables, sql.c_str()});
}

// Decides what to do with a database that has none of our tables, within what the options allow.
Result<SqliteSchema> plan_schema(SqliteDatabase& database, std::set<std::string> const& tables,
                                 SqliteSchemaOptions const& may) {
  if (tables.empty() && !may.create)
    return detail::make_error(Errc::not_found, "{}: there is no table in it; create them or name another",
                              database.path());
  if (tables.empty()) return SqliteSchema{};
  Result<SqliteSchema> found = look_at_schema(database, tables);
  if (!found) return found;
  if (!may.adopt)
    return detail::make_error(
        Errc::unsupported,
        "{}: a database of ZeroClaw's without our columns; adopt it, which adds them and keeps a copy",
        database.path());
  found->ours = false;
  return found;
}

// Removes the copy, because the database was not changed.
void forget_copy(SqliteSchema const& schema) {
  if (!schema.copy.empty()) system_file_ops().unlink(working_directory, schema.copy.c_str());
}

// Runs under the write lock.
Result<SqliteSchema> make_schema(SqliteDatabase& database, SqliteSchema schema, std::string_view profile) {
  if (!schema.ours && schema.version == 0) {
    Result<std::string> copy = keep_original(database);
    if (!copy) return copy.error();
    schema.copy = std::move(*copy);
  }
  bool const empty = schema.ours && schema.version == 0;
  Result<void> made = empty ? database.run({making_tables, zeroclaw_tables}) : Result<void>{};
  if (made) made = add_what_is_ours(database, schema);
  if (made && empty) made = note_profile(database, profile);
  if (!made) {
    forget_copy(schema);
    return made.error();
  }
  schema.version = sqlite_schema_version;
  schema.tick = SqliteSchema{}.tick;
  return schema;
}

}}

Result<SqliteSchema> prepare_sqlite_schema(SqliteDatabase& database, SqliteSchemaOptions const& options) {
  Result<std::set<std::string>> const encoding = sqlite_schema_inl::ask_names(database, "PRAGMA encoding");
  if (!encoding) return encoding.error();
  if (encoding->count("UTF-8") == 0)
    return detail::make_error(Errc::unsupported,
                              "{}: its texts are UTF-16, which would change ours; convert the database",
                              database.path());
  for (bool const writing : {false, true}) { // mostly no write, so no lock, is needed
    SqliteTransaction transaction(database);
    if (auto r = writing ? transaction.begin_writing() : transaction.begin_reading(); !r) return r.error();
    Result<std::set<std::string>> const tables =
        sqlite_schema_inl::ask_names(database, sqlite_schema_inl::all_tables);
    if (!tables) return tables.error();
    Result<std::optional<SqliteSchema>> known = sqlite_schema_inl::known_schema(database, *tables);
    if (!known) return known.error();
    Result<SqliteSchema> schema =
        *known ? std::move(**known) : sqlite_schema_inl::plan_schema(database, *tables, options);
    if (!schema || schema->version == sqlite_schema_version) return schema;
    if (schema->version > 0 && database.is_read_only()) return schema; // only lists are slower
    if (schema->version > 0 && !options.upgrade)
      return detail::make_error(Errc::unsupported_version,
                                "{}: its tables are of version {}, the newest is {}; open it once to write, "
                                "which upgrades them",
                                database.path(), schema->version, sqlite_schema_version);
    if (!writing) continue;
    schema = sqlite_schema_inl::make_schema(database, std::move(*schema), options.profile);
    if (!schema) return schema;
    Result<void> const done = transaction.commit();
    if (done) return schema;
    if (done.error().code == Errc::no_space || done.error().code == Errc::timed_out)
      sqlite_schema_inl::forget_copy(*schema);
    return done.error();
  }
  return Error{Errc::io_error}; // never reached
}

}}}
