// SPDX-License-Identifier: MIT
// Reads and writes the rows of sessions and entries, one statement for each function.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/postgres/detail/postgres_log.hpp>

#include <algorithm>
#include <array>
#include <forward_list>
#include <limits>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace postgres_log_inl { namespace {

constexpr PostgresStatement find_session{
    "find the session",
    "SELECT log_end, last_crc, dialect, row_json FROM sessions WHERE session_id = $1::text"};

template <std::size_t... Sizes> constexpr auto joined_sql(char const (&... parts)[Sizes]) noexcept {
  std::array<char, (Sizes + ...)> whole{};
  std::size_t at = 0;
  auto const add = [&](char const* part) {
    while (*part != '\0') whole[at++] = *part++;
  };
  (add(parts), ...);
  return whole;
}

// One statement writes a batch: it compares the row of the session, moves it on, and adds the records if the
// row was moved. A second writer waits for the row and then finds it changed. Values: the session, its
// columns, the level of the commit, the number of records, and the records.
constexpr char starting_session[] = R"(
  WITH moved AS (
    INSERT INTO sessions(session_id, log_end, session_key, agent, user_id, title, archived, updated_ms,
                         updated_tick, last_crc, row_json, dialect)
    VALUES($1::text, $2::bigint + $13::bigint, $3::text, $4::text, $5::text, $6::text, $7::boolean, $8::bigint,
           $8::bigint >> 13, $9::bigint, $10::text, $11::text)
    ON CONFLICT (session_id) DO NOTHING
    RETURNING set_config('synchronous_commit', $12::text, true))
  )";
constexpr char moving_session[] = R"(
  WITH moved AS (
    UPDATE sessions
    SET log_end = $2::bigint + $13::bigint, session_key = $3::text, agent = $4::text, user_id = $5::text,
        title = $6::text, archived = $7::boolean, updated_ms = $8::bigint, updated_tick = $8::bigint >> 13,
        last_crc = $9::bigint, row_json = $10::text, dialect = coalesce($11::text, dialect)
    WHERE session_id = $1::text AND log_end = $2::bigint AND last_crc = coalesce($19::bigint, last_crc)
    RETURNING set_config('synchronous_commit', $12::text, true))
  )";
// Arrays are unnested in step, because a table of all five would first be stored as a whole.
constexpr char adding_arrays[] = R"(
  INSERT INTO entries(session_id, position, entry_id, parent_id, link, type, line)
  SELECT $1::text, $2::bigint + generate_series(1, $13::bigint), unnest($14::text[]), unnest($15::text[]),
         unnest($16::text[])::smallint, unnest($17::text[]), unnest($18::text[])
  FROM moved)";
// One record is added without arrays, because arrays cost a third of an append.
constexpr char adding_one[] = R"(
  INSERT INTO entries(session_id, position, entry_id, parent_id, link, type, line)
  SELECT $1::text, $2::bigint + 1, $14::text, $15::text, $16::text::smallint, $17::text, $18::text
  FROM moved)";
constexpr auto start_session_sql = joined_sql(starting_session, adding_arrays);
constexpr auto add_entries_sql = joined_sql(moving_session, adding_arrays);
constexpr auto add_one_entry_sql = joined_sql(moving_session, adding_one);
constexpr PostgresStatement start_session{"start the session", start_session_sql.data()};
constexpr PostgresStatement add_entries{"append entries", add_entries_sql.data()};
constexpr PostgresStatement add_one_entry{"append", add_one_entry_sql.data()};

// A commit that has something to write flushes everything before it.
constexpr PostgresStatement sync_session{"sync",
                                         "UPDATE sessions SET log_end = log_end WHERE session_id = $1::text "
                                         "RETURNING set_config('synchronous_commit', $2::text, true)"};
// A trigger removes the entries, because it also sees those that were added while the statement waited.
constexpr PostgresStatement remove_session{"remove the session",
                                           "DELETE FROM sessions WHERE session_id = $1::text "
                                           "RETURNING set_config('synchronous_commit', $2::text, true)"};

// Another key of the same hash waits too, and no more than that.
constexpr PostgresStatement lock_key_sql{
    "wait for others who start a session of the key",
    "SELECT pg_advisory_xact_lock(1397442901, hashtext($1::text))"}; // "SKIU"

