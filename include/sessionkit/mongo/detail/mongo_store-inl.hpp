// SPDX-License-Identifier: MIT
// Implements the store interface over a MongoDB database.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/mongo/detail/mongo_log.hpp>
#include <sessionkit/mongo/detail/mongo_pool.hpp>
#include <sessionkit/mongo/mongo_store.hpp>

#include <algorithm>
#include <mutex>
#include <random>
#include <thread>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace mongo_store_inl { namespace {

using detail::MongoConnection;
using detail::MongoDeadline;
using detail::MongoLog;
using detail::MongoPool;

std::mt19937_64 mongo_random() {
  std::random_device device;
  std::seed_seq seed{device(), device(), device(), device(), device(), device(), device(), device()};
  return std::mt19937_64(seed);
}

class MongoStore final : public SessionStore {
 public:
  MongoStore(MongoConnection first, detail::MongoSettings settings, MongoStoreOptions options)
      : SessionStore(options.profile.value_or(profiles::native)),
        options_(std::move(options)),
        process_(first.place()),
        place_(first.place()),
        log_(options_.prefix, options_.ttl),
        pool_(std::move(settings), std::max<std::size_t>(options_.connections, 1), std::move(first)),
        random_(mongo_random()) {}
  MongoStore(MongoStore const&) = delete;
  MongoStore& operator=(MongoStore const&) = delete;
  ~MongoStore() override {
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
    std::string token;
    bool doubtful = false;                        ///< a write that failed may have been executed
    std::optional<MongoLog::Addition> stray = {}; ///< was stored, but may be in no log
    bool is_unsettled() const noexcept { return doubtful || stray; }
  };
  /// The end of a log as this store wrote it last. An insert there needs no read: if somebody else wrote
  /// behind it, the key is taken, and if the session was removed, its row is gone.
  struct KnownEnd {
    std::string start;
    detail::LastRecord last;
    std::int64_t kept_until_ms = 0;
  };

  template <class Work> auto with_connection(Work work) -> decltype(work(std::declval<MongoConnection&>()));
  bool waits(bool durable) const noexcept;
  std::optional<KnownEnd> known_end(SessionId const& id);
  void remember(SessionId const& id, KnownEnd end);
  std::string make_token();

  Result<Position> append_on(MongoConnection& db, Attempt& attempt);
  Result<Position> append_alone(MongoConnection& db, Attempt& attempt);
  Result<bool> key_is_free(MongoConnection& db, Attempt const& attempt) const;
  Result<std::optional<Position>> append_at_once(MongoConnection& db, Attempt& attempt);
  Result<std::optional<Position>> append_by_looking(MongoConnection& db, Attempt& attempt);
  Result<detail::AppendPlan> decide(MongoConnection& db, Attempt const& attempt,
                                    std::optional<detail::LastRecord> const& last) const;
  Result<std::optional<Position>> write(MongoConnection& db, Attempt& attempt, MongoLog::Addition addition,
                                        SessionInfo before);
  Result<void> discard_stray(MongoConnection& db, Attempt& attempt) const;

  MongoStoreOptions options_;
  detail::OpeningProcess process_;
  std::string place_;
  MongoLog log_;
  MongoPool pool_;
  std::mutex mutex_; // of what is below
  std::unordered_map<std::string, KnownEnd> known_;
  std::mt19937_64 random_; // a device asked for each append costs more than the rest of it
};

constexpr int most_mongo_tries = 100; // for an append that other writers overtake each time
constexpr std::size_t most_known_ends = 4096;
constexpr std::chrono::milliseconds between_mongo_tries{20};

bool MongoStore::waits(bool durable) const noexcept {
  return options_.durability != Durability::os && (durable || options_.durability == Durability::entry);
}

std::optional<MongoStore::KnownEnd> MongoStore::known_end(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto const found = known_.find(id.str());
  return found != known_.end() ? std::optional<KnownEnd>(found->second) : std::nullopt;
}

void MongoStore::remember(SessionId const& id, KnownEnd end) {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (known_.size() >= most_known_ends) known_.clear(); // each costs one read
  known_[id.str()] = std::move(end);
}

std::string MongoStore::make_token() {
  std::lock_guard<std::mutex> const lock(mutex_);
  return detail::format_text("{:016x}", random_());
}

