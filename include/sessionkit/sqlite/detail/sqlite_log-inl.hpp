// SPDX-License-Identifier: MIT
// Reads and writes the rows of sessions and records, within a transaction of the caller.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/sqlite/detail/rows.hpp>
#include <sessionkit/sqlite/detail/sqlite_log.hpp>

#include <algorithm>
#include <limits>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace sqlite_log_inl { namespace {

// Rows that ZeroClaw stored are read from its columns, rows that we stored from the line.
#define SESSIONKIT_MESSAGE_COLUMNS                                                                           \
  "SELECT id, entry_id, parent_id, link, type, line, CASE WHEN line IS NULL THEN role END, "                 \
  "CASE WHEN line IS NULL THEN content END, CASE WHEN line IS NULL THEN created_at END, "                    \
  "CASE WHEN line IS NULL THEN meta_json END FROM session_messages WHERE session_id = ?1"
#define SESSIONKIT_ENTRY_COLUMNS                                                                             \
  " UNION ALL SELECT id, entry_id, parent_id, link, type, line, NULL, NULL, NULL, NULL FROM "                \
  "session_entries "                                                                                         \
  "WHERE session_id = ?1"
constexpr SqliteStatement records_behind{"read the session's records",
                                         SESSIONKIT_MESSAGE_COLUMNS " AND id > ?2" SESSIONKIT_ENTRY_COLUMNS
                                                                    " AND id > ?2 ORDER BY 1 LIMIT ?3"};
constexpr SqliteStatement records_up_to{"read the session's records",
                                        SESSIONKIT_MESSAGE_COLUMNS " AND id <= ?2" SESSIONKIT_ENTRY_COLUMNS
                                                                   " AND id <= ?2 ORDER BY 1 DESC LIMIT ?3"};
#undef SESSIONKIT_MESSAGE_COLUMNS
#undef SESSIONKIT_ENTRY_COLUMNS

constexpr SqliteStatement last_ids{
    "find the end of the session",
    "SELECT coalesce((SELECT id FROM session_messages WHERE session_id = ?1 ORDER BY id DESC LIMIT 1), 0), "
    "coalesce((SELECT id FROM session_entries WHERE session_id = ?1 ORDER BY id DESC LIMIT 1), 0)"};
constexpr SqliteStatement last_given{"see which ids are given",
                                     "SELECT seq FROM sqlite_sequence WHERE name = 'session_messages'"};
constexpr SqliteStatement give_first{"give ids",
                                     "INSERT INTO sqlite_sequence(name, seq) VALUES('session_messages', ?1)"};
constexpr SqliteStatement give{"give ids",
                               "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'session_messages'"};
constexpr SqliteStatement add_message{
    "add a message", "INSERT INTO session_messages(id, session_id, role, content, created_at, "
                     "meta_json, entry_id, parent_id, link, type, "
                     "line) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"};
constexpr SqliteStatement add_entry{"add an entry",
                                    "INSERT INTO session_entries(id, session_id, entry_id, parent_id, link, "
                                    "type, line) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"};
constexpr SqliteStatement set_state{
    "store the state",
    "INSERT INTO session_state(session_id, key, value_json, updated_at) VALUES(?1, ?2, ?3, ?4) "
    "ON CONFLICT(session_id, key) DO UPDATE SET value_json = excluded.value_json, updated_at = "
    "excluded.updated_at"};
constexpr SqliteStatement drop_state{"remove from the state",
                                     "DELETE FROM session_state WHERE session_id = ?1 AND key = ?2"};
constexpr SqliteStatement message_of_entry{
    "find the first message kept",
    "SELECT id FROM session_messages WHERE session_id = ?1 AND entry_id = ?2 ORDER BY id DESC LIMIT 1"};
constexpr SqliteStatement note_fresh{"mark the session as looked at",
                                     "UPDATE sessions SET stale = 0 WHERE session_id = ?1"};
constexpr SqliteStatement message_before{
    "find the last message summarised",
    "SELECT id FROM session_messages WHERE session_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1"};