// Reads the session's row, and records up to `max_bytes`. The first record beyond that comes without its
// line.
constexpr PostgresStatement page_behind{"read", R"(
  SELECT s.log_end, s.dialect, e.position, e.entry_id, e.parent_id, e.link, e.type,
         CASE WHEN e.bytes <= $4::bigint OR e.place = 1 THEN e.line END
  FROM sessions s LEFT JOIN LATERAL (
    SELECT position, entry_id, parent_id, link, type, line,
           sum(octet_length(line)) OVER w AS bytes, row_number() OVER w AS place
    FROM entries WHERE session_id = s.session_id AND position > $2::bigint
    WINDOW w AS (ORDER BY position ROWS UNBOUNDED PRECEDING)
    LIMIT $3::bigint) e ON e.place <= 2 OR e.bytes - octet_length(e.line) <= $4::bigint
  WHERE s.session_id = $1::text)"};
constexpr PostgresStatement page_up_to{"read backwards", R"(
  SELECT s.log_end, s.dialect, e.position, e.entry_id, e.parent_id, e.link, e.type,
         CASE WHEN e.bytes <= $4::bigint OR e.place = 1 THEN e.line END
  FROM sessions s LEFT JOIN LATERAL (
    SELECT position, entry_id, parent_id, link, type, line,
           sum(octet_length(line)) OVER w AS bytes, row_number() OVER w AS place
    FROM entries WHERE session_id = s.session_id AND position <= $2::bigint
    WINDOW w AS (ORDER BY position DESC ROWS UNBOUNDED PRECEDING)
    LIMIT $3::bigint) e ON e.place <= 2 OR e.bytes - octet_length(e.line) <= $4::bigint
  WHERE s.session_id = $1::text)"};

// An index has the order of the ticks; the few sessions of one tick are sorted when they are read.
constexpr char const* postgres_list_of_name =
    "(~updated_tick, ~updated_ms, session_id) > (~(${0}::bigint >> 13), ~${0}::bigint, ${1}::text) "
    "ORDER BY ~updated_tick, ~updated_ms, session_id";
constexpr char const* postgres_list_by_time =
    "updated_tick <= ${0}::bigint >> 13 AND updated_ms <= ${0}::bigint AND (updated_ms < ${0}::bigint OR "
    "session_id > ${1}::text) ORDER BY updated_tick DESC, updated_ms DESC, session_id";

std::int64_t postgres_integer(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}
Position position_of(std::int64_t column) noexcept { return Position{static_cast<std::uint64_t>(column)}; }

/// Records as columns; empty values are null.
class PostgresRecords {
 public:
  PostgresRecords(std::vector<RecordView> const& records, std::size_t from) {
    constexpr std::string_view digits = "0123456789";
    for (std::size_t i = from; i < records.size(); ++i) {
      RecordView const& record = records[i];
      lines_.emplace_back(record.line);
      ids_.push_back(column(record.id));
      parents_.push_back(column(record.parent));
      links_.emplace_back(digits.substr(static_cast<std::size_t>(record.link), 1));
      types_.push_back(column(record.type));
    }
  }

  std::int64_t count() const noexcept { return static_cast<std::int64_t>(lines_.size()); }
  enum class As { arrays, one };
  void add_to(PostgresValues& values, As as) const {
    for (Texts const* column : {&ids_, &parents_, &links_, &types_, &lines_})
      as == As::one ? values.with_or_null(column->front()) : values.with(*column);
  }

 private:
  using Texts = std::vector<std::optional<std::string_view>>;
  std::optional<std::string_view> column(std::string_view name) {
    if (name.empty()) return std::nullopt;
    if (is_postgres_text(name)) return name;
    changed_.push_front(to_postgres_text(name));
    return changed_.front();
  }
  Texts lines_, ids_, parents_, links_, types_;
  std::forward_list<std::string> changed_;
};

void add_to_page(RecordPage& page, PostgresAnswer const& rows, int row) {
  Position const end = position_of(rows.integer(row, 2));
  std::string const id = rows.is_null(row, 3) ? id_by_place(end) : from_postgres_text(rows.text(row, 3));
  std::string const parent = from_postgres_text(rows.text(row, 4)),
                    type = from_postgres_text(rows.text(row, 6));
  RecordView record;
  record.id = id;
  record.parent = parent;
  record.link = static_cast<Parent>(rows.integer(row, 5));
  record.type = type;
  record.line = rows.text(row, 7);
  page.add(end, record);
}