// Repeats the work on a fresh connection until the deadline if a connection broke or a server stepped back.
template <class Work>
auto MongoStore::with_connection(Work work) -> decltype(work(std::declval<MongoConnection&>())) {
  MongoDeadline const deadline = std::chrono::steady_clock::now() + options_.wait;
  for (auto wanted = MongoPool::Wanted::any;; wanted = MongoPool::Wanted::fresh) {
    Error failed;
    {
      Result<MongoPool::Lease> lease = pool_.take(deadline, wanted);
      if (!lease && lease.error().code != Errc::unavailable) return lease.error();
      if (lease) {
        auto done = work(**lease);
        if (done || !(**lease).spent()) return done;
        failed = done.error();
      } else {
        failed = lease.error();
      }
    }
    if (std::chrono::steady_clock::now() + between_mongo_tries >= deadline) return failed;
    std::this_thread::sleep_for(between_mongo_tries);
  }
}

// Writes the part of a batch that the addition names after the end that was read. Absent: look at the log
// again.
Result<std::optional<Position>> MongoStore::write(MongoConnection& db, Attempt& attempt,
                                                  MongoLog::Addition addition, SessionInfo before) {
  std::vector<RecordView> const& records = attempt.batch.records;
  Position const end = addition.last.end;
  std::vector<Position> ends;
  for (std::size_t i = addition.from; i < records.size(); ++i)
    ends.emplace_back(end.value() + ends.size() + 1);
  SessionInfo const info =
      detail::info_after(std::move(before), attempt.batch, {addition.from, end}, ends, addition.dialect);
  addition.records = &records;
  addition.token = attempt.token;
  if (end == Position{}) addition.start = attempt.token;
  addition.info = &info;
  addition.durable = attempt.durable;
  Result<MongoLog::Added> const added = log_.add(db, attempt.id, addition);
  addition.info = nullptr; // it ends with this call
  if (!added) attempt.doubtful = attempt.doubtful || db.doubtful();
  if (!added || *added == MongoLog::Added::stray)
    attempt.stray = addition; // it is removed unless the log has it
  if (!added) return added.error();
  if (*added != MongoLog::Added::stored) return std::optional<Position>{};
  attempt.stray.reset();
  remember(attempt.id, {addition.start, {info.end, info.end_crc}, addition.kept_until_ms});
  return std::optional<Position>(ends.back());
}

// Usually the log ends where the batch expects it, and its new summary is known, so no read is needed.
Result<std::optional<Position>> MongoStore::append_at_once(MongoConnection& db, Attempt& attempt) {
  Append const& batch = attempt.batch;
  if (batch.records.empty() || attempt.is_unsettled()) return std::optional<Position>{};
  MongoLog::Addition addition;
  if (batch.expected == Position{}) {
    addition.dialect = detail::dialect_of_start(batch);
    addition.sole_key = batch.unless_active;
    return write(db, attempt, std::move(addition), make_session_info(attempt.id));
  }
  std::optional<KnownEnd> known = known_end(attempt.id);
  if (batch.after == nullptr || !known || known->last.end != batch.expected
      || known->last.crc != batch.expected_crc.value_or(known->last.crc))
    return std::optional<Position>{};
  addition.start = std::move(known->start);
  addition.last = known->last;
  addition.kept_until_ms = known->kept_until_ms;
  return write(db, attempt, std::move(addition), make_session_info(attempt.id));
}

Result<detail::AppendPlan> MongoStore::decide(MongoConnection& db, Attempt const& attempt,
                                              std::optional<detail::LastRecord> const& last) const {
  Append const& batch = attempt.batch;
  detail::AppendDecision decision(attempt.id, batch, last);
  if (attempt.is_unsettled()) decision.may_repeat_itself();
  ReadRange range;
  range.from = batch.expected;
  if (decision.wants_line()) {
    range.order = ReadRange::newest_first;
    range.max_records = 1;
    Result<std::optional<RecordPage>> const page = log_.page(db, attempt.id, range);
    if (!page) return page.error();
    bool const any = *page && !(*page)->items().empty();
    decision.line_at_expected(any && decision.expects((*page)->items().front()));
    range = ReadRange{};
    range.from = batch.expected;
  }
  for (bool more = decision.wants_behind(); more;) {
    Result<std::optional<RecordPage>> const page = log_.page(db, attempt.id, range);
    if (!page) return page.error();
    if (!*page) break; // it was removed in between, and the next look finds out
    more = (*page)->more;
    range.from = (*page)->next;
    for (RecordPage::Item const& item : (*page)->items()) more = decision.see(item) && more;
  }
  return decision.plan();
}