constexpr SqliteStatement point_key{
    "point the key to the session",
    "INSERT INTO session_index(session_key, active_session_id, updated_at) VALUES(?1, ?2, ?3) "
    "ON CONFLICT(session_key) DO UPDATE SET active_session_id = excluded.active_session_id, updated_at = "
    "excluded.updated_at"};
constexpr SqliteStatement point_free_key{
    "point the key to the session",
    "INSERT INTO session_index(session_key, active_session_id, updated_at) VALUES(?1, ?2, ?3) "
    "ON CONFLICT(session_key) DO NOTHING"};
constexpr char const* forget_key = "DELETE FROM session_index WHERE active_session_id = ?1";

std::int64_t sqlite_integer(std::uint64_t value) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, most));
}

constexpr Position header_end{1};
constexpr std::string_view adopted_dialect = "zeroclaw"; // in the column: native lines without a header

Position end_of_id(std::int64_t id) { return Position{2 * static_cast<std::uint64_t>(id)}; }

std::optional<std::string_view> null_if_empty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

// Passes on one row of `records_behind`, or of a statement of its kind.
bool use_record(SqliteQuery const& query, SqliteTables::Use const& use) {
  RecordPage::Item item;
  item.end = end_of_id(query.integer(0));
  std::string line, place;
  std::deque<std::string> unescaped;
  if (query.is_null(5)) {
    std::optional<std::string_view> meta;
    if (!query.is_null(9)) meta = query.text(9);
    line = line_of_zeroclaw_row(query.text(6), query.text(7), query.text(8), meta);
    static_cast<void>(native_dialect().head(line, item, unescaped));
    item.link = Parent::previous;
  } else {
    item.id = query.text(1);
    item.parent = query.text(2);
    item.link = static_cast<Parent>(query.integer(3));
    item.type = query.text(4);
    item.line = query.text(5);
  }
  if (item.id.empty()) item.id = place = id_by_place(item.end);
  return use(item);
}

// Answers whether all records were used.
Result<bool> each_record(SqliteDatabase& db, SqliteStatement const& records, SessionId const& id,
                         Position from, std::size_t most, SqliteTables::Use const& use) {
  SqliteQuery query(db, records);
  query.with(id.str()).with(sqlite_integer(from.value() / 2)).with(sqlite_integer(most));
  while (query.row())
    if (!use_record(query, use)) return false;
  if (query.failed()) return query.error();
  return true;
}

// Writes a session's row as the first line of a log.
bool use_header(SessionId const& id, SqliteTables::Row const& row, SqliteTables::Use const& use) {
  Header header;
  header.id = id.str();
  header.key = row.key;
  header.agent = row.agent;
  Entry entry;
  Result<Timestamp> const at = parse_rfc3339(row.created_at);
  if (at) entry.at = *at;
  entry.body = std::move(header);
  std::string line;
  if (!native_dialect().encode(entry, line)) return true;
  RecordPage::Item item;
  std::deque<std::string> unescaped;
  static_cast<void>(native_dialect().head(line, item, unescaped));
  item.end = header_end;
  return use(item);
}

}}