// Positions are 1, 2, 3 up to the end in the session's row.
Error entries_missing(PostgresConnection const& db, SessionId const& id, std::uint64_t first,
                      std::uint64_t last, Position end) {
  std::string const what = first <= last ? detail::format_text("entries {} to {} are missing", first, last)
                                         : "there are entries where none may be";
  return detail::make_error(
      Errc::corrupt,
      "{}: session '{}': {}, its row says that the log ends at {}; restore its entries, or "
      "remove it",
      db.place(), id.str(), what, end.value());
}

// A value of `synchronous_commit`.
std::string_view commit_level(PostgresConnection const& db, bool durable) noexcept {
  return durable ? std::string_view(db.durable_commit()) : "off";
}

Result<bool> changed_any(Result<PostgresAnswer> const& answer) {
  if (!answer) return answer.error();
  return answer->changed() > 0;
}

}}

PostgresTables::PostgresTables() {
  constexpr char const* columns[] = {"session_key", "agent", "user_id"};
  for (std::size_t shape = 0; shape < lists_.size(); ++shape) {
    std::string sql = "SELECT session_id, row_json FROM sessions WHERE ";
    int n = 0;
    for (std::size_t i = 0; i < std::size(columns); ++i)
      if ((shape >> i & 1U) != 0)
        sql += detail::format_text("left({0}, 200) = left(${1}::text, 200) AND {0} = ${1}::text AND ",
                                   columns[i], ++n);
    bool const named = n > 0;
    if ((shape & 8U) != 0) sql += detail::format_text("archived = ${}::boolean AND ", ++n);
    sql += named ? detail::format_text(postgres_log_inl::postgres_list_of_name, n + 1, n + 2)
                 : detail::format_text(postgres_log_inl::postgres_list_by_time, n + 1, n + 2);
    sql += detail::format_text(" LIMIT ${}::bigint", n + 3);
    lists_[shape] = {detail::format_text("list {}", shape), std::move(sql)};
  }
}

Result<std::optional<PostgresTables::Row>> PostgresTables::find(PostgresConnection& db, SessionId const& id) {
  Result<PostgresAnswer> const rows = db.ask(postgres_log_inl::find_session, PostgresValues().with(id.str()));
  if (!rows) return rows.error();
  if (rows->rows() == 0) return std::optional<Row>{};
  Row row;
  row.last = {postgres_log_inl::position_of(rows->integer(0, 0)),
              static_cast<std::uint32_t>(rows->integer(0, 1))};
  row.dialect = known_dialect(rows->text(0, 2));
  row.row_json = rows->text(0, 3);
  return std::optional<Row>(std::move(row));
}

Result<std::optional<RecordPage>> PostgresTables::page(PostgresConnection& db, SessionId const& id,
                                                       ReadRange const& range) {
  bool const backwards = range.order == ReadRange::newest_first;
  std::size_t const most = std::clamp<std::size_t>(range.max_records, 1, std::size_t{1} << 30);
  std::uint64_t const from = range.from ? range.from->value() : backwards ? ~std::uint64_t{0} : 0;
  PostgresValues values;
  values.with(id.str())
      .with(postgres_log_inl::postgres_integer(from))
      .with(postgres_log_inl::postgres_integer(most + 1));
  values.with(postgres_log_inl::postgres_integer(range.max_bytes));
  Result<PostgresAnswer> const rows =
      db.ask(backwards ? postgres_log_inl::page_up_to : postgres_log_inl::page_behind, values);
  if (!rows) return rows.error();
  if (rows->rows() == 0) return std::optional<RecordPage>{};
  RecordPage page;
  page.log_end = postgres_log_inl::position_of(rows->integer(0, 0));
  page.dialect = known_dialect(rows->text(0, 1));
  page.next = std::min(range.from.value_or(backwards ? page.log_end : Position{}), page.log_end);
  for (int row = 0; row < rows->rows() && !rows->is_null(row, 2) && !page.more; ++row) {
    page.more = page.items().size() >= most || rows->is_null(row, 7);
    if (page.more) break;
    std::uint64_t const at = page.next.value(),
                        end = postgres_log_inl::position_of(rows->integer(row, 2)).value();
    if (backwards && end != at) return postgres_log_inl::entries_missing(db, id, end + 1, at, page.log_end);
    if (!backwards && end != at + 1)
      return postgres_log_inl::entries_missing(db, id, at + 1, end - 1, page.log_end);
    postgres_log_inl::add_to_page(page, *rows, row);
    page.next = Position{backwards ? end - 1 : end};
  }
  std::uint64_t const at = page.next.value(), end = page.log_end.value();
  if (!page.more && backwards && at > 0)
    return postgres_log_inl::entries_missing(db, id, 1, at, page.log_end);
  if (!page.more && !backwards && at != end)
    return postgres_log_inl::entries_missing(db, id, at + 1, end, page.log_end);
  return std::optional<RecordPage>(std::move(page));
}