Result<void> MongoStore::discard_stray(MongoConnection& db, Attempt& attempt) const {
  if (!attempt.stray) return {};
  if (auto r = log_.discard(db, attempt.id, *attempt.stray); !r) return r;
  attempt.stray.reset();
  return {};
}

// Absent: another writer was faster.
Result<std::optional<Position>> MongoStore::append_by_looking(MongoConnection& db, Attempt& attempt) {
  Append const& batch = attempt.batch;
  Result<std::optional<MongoLog::Row>> const row = log_.look(db, attempt.id);
  if (!row) return row.error();
  bool const other = attempt.stray && (!*row || (*row)->start != attempt.stray->start);
  if (other && *row) // it is of a session that never started, or was removed
    if (auto r = discard_stray(db, attempt); !r) return r.error();
  std::optional<detail::LastRecord> last;
  if (*row) last = (*row)->last();
  Result<detail::AppendPlan> const plan = decide(db, attempt, last);
  if (!plan) {
    if (db.spent()) return plan.error();
    if (auto r = discard_stray(db, attempt); !r) return r.error(); // the decision did not see it in the log
    return plan.error();
  }
  if (plan->from == batch.records.size()) {
    attempt.stray.reset(); // the log has it
    if (!attempt.durable) return std::optional<Position>(plan->end);
    Result<bool> const synced = log_.sync(db, attempt.id);
    if (!synced) return synced.error();
    return *synced ? std::optional<Position>(plan->end) : std::nullopt;
  }
  MongoLog::Addition addition;
  addition.from = plan->from;
  addition.dialect = *row ? (*row)->dialect : detail::dialect_of_start(batch);
  if (!*row) {
    addition.sole_key = batch.unless_active;
    return write(db, attempt, std::move(addition), make_session_info(attempt.id));
  }
  addition.start = (*row)->start;
  addition.last = (*row)->last();
  addition.kept_until_ms = (*row)->kept_until_ms;
  return write(db, attempt, std::move(addition), (*row)->info);
}

Result<Position> MongoStore::append_on(MongoConnection& db, Attempt& attempt) {
  Result<std::optional<Position>> end = append_at_once(db, attempt);
  for (int tries = 0; end && !*end && tries < most_mongo_tries; ++tries) end = append_by_looking(db, attempt);
  if (!end) return end.error();
  if (*end) return **end;
  return detail::make_error(Errc::timed_out, "session '{}': others write to it all the time; try again",
                            attempt.id.str());
}

// True if no active session has the key; then the unique key of the row decides between those that start one
// now. False: look again. Fails with `conflict` if a session has the key.
Result<bool> MongoStore::key_is_free(MongoConnection& db, Attempt const& attempt) const {
  std::string_view const key = attempt.batch.unless_active;
  Result<std::vector<SessionInfo>> const active = log_.list(db, active_query(key), std::nullopt);
  if (!active) return active.error();
  std::optional<SessionId> other;
  if (!active->empty()) other = active->front().id;
  bool const listed = other.has_value();
  if (!other) {
    Result<std::optional<SessionId>> sole = log_.sole_of(db, key);
    if (!sole) return sole.error();
    other = std::move(*sole);
  }
  if (!other) return true;
  Result<std::optional<MongoLog::Row>> const row = log_.look(db, *other); // moves it on
  if (!row) return row.error();
  if (!*row) return false;
  if (selects(active_query(key), (*row)->info)) return detail::key_has_session(attempt.id, key, other->str());
  if (listed) return false;
  if (auto r = log_.free_key(db, *other, key); !r) return r.error(); // it is archived
  return false;
}

// Starts a session unless its key has one.
Result<Position> MongoStore::append_alone(MongoConnection& db, Attempt& attempt) {
  for (int tries = 0; tries < most_mongo_tries; ++tries) {
    Result<std::optional<MongoLog::Row>> const own = log_.look(db, attempt.id);
    if (!own) return own.error();
    if (*own) return append_on(db, attempt);
    Result<bool> const free = key_is_free(db, attempt);
    if (!free) {
      if (db.spent()) return free.error();
      if (auto r = discard_stray(db, attempt); !r) return r.error();
      return free.error();
    }
    if (!*free) continue;
    Result<std::optional<Position>> const end = append_by_looking(db, attempt);
    if (!end) return end.error();
    if (*end) return **end;
  }
  return detail::make_error(Errc::timed_out,
                            "session '{}': others start sessions of its key all the time; try again",
                            attempt.id.str());
}