SqliteTables::SqliteTables(SqliteSchema const& schema) : schema_(schema) {
  std::string const key = schema.key_column, agent = schema.agent_column;
  find_sql_ = detail::format_text(
      "SELECT {}, status, title, created_at, updated_at, dialect, row_json, log_end, last_crc, stale, {} "
      "FROM sessions WHERE session_id = ?1",
      key, agent.empty() ? "NULL" : agent);
  std::string columns = agent.empty() ? "" : ", " + agent, values = agent.empty() ? "" : ", ?4";
  for (std::string const& name : schema.must_be_set) columns += ", \"" + name + "\"", values += ", ''";
  create_sql_ = detail::format_text(
      "INSERT INTO sessions(session_id, {}, status, created_at, updated_at{}) VALUES(?1, ?2, "
      "'active', ?3, ?3{})",
      key, columns, values);
  // Most appends change nothing that an index holds or a trigger watches, but SQLite updates every column
  // that a statement names.
  go_on_sql_ = detail::format_text(
      "UPDATE sessions SET updated_at = ?4, updated_ms = ?8, row_json = ?9, log_end = ?10, last_crc = "
      "?11 WHERE session_id = ?1 AND stale = 0 AND {} = ?2 AND title IS ?3 AND agent = ?5 AND "
      "user_id = ?6 AND archived = ?7 AND updated_tick = ?8 >> 13 AND dialect = ?12",
      key);
  store_sql_ =
      detail::format_text("UPDATE sessions SET {} = ?2, title = ?3, updated_at = ?4, agent = ?5, user_id = "
                          "?6, archived = ?7, updated_ms = ?8, updated_tick = ?8 >> 13, "
                          "row_json = ?9, log_end = ?10, last_crc = ?11, dialect = ?12, stale = 0, status = "
                          "CASE WHEN ?7 THEN 'archived' WHEN "
                          "status = 'archived' THEN 'active' ELSE status END WHERE session_id = ?1",
                          key);
  retire_sql_ = detail::format_text(
      "UPDATE sessions SET status = 'inactive' WHERE {} = ?1 AND session_id <> ?2 AND status = 'active'",
      key);
  stale_of_key_sql_ = detail::format_text("SELECT session_id FROM sessions WHERE stale > 0 AND {} = ?1", key);
  to_newest_active_sql_ =
      detail::format_text("UPDATE session_index SET active_session_id = (SELECT session_id FROM sessions "
                          "WHERE {0} = session_index.session_key AND {0} <> '' AND status = 'active' "
                          "ORDER BY created_at DESC, rowid DESC LIMIT 1) WHERE active_session_id = ?1 "
                          "AND EXISTS (SELECT 1 FROM sessions "
                          "WHERE {0} = session_index.session_key AND {0} <> '' AND status = 'active')",
                          key);
}

Result<std::optional<SqliteTables::Row>> SqliteTables::find(SqliteDatabase& db, SessionId const& id) const {
  SqliteQuery query(db, {"find the session", find_sql_.c_str()});
  query.with(id.str());
  if (!query.row()) return query.failed() ? Result<std::optional<Row>>(query.error()) : std::optional<Row>{};
  Row row;
  row.key = query.text(0);
  row.status = query.text(1);
  row.title = query.text(2);
  row.created_at = query.text(3);
  row.updated_at = query.text(4);
  row.dialect = known_dialect(query.text(5));
  row.adopted = query.is_null(5) || query.text(5) == sqlite_log_inl::adopted_dialect;
  row.row_json = query.text(6);
  row.last = {Position{static_cast<std::uint64_t>(query.integer(7))},
              static_cast<std::uint32_t>(query.integer(8))};
  row.stale = query.is_null(6) ? 2 : query.integer(9);
  row.agent = query.text(10);
  return std::optional<Row>(std::move(row));
}

Result<SessionInfo> SqliteTables::summary(SqliteDatabase& db, SessionId const& id, Row& row) const {
  if (row.stale == 0) return from_row_text(id, row.row_json);
  SessionInfo info = make_session_info(id);
  auto const time_of = [](std::string const& text) {
    Result<Timestamp> const at = parse_rfc3339(text);
    return at ? *at : Timestamp{};
  };
  bool const from_start = row.stale > 1;
  if (!from_start) info = from_row_text(id, row.row_json);
  if (from_start) {
    info.agent = row.agent;
    info.created = time_of(row.created_at);
    info.updated = time_of(row.updated_at);
  }
  // Columns that another program changed win; columns that it left have the values we stored.
  if (info.title != row.title) info.title = row.title, info.title_by_person = false;
  info.key = row.key;
  info.archived = row.status == "archived";
  Timestamp const updated = info.updated;
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  Result<void> const folded = each_behind(db, id, row, info.end, all, [&](RecordPage::Item const& item) {
    fold(info, item, row.dialect);
    return true;
  });
  if (!folded) return folded.error();
  info.updated = std::max(info.updated, updated);
  if (auto r = store(db, info, row.dialect, row.adopted); !r) return r.error();
  if (auto r = set_fresh(db, id.str()); !r) return r.error(); // an unchanged row would seem foreign
  row.last = {info.end, info.end_crc};
  row.stale = 0;
  return info;
}

Result<void> SqliteTables::set_fresh(SqliteDatabase& db, std::string_view name) {
  return SqliteQuery(db, sqlite_log_inl::note_fresh).with(name).done();
}

