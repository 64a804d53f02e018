// SPDX-License-Identifier: MIT
// Implements the store interface over a Redis server or cluster.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/redis/detail/redis_log.hpp>
#include <sessionkit/redis/redis_store.hpp>

#include <algorithm>
#include <set>

namespace sessionkit { inline namespace v0 {

namespace redis_store_inl { namespace {

using detail::RedisDeadline;
using detail::RedisLog;
using detail::RedisServers;
using detail::RedisSession;

constexpr std::uint64_t redis_lines_at_first = 32; // later reads take as many as their sizes suggest
constexpr std::size_t redis_rows_at_once = 512;

class RedisStore final : public SessionStore {
 public:
  RedisStore(detail::RedisPlace place, RedisStoreOptions options, Profile const& profile)
      : SessionStore(profile),
        options_(std::move(options)),
        process_(place.text()),
        servers_(std::move(place), {options_.connect_wait, options_.durability, options_.accept_weaker,
                                    options_.replicas, options_.ttl.count() != 0, options_.on_event}),
        log_(servers_, options_.prefix, options_.ttl) {}

  Result<void> open() { return log_.open(std::chrono::steady_clock::now() + options_.connect_wait); }
  Result<std::size_t> reindex(StoreProgress const& progress) { return log_.reindex(options_.wait, progress); }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override;

 private:
  struct Page;
  RedisDeadline deadline() const { return std::chrono::steady_clock::now() + options_.wait; }
  bool is_durable(bool asked) const {
    return options_.durability != Durability::os && (asked || options_.durability == Durability::entry);
  }
  /// One append, in as many calls as it takes.
  struct Attempt {
    RedisDeadline end;
    std::string token = {}; ///< of the claim with which the session may start; empty: it needs none
    bool may_stand = false; ///< an earlier try may have been executed
  };
  Result<std::optional<Position>> append_unseen(SessionId const& id, Append const& batch, Attempt& attempt);
  Result<Position> append_seen(SessionId const& id, Append const& batch, Attempt& attempt);
  Result<std::string> claim(SessionId const& id, std::string_view key, RedisDeadline end);
  Result<void> take_claim(SessionId const& id, std::string_view key, RedisLog::Claim const& ours,
                          RedisDeadline end);
  Result<bool> is_given_up(SessionId const& id, std::string_view key, RedisLog::Claim const& theirs,
                           RedisDeadline end);
  Result<detail::AppendPlan> decide(SessionId const& id, Append const& batch, RedisSession const& seen,
                                    Attempt const& attempt);
  Error lines_missing(SessionId const& id, RedisSession const& seen) const;
  Result<Position> confirm(SessionId const& id, Append const& batch, Position answer, RedisDeadline end);
  Result<std::vector<RedisLog::Listed>> take_page(std::string const& list, Page& page,
                                                  RedisLog::Patience patience);
  Result<void> take_rows(std::vector<RedisLog::Listed> const& all, std::string const& list,
                         ListQuery const& query, Page& page, RedisLog::Patience patience);
  Result<bool> take_row(RedisLog::Listed const& listed, SessionId const& id, RedisSession const& seen,
                        std::string const& list, ListQuery const& query, Page& page, RedisDeadline end);