Result<Position> MongoStore::append(SessionId const& id, Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  detail::LineLimits const limits{options_.max_line, false, detail::server_batch};
  if (auto r = detail::check_lines(batch.records, limits, "session '" + id.str() + "'"); !r) return r.error();
  Attempt attempt{id, batch, waits(batch.durable), make_token()};
  Result<Position> end = with_connection([&](MongoConnection& db) {
    Result<Position> done = detail::is_sole_start(batch) ? append_alone(db, attempt) : append_on(db, attempt);
    attempt.doubtful = attempt.doubtful || (!done && db.doubtful());
    return done;
  });
  if (end) return end;
  Error error = end.error();
  bool const decided = error.code == Errc::conflict || error.code == Errc::already_exists
                       || error.code == Errc::not_found || error.code == Errc::invalid_argument;
  if (attempt.is_unsettled() && !decided) {
    error.code = Errc::outcome_unknown;
    error.message = detail::format_text(
        "session '{}': {}; it is not known whether it was stored: repeat it with the same ids", id.str(),
        error.message);
  }
  if (error.code == Errc::io_error) error.code = Errc::not_written;
  return error;
}

Result<RecordPage> MongoStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<RecordPage>> page =
      with_connection([&](MongoConnection& db) { return log_.page(db, id, range); });
  if (!page) return page.error();
  if (!*page) return detail::no_such_session(id, place_);
  return std::move(**page);
}

Result<SessionInfo> MongoStore::info(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<MongoLog::Row>> const row =
      with_connection([&](MongoConnection& db) { return log_.look(db, id); });
  if (!row) return row.error();
  if (!*row) return detail::no_such_session(id, place_);
  return (*row)->info;
}

Result<SessionPage> MongoStore::list(ListQuery const& query) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  Result<std::vector<SessionInfo>> rows =
      with_connection([&](MongoConnection& db) { return log_.list(db, query, *behind); });
  if (!rows) return rows.error();
  return detail::page_of_rows(std::move(*rows), query);
}

Result<void> MongoStore::remove(SessionId const& id) {
  if (auto r = process_.check(); !r) return r;
  bool tried = false;
  Result<bool> const removed = with_connection([&](MongoConnection& db) {
    Result<bool> gone = log_.remove(db, id);
    if (gone && !*gone && tried) gone = true; // the try before did it, or a part of it
    tried = !gone;
    return gone;
  });
  if (!removed) return removed.error();
  if (!*removed) return detail::no_such_session(id, place_);
  return {};
}

Result<void> check_prefix(std::string const& prefix) {
  std::string_view const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  bool const letter = !prefix.empty() && allowed.substr(0, 52).find(prefix.front()) != std::string_view::npos;
  bool const reserved = prefix.compare(0, 7, "system.") == 0;
  if (letter && !reserved && prefix.size() <= 64 && prefix.find_first_not_of(allowed) == std::string::npos)
    return {};
  return detail::make_error(
      Errc::invalid_argument,
      "the prefix '{}' begins no name of a collection; take a letter and up to 63 more of "
      "A-Z a-z 0-9 . _ -",
      prefix);
}

}}

Result<std::shared_ptr<SessionStore>> open_mongo_store(std::string const& url, MongoStoreOptions options) {
  if (auto r = mongo_store_inl::check_prefix(options.prefix); !r) return r.error();
  Result<detail::MongoSettings> settings = detail::parse_mongo_url(url, options.connect_wait, options.wait);
  if (!settings) return settings.error();
  Result<detail::MongoConnection> db = detail::MongoConnection::open(*settings);
  if (!db) return db.error();
  if (auto r = detail::MongoLog(options.prefix, options.ttl).prepare(*db); !r) return r.error();
  return std::shared_ptr<SessionStore>(std::make_shared<mongo_store_inl::MongoStore>(
      std::move(*db), std::move(*settings), std::move(options)));
}

}}