Result<void> SqliteTables::each_behind(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                       std::size_t most, Use const& use) {
  if (row.adopted && from < sqlite_log_inl::header_end && most > 0
      && !sqlite_log_inl::use_header(id, row, use))
    return {};
  Result<bool> const done =
      sqlite_log_inl::each_record(db, sqlite_log_inl::records_behind, id, from, most, use);
  return done ? Result<void>{} : done.error();
}
Result<void> SqliteTables::each_up_to(SqliteDatabase& db, SessionId const& id, Row const& row, Position from,
                                      std::size_t most, Use const& use) {
  std::size_t used = 0;
  Result<bool> const done = sqlite_log_inl::each_record(db, sqlite_log_inl::records_up_to, id, from, most,
                                                        [&](RecordPage::Item const& item) {
                                                          ++used;
                                                          return use(item);
                                                        });
  if (!done) return done.error();
  if (row.adopted && *done && used < most && from >= sqlite_log_inl::header_end)
    sqlite_log_inl::use_header(id, row, use);
  return {};
}

Result<Position> SqliteTables::end_of(SqliteDatabase& db, SessionId const& id, Row const& row) {
  SqliteQuery query(db, sqlite_log_inl::last_ids);
  query.with(id.str());
  if (!query.row()) return query.error();
  return std::max(sqlite_log_inl::end_of_id(std::max(query.integer(0), query.integer(1))),
                  row.adopted ? sqlite_log_inl::header_end : Position{});
}

Result<void> SqliteTables::create(SqliteDatabase& db, SessionId const& id, SessionInfo const& info) const {
  std::string const at = to_rfc3339(info.created);
  {
    SqliteQuery query(db, {"add the session", create_sql_.c_str()});
    query.with(id.str()).with(info.key).with(at);
    if (!schema_.agent_column.empty())
      query.with(info.agent.empty() ? std::string_view("default") : info.agent);
    if (auto r = query.done(); !r) return r;
  }
  if (info.archived) return {};           // a copy, whose key another session may have
  if (!schema_.ours && !info.key.empty()) // as ZeroClaw does when it creates a session
    if (auto r = SqliteQuery(db, {"retire the earlier sessions of the key", retire_sql_.c_str()})
                     .with(info.key)
                     .with(id.str())
                     .done();
        !r)
      return r;
  if (!schema_.has_session_index || info.key.empty()) return {};
  return SqliteQuery(db, sqlite_log_inl::point_key).with(info.key).with(id.str()).with(at).done();
}

Result<void> SqliteTables::store(SqliteDatabase& db, SessionInfo const& info, std::string_view dialect,
                                 bool adopted) const {
  std::string const at = to_rfc3339(info.updated), row = to_row_text(info);
  for (std::string const* sql : {&go_on_sql_, &store_sql_}) {
    SqliteQuery query(db, {"store the session's summary", sql->c_str()});
    query.with(info.id.str()).with(info.key).with_or_null(sqlite_log_inl::null_if_empty(info.title)).with(at);
    query.with(info.agent).with(info.user).with(std::int64_t{info.archived}).with(to_unix_ms(info.updated));
    query.with(row).with(sqlite_log_inl::sqlite_integer(info.end.value())).with(std::int64_t{info.end_crc});
    query.with(adopted ? sqlite_log_inl::adopted_dialect : dialect);
    if (auto r = query.done(); !r || db.changed() > 0) return r;
  }
  return {};
}

// ZeroClaw continues the session that its index names, even if it is archived. A session that is restored
// gets its key again, unless another session has it.
Result<void> SqliteTables::note_archived(SqliteDatabase& db, SessionInfo const& info) const {
  if (!schema_.has_session_index || info.key.empty()) return {};
  if (info.archived) return release_key(db, info.id);
  SqliteQuery query(db, sqlite_log_inl::point_free_key);
  return query.with(info.key).with(info.id.str()).with(to_rfc3339(info.updated)).done();
}

Result<void> SqliteTables::release_key(SqliteDatabase& db, SessionId const& id) const {
  for (char const* sql : {to_newest_active_sql_.c_str(), sqlite_log_inl::forget_key})
    if (auto r = SqliteQuery(db, {"take the key from the session", sql}).with(id.str()).done(); !r) return r;
  return {};
}

