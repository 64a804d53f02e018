// SPDX-License-Identifier: MIT
// Implements the store interface over a PostgreSQL database.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/postgres/detail/pool.hpp>
#include <sessionkit/postgres/detail/postgres_log.hpp>
#include <sessionkit/postgres/detail/postgres_schema.hpp>
#include <sessionkit/postgres/postgres_store.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace postgres_store_inl { namespace {

using detail::PostgresConnection;
using detail::PostgresPool;
using detail::PostgresTables;

class PostgresStore final : public SessionStore {
 public:
  PostgresStore(PostgresConnection first, detail::PostgresSettings settings, PostgresStoreOptions options)
      : SessionStore(options.profile.value_or(profiles::native)),
        options_(std::move(options)),
        process_(first.place()),
        place_(first.place()),
        pool_(std::move(settings), std::max<std::size_t>(options_.connections, 1), std::move(first)) {}
  PostgresStore(PostgresStore const&) = delete;
  PostgresStore& operator=(PostgresStore const&) = delete;
  ~PostgresStore() override {
    if (!process_.is_this_one()) pool_.abandon(); // closing would end the parent's connections
  }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override;

 private:
  /// One append, tried on one connection after another.
  struct Attempt {
    SessionId const& id;
    Append const& batch;
    bool durable;
    bool doubtful = false; ///< a connection that had received it broke
  };

  template <class Work>
  auto with_connection(Work work) -> decltype(work(std::declval<PostgresConnection&>()));
  Result<void> check_lines(SessionId const& id, std::vector<RecordView> const& records) const;
  bool waits(bool durable) const noexcept;

  Result<Position> append_alone(PostgresConnection& db, Attempt& attempt) const;
  Result<std::optional<Position>> start_alone(PostgresConnection& db, Attempt& attempt) const;
  static Result<Position> append_on(PostgresConnection& db, Attempt& attempt);
  static Result<std::optional<Position>> append_at_once(PostgresConnection& db, Attempt& attempt);
  static Result<std::optional<Position>> append_by_looking(PostgresConnection& db, Attempt& attempt);
  static Result<std::optional<detail::AppendPlan>> decide(PostgresConnection& db, Attempt const& attempt,
                                                          std::optional<detail::LastRecord> last);
  static Result<std::optional<Position>> write(PostgresConnection& db, Attempt& attempt,
                                               PostgresTables::Addition addition, SessionInfo before);

  PostgresStoreOptions options_;
  detail::OpeningProcess process_;
  std::string place_;
  PostgresTables tables_;
  PostgresPool pool_;
};

constexpr int most_tries = 100; // for an append that other writers overtake each time

Result<void> PostgresStore::check_lines(SessionId const& id, std::vector<RecordView> const& records) const {
  std::string const where = "session '" + id.str() + "'";
  if (auto r = detail::check_lines(records, {options_.max_line, true, detail::server_batch}, where); !r)
    return r;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].line.find('\0') != std::string_view::npos)
      return detail::make_error(
          Errc::invalid_argument,
          "{}: record {} of the batch has a NUL byte, which no JSON has and PostgreSQL does "
          "not keep; write it as \\u0000",
          where, i);
  return {};
}

bool PostgresStore::waits(bool durable) const noexcept {
  return options_.durability != Durability::os && (durable || options_.durability == Durability::entry);
}

// Replaces an unusable connection once, unless the server is silent.
template <class Work>
auto PostgresStore::with_connection(Work work) -> decltype(work(std::declval<PostgresConnection&>())) {
  {
    Result<PostgresPool::Lease> lease = pool_.take();
    if (!lease) return lease.error();
    auto done = work(**lease);
    if (done || !(*lease)->spent() || (*lease)->overdue()) return done;
  }
  Result<PostgresPool::Lease> lease = pool_.take(PostgresPool::Wanted::fresh);
  if (!lease) return lease.error();
  return work(**lease);
}

// Writes the part of a batch that the addition names after the end that was read. Absent: the log has grown.
Result<std::optional<Position>> PostgresStore::write(PostgresConnection& db, Attempt& attempt,
                                                     PostgresTables::Addition addition, SessionInfo before) {
  std::vector<RecordView> const& records = attempt.batch.records;
  std::vector<Position> ends;
  for (std::size_t i = addition.from; i < records.size(); ++i)
    ends.emplace_back(addition.end.value() + ends.size() + 1);
  SessionInfo const info = detail::info_after(std::move(before), attempt.batch, {addition.from, addition.end},
                                              ends, addition.dialect);
  addition.records = &records;
  addition.info = &info;
  addition.durable = attempt.durable;
  Result<bool> const added = PostgresTables::add(db, attempt.id, addition);
  attempt.doubtful = attempt.doubtful || (!added && db.lost());
  if (!added) return added.error();
  return *added ? std::optional<Position>(ends.back()) : std::nullopt;
}