  RedisStoreOptions options_;
  detail::OpeningProcess process_;
  RedisServers servers_;
  RedisLog log_;
};

/// The state of a list while it is collected.
struct RedisStore::Page {
  std::optional<detail::ListPlace> behind = {}; ///< the cursor
  std::optional<RedisLog::Listed> last = {};    ///< the last one looked at
  std::size_t at_once = 0;
  bool ended = false, again = false;
  std::set<std::string> seen = {};
  std::vector<SessionInfo> found = {};
};

// The place of a session in the order of the lists.
detail::ListPlace redis_place(SessionInfo const& info) {
  return {detail::listed_time(to_unix_ms(info.updated)), info.id.str()};
}

// A call that only reads changes nothing, so an unknown outcome is the same as no answer.
Error redis_reading(Error error) {
  if (error.code == Errc::outcome_unknown) error.code = Errc::unavailable;
  return error;
}

Error overtaken(SessionId const& id, std::string_view key) {
  return detail::make_error(
      Errc::conflict, "session '{}' was not started: another process starts one for key '{}'; look for it",
      id.str(), key);
}

// The right to start a session for a key: a claim, which is held before the key's list is read. So of two
// processes one sees the claim of the other, or its session in the list. Answers the token to start with;
// empty: the session exists, and nothing is required of it.
Result<std::string> RedisStore::claim(SessionId const& id, std::string_view key, RedisDeadline end) {
  Result<RedisSession> const own = log_.look(id, 0, 0, end);
  if (!own) return own.error();
  if (own->count > 0) return std::string();
  RedisLog::Claim ours = RedisLog::make_claim(id);
  if (auto r = take_claim(id, key, ours, end); !r) return r.error();
  Result<SessionPage> const active = list(active_query(key));
  if (active && active->sessions.empty()) return std::move(ours.token);
  static_cast<void>(log_.unclaim(key, ours, end)); // left, it would only cost the next one two calls
  if (!active) return active.error();
  return detail::key_has_session(id, key, active->sessions.front().id.str());
}

Result<void> RedisStore::take_claim(SessionId const& id, std::string_view key, RedisLog::Claim const& ours,
                                    RedisDeadline end) {
  std::optional<RedisLog::Claim> given_up;
  for (;;) { // again if another process took over the claim that was given up
    Result<std::optional<RedisLog::Claim>> theirs = log_.claim(key, ours, given_up, end);
    if (!theirs) return theirs.error();
    if (!*theirs) return {};
    Result<bool> const free = is_given_up(id, key, **theirs, end);
    if (!free) return free.error();
    given_up.reset();
    if (*free) given_up = std::move(**theirs);
  }
}

// True if the claim's session does not answer for the key and never will by this claim. False: look again.
Result<bool> RedisStore::is_given_up(SessionId const& id, std::string_view key, RedisLog::Claim const& theirs,
                                     RedisDeadline end) {
  Result<SessionId> const other = SessionId::parse(theirs.id);
  if (!other) return true; // not ours
  Result<RedisSession> const seen = log_.look(*other, 0, 0, end);
  if (!seen) return seen.error();
  if (seen->count == 0) return log_.bar(*other, theirs, end); // it was removed, or is about to start
  Result<SessionInfo> const info = log_.summary(*other, *seen, end);
  if (!info) return info.error().code == Errc::not_found ? Result<bool>(false) : info.error();
  if (*other != id && selects(active_query(key), *info)) return detail::key_has_session(id, key, theirs.id);
  return true;
}

Result<Position> RedisStore::append(SessionId const& id, Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  detail::LineLimits const limits{options_.max_line, false, detail::server_batch};
  if (auto r = detail::check_lines(batch.records, limits, "session '" + id.str() + "'"); !r) return r.error();
  Attempt attempt{deadline()};
  if (detail::is_sole_start(batch)) {
    Result<std::string> token = claim(id, batch.unless_active, attempt.end);
    if (!token) return redis_reading(token.error()); // nothing of the session is written
    attempt.token = std::move(*token);
  }
  Result<Position> done = Position{};
  Result<std::optional<Position>> const unseen = append_unseen(id, batch, attempt);
  if (!unseen)
    done = unseen.error();
  else if (*unseen)
    return **unseen;
  else
    done = append_seen(id, batch, attempt);
  if (done) return done;
  Error error = done.error();
  bool const unanswered = error.code == Errc::unavailable || error.code == Errc::outcome_unknown;
  if (attempt.may_stand && unanswered) error.code = Errc::outcome_unknown;
  char const* const fix = error.code == Errc::outcome_unknown
                              ? "; it is not known whether it was stored: repeat it with the same ids"
                              : "";
  error.message = detail::format_text("session '{}': {}{}", id.str(), error.message, fix);
  return error;
}

// If the caller gives the summary and knows the last line, no read is needed: the server compares and writes
// in one call. Absent: the log does not end there.
Result<std::optional<Position>> RedisStore::append_unseen(SessionId const& id, Append const& batch,
                                                          Attempt& attempt) {
  bool const starts = batch.expected == Position{};
  if (batch.after == nullptr || batch.records.empty() || (!starts && !batch.expected_crc))
    return std::optional<Position>{};
  RedisLog::Write write;
  write.expected = batch.expected;
  if (!starts) write.expected_crc = batch.expected_crc;
  std::vector<Position> ends;
  for (RecordView const& record : batch.records) {
    write.lines.push_back(record.line);
    ends.emplace_back(batch.expected.value() + write.lines.size());
  }
  SessionInfo const info = detail::info_after(make_session_info(id), batch, {}, ends, {});
  write.info = &info;
  if (starts) write.dialect = detail::dialect_of_start(batch);
  write.durable = is_durable(batch.durable);
  write.token = attempt.token;
  Result<RedisLog::Written> const written = log_.write(id, write, attempt.end);
  if (!written) return written.error();
  attempt.may_stand = written->may_stand;
  if (written->barred) return overtaken(id, batch.unless_active);
  return written->done ? std::optional<Position>(ends.back()) : std::nullopt;
}

Error RedisStore::lines_missing(SessionId const& id, RedisSession const& seen) const {
  return detail::make_error(
      Errc::corrupt,
      "session '{}': lines {} to {}, which its row knows, are missing from the end of its "
      "log; restore them, or DEL {} to go on without them",
      id.str(), seen.count + 1, seen.row_end, log_.keys().row(id));
}

Result<detail::AppendPlan> RedisStore::decide(SessionId const& id, Append const& batch,
                                              RedisSession const& seen, Attempt const& attempt) {
  RedisDeadline const end = attempt.end;
  std::optional<detail::LastRecord> last;
  if (seen.count > 0) last = seen.last();
  detail::AppendDecision decision(id, batch, last);
  if (attempt.may_stand) decision.may_repeat_itself();
  std::uint64_t const expected = batch.expected.value();
  if (decision.wants_line()) {
    Result<RedisSession> const one = log_.look(id, expected - 1, 1, end);
    if (!one) return one.error();
    RecordPage::Item record{{}, batch.expected};
    if (one->lines() > 0) record.line = one->line(0);
    decision.line_at_expected(one->lines() > 0 && decision.expects(record));
  }
  bool more = decision.wants_behind();
  for (std::uint64_t at = expected; more && at < seen.count;) {
    std::uint64_t const some = std::min<std::uint64_t>(seen.count - at, 64 + batch.records.size());
    Result<RedisSession> const behind = log_.look(id, at, some, end);
    if (!behind) return behind.error();
    more = behind->lines() > 0;
    for (std::size_t i = 0; more && i < behind->lines(); ++i) {
      RecordPage page;
      if (detail::redis_record(behind->line(i), Position{++at}, seen.dialect, page))
        more = decision.see(page.items().front());
    }
  }
  return decision.plan();
}

// The entries are stored; now they must be as durable as the caller asks, whichever process wrote them.
Result<Position> RedisStore::confirm(SessionId const& id, Append const& batch, Position answer,
                                     RedisDeadline end) {
  if (!is_durable(batch.durable)) return answer;
  Result<bool> const touched = log_.touch(id, end);
  if (!touched) return touched.error();
  if (!*touched) return detail::no_such_session(id, servers_.place().text());
  return answer;
}

Result<Position> RedisStore::append_seen(SessionId const& id, Append const& batch, Attempt& attempt) {
  RedisDeadline const end = attempt.end;
  for (;;) { // again if another writer was faster
    Result<RedisSession> seen = log_.look(id, 0, 0, end);
    if (!seen) return redis_reading(seen.error());
    if (seen->has_lost()) return lines_missing(id, *seen);
    SessionInfo before = make_session_info(id);
    if (seen->count > 0) {
      bool const stale = seen->is_stale();
      Result<SessionInfo> summary = log_.summary(id, *seen, end);
      if (!summary && summary.error().code != Errc::not_found) return redis_reading(summary.error());
      if (stale) continue;
      before = std::move(*summary);
    }
    Result<detail::AppendPlan> const plan = decide(id, batch, *seen, attempt);
    if (!plan) return redis_reading(plan.error());
    if (plan->from == batch.records.size()) return confirm(id, batch, plan->end, end);

    RedisLog::Write write;
    write.expected = Position{seen->count};
    if (seen->count > 0) write.expected_crc = seen->last().crc;
    if (seen->count == 0) write.dialect = detail::dialect_of_start(batch);
    std::vector<Position> ends;
    for (std::size_t i = plan->from; i < batch.records.size(); ++i) {
      write.lines.push_back(batch.records[i].line);
      ends.emplace_back(seen->count + write.lines.size());
    }
    std::string_view const dialect = seen->count == 0 ? write.dialect : seen->dialect;
    SessionInfo const info = detail::info_after(std::move(before), batch, *plan, ends, dialect);
    write.info = &info;
    write.durable = is_durable(batch.durable);
    if (seen->count == 0) write.token = attempt.token;
    Result<RedisLog::Written> const written = log_.write(id, write, end);
    if (!written) return written.error();
    attempt.may_stand = attempt.may_stand || written->may_stand;
    if (written->barred) return overtaken(id, batch.unless_active);
    if (written->done) return ends.back();
  }
}

Result<RecordPage> RedisStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = process_.check(); !r) return r.error();
  RedisDeadline const end = deadline();
  bool const backwards = range.order == ReadRange::newest_first;
  std::uint64_t const most = std::max<std::size_t>(range.max_records, 1);
  RecordPage page;
  std::string made;
  std::uint64_t at = 0;
  std::size_t bytes = 0;
  std::uint64_t some = std::min(most, redis_lines_at_first);
  for (bool first = true;; first = false) {
    if (first && backwards) { // the end of the log must be known first
      Result<RedisSession> const whole = log_.look(id, 0, 0, end);
      if (!whole) return redis_reading(whole.error());
      at = std::min(range.from.value_or(Position{whole->count}).value(), whole->count);
    } else if (first) {
      at = range.from.value_or(Position{}).value();
    }
    std::uint64_t const from = backwards ? at - std::min(at, some) : at;
    Result<RedisSession> const seen = log_.look(id, from, backwards ? at - from : some, end);
    if (!seen) return redis_reading(seen.error());
    if (seen->has_lost()) return lines_missing(id, *seen);
    if (seen->count == 0) return detail::no_such_session(id, servers_.place().text());
    if (first) {
      made = seen->made;
      page.dialect = seen->dialect;
      page.log_end = Position{seen->count};
      page.next = Position{std::min(at, seen->count)};
    } else if (seen->made != made) { // it was removed and created again between two reads
      return read(id, range);
    }
    for (std::size_t i = 0; i < seen->lines(); ++i) {
      std::uint64_t const index = backwards ? from + seen->lines() - 1 - i : from + i;
      std::string_view const line = seen->line(static_cast<std::size_t>(index - from));
      bytes += line.size();
      page.more = !page.items().empty() && (page.items().size() >= most || bytes > range.max_bytes);
      if (page.more) return page;
      detail::redis_record(line, Position{index + 1}, page.dialect, page);
      page.next = Position{backwards ? index : index + 1};
    }
    at = page.next.value();
    if (seen->lines() == 0 || (backwards ? at == 0 : at >= page.log_end.value())) return page;
    std::size_t const average =
        std::max<std::size_t>(bytes / std::max<std::size_t>(page.items().size(), 1), 1);
    some = std::clamp<std::uint64_t>((range.max_bytes - std::min(bytes, range.max_bytes)) / average + 1, 1,
                                     most - std::min<std::uint64_t>(most, page.items().size()) + 1);
  }
}

Result<SessionInfo> RedisStore::info(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  RedisDeadline const end = deadline();
  Result<RedisSession> const seen = log_.look(id, 0, 0, end);
  if (!seen) return redis_reading(seen.error());
  if (seen->count == 0 && seen->has_lost()) return lines_missing(id, *seen);
  Result<SessionInfo> info = log_.summary(id, *seen, end);
  if (!info) return redis_reading(info.error());
  return info;
}

// False: the session belongs further back than the list had it, and it is there now.
Result<bool> RedisStore::take_row(RedisLog::Listed const& listed, SessionId const& id,
                                  RedisSession const& seen, std::string const& list, ListQuery const& query,
                                  Page& page, RedisDeadline end) {
  Result<SessionInfo> info = log_.summary(id, seen, end);
  if (!info) return info.error().code == Errc::not_found ? Result<bool>(true) : info.error();
  std::int64_t const updated = redis_place(*info).updated_ms;
  std::vector<std::string> const lists = log_.keys().lists(*info);
  bool const belongs = std::find(lists.begin(), lists.end(), list) != lists.end();
  if (!belongs || updated != listed.updated_ms)
    if (auto r = log_.settle(id, end, {}, belongs ? std::string() : list); !r) return r.error();
  if (belongs && updated < listed.updated_ms) return false;
  bool const before = page.behind && !(*page.behind < redis_place(*info)); // it is newer than it was
  if (!before && selects(query, *info) && page.seen.insert(id.str()).second)
    page.found.push_back(std::move(*info));
  return true;
}

// Reads the next items of the list.
Result<std::vector<RedisLog::Listed>> RedisStore::take_page(std::string const& list, Page& page,
                                                            RedisLog::Patience patience) {
  std::optional<detail::ListPlace> from = page.behind;
  if (page.last) from = detail::ListPlace{page.last->updated_ms, page.last->id};
  Result<std::vector<RedisLog::Listed>> all = log_.listed(
      list, from ? std::optional<std::int64_t>(from->updated_ms) : std::nullopt, page.at_once, patience);
  if (!all) return all;
  page.ended = all->size() < page.at_once;
  auto const is_before = [&](RedisLog::Listed const& one) {
    return from && !(*from < detail::ListPlace{one.updated_ms, one.id});
  };
  all->erase(std::remove_if(all->begin(), all->end(), is_before), all->end());
  // If all have one time and are before the cursor, only a larger read gets past them. Else it saves calls.
  if (all->empty() || page.at_once < redis_rows_at_once) page.at_once *= 2;
  return all;
}

// Reads the sessions that the list named, and repairs the list if it disagrees with them.
Result<void> RedisStore::take_rows(std::vector<RedisLog::Listed> const& all, std::string const& list,
                                   ListQuery const& query, Page& page, RedisLog::Patience patience) {
  std::vector<SessionId> ids;
  std::vector<RedisLog::Listed> named, gone;
  for (RedisLog::Listed const& one : all) {
    Result<SessionId> id = SessionId::parse(one.id);
    if (!id) continue;
    ids.push_back(std::move(*id));
    named.push_back(one);
  }
  std::vector<Result<RedisSession>> const rows = log_.look_all(ids, patience.for_each());
  bool moved_back = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    bool const is_gone = rows[i] && rows[i]->is_missing(); // removed, expired, or lost by its server
    if (is_gone) gone.push_back(named[i]);
    if (is_gone) continue;
    Result<bool> const taken = rows[i] ? take_row(named[i], ids[i], *rows[i], list, query, page, patience.end)
                                       : Result<bool>(rows[i].error());
    if (!taken && !patience.forgives(taken.error().code)) return taken.error();
    moved_back = moved_back || (taken && !*taken);
  }
  if (!gone.empty())
    if (auto r = log_.sweep(list, gone, patience.end); !r) return r;
  page.again = moved_back; // the moved one may belong among these
  if (!page.again && !all.empty()) page.last = all.back();
  return {};
}

Result<SessionPage> RedisStore::list(ListQuery const& query) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  if (query.limit == 0) return SessionPage{};
  RedisLog::Patience const patience{deadline(), !query.key};
  Page page;
  page.behind = *behind;
  if (page.behind) page.behind->updated_ms = detail::listed_time(page.behind->updated_ms);
  page.at_once =
      std::min(query.limit, redis_rows_at_once) + 2; // plus the cursor's own, and one to detect a next page
  std::string const list = log_.keys().list_for(query);
  while (page.again || (!page.ended && page.found.size() <= query.limit)) {
    Result<std::vector<RedisLog::Listed>> const all = take_page(list, page, patience);
    if (!all) return redis_reading(all.error());
    if (auto r = take_rows(*all, list, query, page, patience); !r) return redis_reading(r.error());
  }
  std::sort(page.found.begin(), page.found.end(),
            [](SessionInfo const& a, SessionInfo const& b) { return redis_place(a) < redis_place(b); });
  return detail::page_of_rows(std::move(page.found), query);
}