Result<std::vector<Position>> SqliteTables::add(SqliteDatabase& db, SessionId const& id,
                                                std::vector<RecordView> const& records, std::size_t from,
                                                std::string_view dialect) const {
  std::int64_t last = 0;
  bool first = true;
  {
    SqliteQuery query(db, sqlite_log_inl::last_given);
    if (query.row()) last = query.integer(0), first = false;
    if (query.failed()) return query.error();
  }
  std::vector<Position> ends;
  bool given = true;
  for (std::size_t i = from; i < records.size(); ++i) {
    ends.push_back(sqlite_log_inl::end_of_id(++last));
    Result<bool> const is_message = add_one(db, id, records[i], ends.back(), dialect);
    if (!is_message) return is_message.error();
    first = first && !*is_message;
    given = *is_message;
  }
  // Messages, where SQLite counts, and all other records share one sequence of ids. No id is used twice.
  if (given) return ends;
  if (auto r = SqliteQuery(db, first ? sqlite_log_inl::give_first : sqlite_log_inl::give).with(last).done();
      !r)
    return r.error();
  return ends;
}

// Answers whether the record is a message.
Result<bool> SqliteTables::add_one(SqliteDatabase& db, SessionId const& id, RecordView const& record,
                                   Position end, std::string_view dialect) const {
  RecordView named = record;
  std::string const place = id_by_place(end);
  if (named.id.empty()) named.id = place;
  Result<Entry> const entry = find_dialect(dialect)->decode(named);
  std::optional<MessageColumns> columns;
  if (entry) columns = message_columns(entry->body);
  std::string const at = entry ? to_rfc3339(entry->at) : std::string();
  if (entry)
    if (auto const* compaction = entry->as<Compaction>()) {
      Result<std::string> meta = note_compaction(db, id, *compaction, at, end);
      if (!meta) return meta.error();
      columns->meta_json = std::move(*meta);
    }
  std::optional<std::string_view> meta;
  if (columns && columns->meta_json) meta = *columns->meta_json;
  SqliteQuery query(db, columns ? sqlite_log_inl::add_message : sqlite_log_inl::add_entry);
  query.with(static_cast<std::int64_t>(end.value() / 2)).with(id.str());
  if (columns) query.with(columns->role).with(columns->content).with(at).with_or_null(meta);
  query.with_or_null(sqlite_log_inl::null_if_empty(record.id))
      .with_or_null(sqlite_log_inl::null_if_empty(record.parent));
  query.with(static_cast<std::int64_t>(record.link)).with(record.type).with(record.line);
  if (auto r = query.done(); !r) return r.error();
  if (entry)
    if (auto r = note_state(db, id, *entry); !r) return r.error();
  return columns.has_value();
}

Result<void> SqliteTables::note_state(SqliteDatabase& db, SessionId const& id, Entry const& entry) const {
  auto const* const change = entry.as<StateChange>();
  if (change == nullptr) return {};
  std::string const at = to_rfc3339(entry.at);
  for (auto const& [name, value] : change->set)
    if (auto r = SqliteQuery(db, sqlite_log_inl::set_state)
                     .with(id.str())
                     .with(name)
                     .with(value.str())
                     .with(at)
                     .done();
        !r)
      return r;
  for (std::string const& name : change->removed)
    if (auto r = SqliteQuery(db, sqlite_log_inl::drop_state).with(id.str()).with(name).done(); !r) return r;
  return {};
}

// Notes where ZeroClaw continues reading: after the last message that was summarised. Answers the metadata of
// the summary.
Result<std::string> SqliteTables::note_compaction(SqliteDatabase& db, SessionId const& id,
                                                  Compaction const& compaction, std::string const& at,
                                                  Position end) const {
  auto kept = static_cast<std::int64_t>(end.value() / 2);
  if (!compaction.first_kept.empty()) {
    SqliteQuery query(db, sqlite_log_inl::message_of_entry);
    query.with(id.str()).with(compaction.first_kept.str());
    if (query.row()) kept = query.integer(0);
    if (query.failed()) return query.error();
  }
  SqliteQuery query(db, sqlite_log_inl::message_before);
  query.with(id.str()).with(kept);
  std::int64_t const after = query.row() ? query.integer(0) : 0;
  if (query.failed()) return query.error();
  std::string const value = std::to_string(after);
  std::string_view const name = "compaction_after_message_id";
  if (auto r =
          SqliteQuery(db, sqlite_log_inl::set_state).with(id.str()).with(name).with(value).with(at).done();
      !r)
    return r.error();
  return R"({"kind":"compaction_summary","after":)" + value + "}";
}