// Usually the log ends where the batch expects it, and its new summary is known, so no read is needed.
Result<std::optional<Position>> PostgresStore::append_at_once(PostgresConnection& db, Attempt& attempt) {
  Append const& batch = attempt.batch;
  bool const starts = batch.expected == Position{};
  if (batch.records.empty() || (!starts && batch.after == nullptr)) return std::optional<Position>{};
  PostgresTables::Addition addition{};
  addition.end = batch.expected;
  addition.crc = batch.expected_crc;
  if (starts) addition.dialect = detail::dialect_of_start(batch);
  return write(db, attempt, addition, make_session_info(attempt.id));
}

// Absent: the session was created or removed in between.
Result<std::optional<detail::AppendPlan>> PostgresStore::decide(PostgresConnection& db,
                                                                Attempt const& attempt,
                                                                std::optional<detail::LastRecord> last) {
  Append const& batch = attempt.batch;
  detail::AppendDecision decision(attempt.id, batch, last);
  if (attempt.doubtful) decision.may_repeat_itself();
  ReadRange range;
  range.from = batch.expected;
  if (decision.wants_line()) {
    range.order = ReadRange::newest_first;
    range.max_records = 1;
    Result<std::optional<RecordPage>> const page = PostgresTables::page(db, attempt.id, range);
    if (!page) return page.error();
    if (!*page) return std::optional<detail::AppendPlan>{};
    auto const& items = (*page)->items();
    decision.line_at_expected(!items.empty() && decision.expects(items.front()));
    range = ReadRange{};
    range.from = batch.expected;
  }
  for (bool more = decision.wants_behind(); more;) {
    Result<std::optional<RecordPage>> const page = PostgresTables::page(db, attempt.id, range);
    if (!page) return page.error();
    if (!*page) return std::optional<detail::AppendPlan>{};
    more = (*page)->more;
    range.from = (*page)->next;
    for (RecordPage::Item const& item : (*page)->items()) more = decision.see(item) && more;
  }
  Result<detail::AppendPlan> const plan = decision.plan();
  if (!plan) return plan.error();
  return std::optional<detail::AppendPlan>(*plan);
}

// Absent: another writer was faster.
Result<std::optional<Position>> PostgresStore::append_by_looking(PostgresConnection& db, Attempt& attempt) {
  Append const& batch = attempt.batch;
  Result<std::optional<PostgresTables::Row>> const row = PostgresTables::find(db, attempt.id);
  if (!row) return row.error();
  std::optional<detail::LastRecord> last;
  if (*row) last = (*row)->last;
  Result<std::optional<detail::AppendPlan>> const plan = decide(db, attempt, last);
  if (!plan) return plan.error();
  if (!*plan) return std::optional<Position>{};
  if ((*plan)->from == batch.records.size()) {
    if (!attempt.durable) return std::optional<Position>((*plan)->end);
    Result<bool> const synced = PostgresTables::sync(db, attempt.id);
    if (!synced) return synced.error();
    return *synced ? std::optional<Position>((*plan)->end) : std::nullopt;
  }
  PostgresTables::Addition addition{};
  addition.from = (*plan)->from;
  addition.dialect = detail::dialect_of_start(batch);
  if (!*row) return write(db, attempt, addition, make_session_info(attempt.id));
  addition.end = last->end;
  addition.crc = last->crc;
  addition.dialect = (*row)->dialect;
  return write(db, attempt, addition, detail::from_row_text(attempt.id, (*row)->row_json));
}

Result<Position> PostgresStore::append_on(PostgresConnection& db, Attempt& attempt) {
  Result<std::optional<Position>> end = append_at_once(db, attempt);
  for (int tries = 0; end && !*end && tries < most_tries; ++tries) end = append_by_looking(db, attempt);
  if (!end) return end.error();
  if (*end) return **end;
  return detail::make_error(
      Errc::timed_out, "session '{}': others start and remove it all the time; try again", attempt.id.str());
}