Result<void> RedisStore::remove(SessionId const& id) {
  if (auto r = process_.check(); !r) return r;
  Result<bool> const removed = log_.remove(id, is_durable(true), deadline());
  if (!removed) return removed.error();
  if (!*removed) return detail::no_such_session(id, servers_.place().text());
  return {};
}

Result<std::shared_ptr<RedisStore>> make_redis_store(std::string const& url, RedisStoreOptions options) {
  Result<detail::RedisPlace> place = detail::parse_redis_url(url);
  if (!place) return place.error();
  if (place->tls)
    return detail::make_error(Errc::unsupported,
                              "{}: this store has no TLS; use redis:// through a tunnel (stunnel)",
                              place->text());
  std::string_view const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:._-";
  if (options.prefix.size() > 64 || options.prefix.find_first_not_of(allowed) != std::string::npos)
    return detail::make_error(Errc::invalid_argument,
                              "the prefix '{}' is no name for keys; take up to 64 of A-Z a-z 0-9 : . _ -",
                              options.prefix);
  if (options.ttl.count() == 0) options.ttl = place->ttl;
  Profile const profile = options.profile ? *options.profile : profiles::native;
  auto store = std::make_shared<RedisStore>(std::move(*place), std::move(options), profile);
  if (auto r = store->open(); !r) return r.error();
  return store;
}

}}

Result<std::shared_ptr<SessionStore>> open_redis_store(std::string const& url, RedisStoreOptions options) {
  Result<std::shared_ptr<redis_store_inl::RedisStore>> store =
      redis_store_inl::make_redis_store(url, std::move(options));
  if (!store) return store.error();
  return std::shared_ptr<SessionStore>(std::move(*store));
}

Result<std::size_t> reindex_redis_store(std::string const& url, RedisStoreOptions options,
                                        StoreProgress const& progress) {
  Result<std::shared_ptr<redis_store_inl::RedisStore>> const store =
      redis_store_inl::make_redis_store(url, std::move(options));
  if (!store) return store.error();
  return (*store)->reindex(progress);
}

}}