Result<bool> SqliteTables::remove(SqliteDatabase& db, SessionId const& id) const {
  constexpr char const* doing = "remove the session";
  {
    SqliteQuery query(db, {doing, "DELETE FROM sessions WHERE session_id = ?1 RETURNING 1"});
    bool const there = query.with(id.str()).row();
    if (auto r = query.done(); !r) return r.error();
    if (!there) return false;
  }
  std::vector<char const*> rest{"DELETE FROM session_messages WHERE session_id = ?1",
                                "DELETE FROM session_entries WHERE session_id = ?1",
                                "DELETE FROM session_state WHERE session_id = ?1"};
  for (char const* sql : rest)
    if (auto r = SqliteQuery(db, {doing, sql}).with(id.str()).done(); !r) return r.error();
  if (schema_.has_session_index)
    if (auto r = release_key(db, id); !r) return r.error();
  return true;
}

// In ZeroClaw's tables one session answers for a key, whichever was updated last.
bool SqliteTables::asks_who_answers(ListQuery const& query) const noexcept {
  return !schema_.ours && query.key && !query.key->empty() && query.archived && !*query.archived;
}

// The session of the key ?1 that ZeroClaw would continue: its `session_index` names it up to schema 8, else
// it is the active one that was created last.
std::string SqliteTables::active_of_key() const {
  std::string newest = detail::format_text(
      "(SELECT n.session_id FROM sessions AS n WHERE n.{0} = ?1 AND n.{0} <> '' AND n.status = 'active' "
      "ORDER BY n.created_at DESC, n.rowid DESC LIMIT 1)",
      schema_.key_column);
  if (!schema_.has_session_index) return newest;
  return "coalesce((SELECT i.active_session_id FROM session_index AS i, sessions AS n WHERE i.session_key = "
         "?1 "
         "AND n.session_id = i.active_session_id AND n.status <> 'archived'), "
         + newest + ")";
}

char const* SqliteTables::list_sql(ListQuery const& query) {
  // A partial index holds only non-empty values. The planner uses it only if the statement says so.
  unsigned const shape = (query.key ? query.key->empty() ? 1U : 2U : 0U)
                         + (query.agent ? query.agent->empty() ? 3U : 6U : 0U)
                         + (query.user ? query.user->empty() ? 9U : 18U : 0U) + (query.archived ? 27U : 0U)
                         + (asks_who_answers(query) ? 54U : 0U);
  std::string& sql = list_sql_[shape];
  if (!sql.empty()) return sql.c_str();
  sql = "SELECT session_id, row_json FROM sessions WHERE ";
  int n = 0;
  auto const add = [&](std::optional<std::string> const& value, std::string const& column) {
    if (value && value->empty()) sql += detail::format_text("coalesce({}, '') = ?{} AND ", column, ++n);
    if (value && !value->empty()) sql += detail::format_text("{0} = ?{1} AND {0} <> '' AND ", column, ++n);
  };
  add(query.key, schema_.key_column);
  add(query.agent, "agent");
  add(query.user, "user_id");
  if (query.archived) sql += detail::format_text("archived = ?{} AND ", ++n);
  if (asks_who_answers(query)) sql += detail::format_text("session_id = {} AND ", active_of_key());
  // An index has the order of the ticks; the few sessions of one tick are sorted when they are read.
  sql += detail::format_text(
      "{0} <= ?{1} >> 13 AND updated_ms <= ?{1} AND (updated_ms < ?{1} OR session_id > ?{2}) "
      "ORDER BY {0} DESC, updated_ms DESC, session_id LIMIT ?{3}",
      schema_.tick, n + 1, n + 2, n + 3);
  return sql.c_str();
}

}}}