// Within a transaction. Absent: somebody made the session.
Result<std::optional<Position>> PostgresStore::start_alone(PostgresConnection& db, Attempt& attempt) const {
  std::string_view const key = attempt.batch.unless_active;
  if (auto r = PostgresTables::lock_key(db, key); !r) return r.error();
  Result<std::vector<SessionInfo>> const active = tables_.list(db, active_query(key), std::nullopt);
  if (!active) return active.error();
  if (!active->empty()) return detail::key_has_session(attempt.id, key, active->front().id.str());
  return append_at_once(db, attempt);
}

// Starts a session unless its key has one. Each statement must see what was committed while the one before
// waited for the lock, whatever isolation the server sets.
Result<Position> PostgresStore::append_alone(PostgresConnection& db, Attempt& attempt) const {
  Result<std::optional<PostgresTables::Row>> const row = PostgresTables::find(db, attempt.id);
  if (!row) return row.error();
  if (*row) return append_on(db, attempt);
  if (auto r = db.run("begin", "BEGIN ISOLATION LEVEL READ COMMITTED"); !r) return r.error();
  Result<std::optional<Position>> const end = start_alone(db, attempt);
  bool const writes = end && *end;
  Result<detail::PostgresAnswer> const done = db.run("end the transaction", writes ? "COMMIT" : "ROLLBACK");
  attempt.doubtful = attempt.doubtful || (writes && !done && db.lost());
  if (!end) return end.error();
  if (!done) return done.error();
  return *end ? Result<Position>(**end) : append_on(db, attempt);
}

Result<Position> PostgresStore::append(SessionId const& id, Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_lines(id, batch.records); !r) return r.error();
  Attempt attempt{id, batch, waits(batch.durable)};
  Result<Position> end = with_connection([&](PostgresConnection& db) {
    return detail::is_sole_start(batch) ? append_alone(db, attempt) : append_on(db, attempt);
  });
  if (end) return end;
  Error error = end.error();
  bool const decided = error.code == Errc::conflict || error.code == Errc::already_exists
                       || error.code == Errc::not_found || error.code == Errc::invalid_argument;
  if (attempt.doubtful && !decided) {
    error.code = Errc::outcome_unknown;
    error.message = detail::format_text(
        "session '{}': {}; it is not known whether it was stored: repeat it with the same ids", id.str(),
        error.message);
  }
  if (error.code == Errc::io_error) error.code = Errc::not_written;
  return error;
}

Result<RecordPage> PostgresStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<RecordPage>> page =
      with_connection([&](PostgresConnection& db) { return PostgresTables::page(db, id, range); });
  if (!page) return page.error();
  if (!*page) return detail::no_such_session(id, place_);
  return std::move(**page);
}

Result<SessionInfo> PostgresStore::info(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<PostgresTables::Row>> const row =
      with_connection([&](PostgresConnection& db) { return PostgresTables::find(db, id); });
  if (!row) return row.error();
  if (!*row) return detail::no_such_session(id, place_);
  return detail::from_row_text(id, (*row)->row_json);
}

Result<SessionPage> PostgresStore::list(ListQuery const& query) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  Result<std::vector<SessionInfo>> rows =
      with_connection([&](PostgresConnection& db) { return tables_.list(db, query, *behind); });
  if (!rows) return rows.error();
  return detail::page_of_rows(std::move(*rows), query);
}

Result<void> PostgresStore::remove(SessionId const& id) {
  if (auto r = process_.check(); !r) return r;
  bool doubtful = false;
  Result<bool> const removed = with_connection([&](PostgresConnection& db) {
    Result<bool> gone = PostgresTables::remove(db, id, waits(true));
    if (gone && !*gone && doubtful) gone = true; // the answer to the try before was lost
    doubtful = !gone && db.lost();
    return gone;
  });
  if (!removed) return removed.error();
  if (!*removed) return detail::no_such_session(id, place_);
  return {};
}

}}

Result<std::shared_ptr<SessionStore>> open_postgres_store(std::string const& where,
                                                          PostgresStoreOptions options) {
  bool const needs_sync = options.durability != Durability::os;
  detail::PostgresSettings settings{where, options.schema, options.connect_wait, options.statement_wait,
                                    needs_sync && !options.accept_weaker};
  Result<detail::PostgresConnection> db = detail::PostgresConnection::open(settings);
  if (!db) return db.error();
  if (auto r = detail::prepare_postgres_schema(*db, options.schema, options.create); !r) return r.error();
  if (needs_sync && !db->syncs() && options.on_event)
    options.on_event(Event{Event::durability_lowered, {}, db->place() + detail::postgres_loses});
  return std::shared_ptr<SessionStore>(std::make_shared<postgres_store_inl::PostgresStore>(
      std::move(*db), std::move(settings), std::move(options)));
}

}}