Result<bool> PostgresTables::add(PostgresConnection& db, SessionId const& id, Addition const& addition) {
  SessionInfo const& info = *addition.info;
  std::string const row = to_row_text(info);
  postgres_log_inl::PostgresRecords const records(*addition.records, addition.from);
  bool const starts = addition.end == Position{};
  bool const one = !starts && records.count() == 1;
  PostgresValues values;
  values.with(id.str()).with(postgres_log_inl::postgres_integer(addition.end.value()));
  values.with_name(info.key).with_name(info.agent).with_name(info.user).with_name(info.title);
  values.with(info.archived).with(to_unix_ms(info.updated)).with(std::int64_t{info.end_crc}).with(row);
  addition.dialect.empty() ? values.with_null() : values.with(addition.dialect);
  values.with(postgres_log_inl::commit_level(db, addition.durable)).with(records.count());
  records.add_to(values, one ? postgres_log_inl::PostgresRecords::As::one
                             : postgres_log_inl::PostgresRecords::As::arrays);
  if (starts) return postgres_log_inl::changed_any(db.ask(postgres_log_inl::start_session, values));
  addition.crc ? values.with(std::int64_t{*addition.crc}) : values.with_null();
  return postgres_log_inl::changed_any(
      db.ask(one ? postgres_log_inl::add_one_entry : postgres_log_inl::add_entries, values));
}

Result<bool> PostgresTables::sync(PostgresConnection& db, SessionId const& id) {
  return postgres_log_inl::changed_any(
      db.ask(postgres_log_inl::sync_session,
             PostgresValues().with(id.str()).with(postgres_log_inl::commit_level(db, true))));
}

Result<bool> PostgresTables::remove(PostgresConnection& db, SessionId const& id, bool durable) {
  return postgres_log_inl::changed_any(
      db.ask(postgres_log_inl::remove_session,
             PostgresValues().with(id.str()).with(postgres_log_inl::commit_level(db, durable))));
}

Result<void> PostgresTables::lock_key(PostgresConnection& db, std::string_view key) {
  Result<PostgresAnswer> const held = db.ask(postgres_log_inl::lock_key_sql, PostgresValues().with_name(key));
  return held ? Result<void>{} : held.error();
}

PostgresStatement PostgresTables::list_statement(ListQuery const& query) const noexcept {
  std::size_t const shape =
      (query.key ? 1U : 0U) + (query.agent ? 2U : 0U) + (query.user ? 4U : 0U) + (query.archived ? 8U : 0U);
  return {lists_[shape].name.c_str(), lists_[shape].sql.c_str()};
}

PostgresValues PostgresTables::list_values(ListQuery const& query, std::optional<ListPlace> const& behind) {
  PostgresValues values;
  for (auto const* name : {&query.key, &query.agent, &query.user})
    if (*name) values.with_name(**name);
  if (query.archived) values.with(*query.archived);
  values.with(behind ? behind->updated_ms : std::numeric_limits<std::int64_t>::max());
  values.with(behind ? behind->id : std::string_view(""));
  values.with(postgres_log_inl::postgres_integer(std::min<std::size_t>(query.limit, 1U << 30)) + 1);
  return values;
}

Result<std::vector<SessionInfo>> PostgresTables::list(PostgresConnection& db, ListQuery const& query,
                                                      std::optional<ListPlace> const& behind) const {
  Result<PostgresAnswer> const rows = db.ask(list_statement(query), list_values(query, behind));
  if (!rows) return rows.error();
  std::vector<SessionInfo> found;
  for (int row = 0; row < rows->rows(); ++row)
    if (Result<SessionId> const id = SessionId::parse(rows->text(row, 0)))
      found.push_back(from_row_text(*id, rows->text(row, 1)));
  return found;
}

}}}
