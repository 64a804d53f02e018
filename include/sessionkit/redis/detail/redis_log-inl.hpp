// SPDX-License-Identifier: MIT
// Reads and writes sessions and lists in Redis, each change in a script.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/store/row_text.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/redis/detail/redis_log.hpp>

#include <algorithm>
#include <charconv>
#include <deque>
#include <random>
#include <set>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace redis_log_inl { namespace {

constexpr std::int64_t exact_score = std::int64_t{1} << 53; // scores are doubles
constexpr std::uint64_t lines_at_once = 256;
constexpr std::int64_t pending_ms = 600000; // an announced change that is older was given up
constexpr std::int64_t claim_ms = 86400000; // longer than any process takes from its claim to its write
constexpr std::string_view redis_layout = "1";

// A sorted set read upwards gives the newest first, and equal times by id.
std::string score_of(std::int64_t updated_ms) { return std::to_string(-listed_time(updated_ms)); }

RedisSession session_of(RedisReply reply) {
  RedisSession seen;
  seen.reply = std::move(reply);
  RedisReply const row = seen.reply.at(1);
  seen.count = static_cast<std::uint64_t>(seen.reply.at(0).integer());
  seen.row_end = static_cast<std::uint64_t>(row.at(0).integer());
  seen.crc = row.at(1).text();
  seen.row_text = row.at(2).text();
  seen.made = row.at(4).text();
  seen.row_left_ms = seen.reply.at(3).integer();
  if (!row.at(3).is_nil()) seen.dialect = known_dialect(row.at(3).text());
  return seen;
}

std::string dialect_of_lines(RedisSession const& seen) {
  DialectSearch search;
  for (std::size_t i = 0; i < seen.lines(); ++i)
    if (search.look(seen.line(i))) break;
  return std::string(search.dialect().name);
}

std::string random_token() {
  std::random_device device;
  return detail::format_text("{:08x}{:08x}", device(), device());
}

}}

std::int64_t listed_time(std::int64_t unix_ms) noexcept {
  return std::clamp(unix_ms, -redis_log_inl::exact_score, redis_log_inl::exact_score);
}

std::vector<std::string> RedisKeys::lists(SessionInfo const& info) const {
  return {all(), prefix_ + "{#}:key:" + info.key, prefix_ + "{#}:agent:" + info.agent,
          prefix_ + "{#}:user:" + info.user};
}

std::string RedisKeys::list_for(ListQuery const& query) const {
  if (query.key) return prefix_ + "{#}:key:" + *query.key;
  if (query.user) return prefix_ + "{#}:user:" + *query.user;
  if (query.agent) return prefix_ + "{#}:agent:" + *query.agent;
  return all();
}

std::string_view RedisKeys::id_of_log(std::string_view key) const {
  std::size_t const begin = prefix_.size() + 1, end = key.rfind("}:log");
  if (key.substr(0, prefix_.size()) != prefix_ || end == std::string_view::npos || end < begin) return {};
  return key.substr(begin, end - begin);
}

LastRecord RedisSession::last() const {
  LastRecord last;
  last.end = Position{count};
  std::from_chars(crc.data(), crc.data() + crc.size(), last.crc);
  return last;
}

bool redis_record(std::string_view line, Position end, std::string_view dialect, RecordPage& page) {
  RecordView record;
  std::deque<std::string> unescaped;
  bool const entry = find_dialect(dialect)->head(line, record, unescaped);
  if (!entry) {
    page.damage.push_back(
        {end.value(), line.size(), DamageKind::bad_json, "a line of the log is no entry; it is passed over"});
    return false;
  }
  std::string const place = record.id.empty() ? id_by_place(end) : std::string();
  if (record.id.empty()) record.id = place;
  record.line = line;
  page.add(end, record);
  return true;
}

Result<void> RedisLog::open(RedisDeadline deadline) {
  if (auto r = servers_.open(scripts_.all(), deadline); !r) return r;
  RedisCall call{&scripts_.about, {keys_.about()}};
  call.values.with(redis_log_inl::redis_layout);
  Result<RedisAnswer> const layout = servers_.call(call, deadline);
  if (!layout) return layout.error();
  if (layout->reply.is_error()) return redis_refusal(layout->server, layout->reply.text());
  if (layout->reply.text() != redis_log_inl::redis_layout)
    return detail::make_error(Errc::unsupported_version,
                              "{}: '{}' says {}, this library knows layout {}; take a newer one, or another "
                              "prefix",
                              servers_.place().text(), keys_.about(), layout->reply.text(),
                              redis_log_inl::redis_layout);
  return {};
}

Result<RedisSession> RedisLog::look(SessionId const& id, std::uint64_t first, std::uint64_t most,
                                    RedisDeadline deadline) {
  RedisCall call{&scripts_.look, {keys_.log(id), keys_.row(id)}};
  auto const from = static_cast<std::int64_t>(std::min<std::uint64_t>(first, redis_log_inl::exact_score));
  call.values.with(most == 0 ? 1 : from).with(most == 0 ? 0 : from + static_cast<std::int64_t>(most) - 1);
  Result<RedisAnswer> answer = servers_.call(call, deadline);
  if (!answer) return answer.error();
  return redis_log_inl::session_of(std::move(answer->reply));
}

std::vector<Result<RedisSession>> RedisLog::look_all(std::vector<SessionId> const& ids,
                                                     RedisDeadline deadline) {
  std::vector<RedisCall> calls;
  for (SessionId const& id : ids) {
    calls.push_back({&scripts_.look, {keys_.log(id), keys_.row(id)}});
    calls.back().values.with(std::int64_t{1}).with(std::int64_t{0});
  }
  std::vector<Result<RedisSession>> all;
  for (Result<RedisReply>& reply : servers_.call_all(calls, deadline))
    all.push_back(reply ? Result<RedisSession>(redis_log_inl::session_of(std::move(*reply))) : reply.error());
  return all;
}

// Folds lines that were stored without their row, and stores the summary unless the log has grown since.
Result<SessionInfo> RedisLog::summary(SessionId const& id, RedisSession const& seen, RedisDeadline deadline) {
  if (seen.is_missing()) return no_such_session(id, servers_.place().text());
  if (!seen.is_stale()) return from_row_text(id, seen.row_text);
  bool const starts = seen.row_text.empty();
  SessionInfo info = starts ? make_session_info(id) : from_row_text(id, seen.row_text);
  std::uint64_t at = starts ? 0 : seen.row_end;
  std::string dialect = starts ? std::string() : std::string(seen.dialect);
  while (at < seen.count) {
    Result<RedisSession> some =
        look(id, at, std::min(redis_log_inl::lines_at_once, seen.count - at), deadline);
    if (!some) return some.error();
    if (some->made != seen.made || some->lines() == 0) // it is another session now
      return some->count == 0 ? no_such_session(id, servers_.place().text()) : summary(id, *some, deadline);
    if (dialect.empty()) dialect = redis_log_inl::dialect_of_lines(*some);
    for (std::size_t i = 0; i < some->lines(); ++i) {
      RecordPage page;
      Position const end{++at};
      if (redis_record(some->line(i), end, dialect, page)) {
        fold(info, page.items().front(), dialect);
      } else {
        ++info.damaged;
        info.end = end, info.end_crc = crc32c(some->line(i));
      }
    }
  }
  RedisCall call{&scripts_.keep_row, {keys_.log(id), keys_.row(id)}};
  call.values.with(static_cast<std::int64_t>(at)).with(std::int64_t{info.end_crc});
  call.values.with(to_row_text(info)).with(dialect);
  Result<RedisAnswer> const kept = servers_.call(call, deadline);
  if (!kept) return kept.error();
  if (auto r = settle(id, deadline); !r) return r.error();
  return info;
}

std::vector<std::string> RedisLog::keys_of(SessionId const& id, SessionInfo const& info) const {
  std::vector<std::string> keys{keys_.log(id), keys_.row(id)};
  if (cluster()) return keys;
  keys.push_back(keys_.where());
  for (std::string& list : keys_.lists(info)) keys.push_back(std::move(list));
  return keys;
}

Result<RedisLog::Written> RedisLog::write(SessionId const& id, Write const& write, RedisDeadline deadline) {
  std::string const member = cluster() ? redis_log_inl::random_token() + " " + id.str() : std::string();
  std::string place;
  if (cluster()) {
    Result<std::string> found = place_of(id, member, deadline);
    if (!found) // nothing of the session was changed
      return Error{Errc::unavailable, found.error().system, found.error().message};
    place = std::move(*found);
  }
  RedisCall call{&scripts_.append, keys_of(id, *write.info)};
  if (!write.token.empty()) {
    call.script = &scripts_.start;
    call.keys.push_back(keys_.bar(id.str(), write.token));
  }
  call.values.with(static_cast<std::int64_t>(write.expected.value()));
  call.values.with(write.expected_crc ? std::to_string(*write.expected_crc) : std::string());
  call.values.with(std::int64_t{ttl_.count()}).with(id.str());
  call.values.with(redis_log_inl::score_of(to_unix_ms(write.info->updated)))
      .with(std::int64_t{write.info->end_crc});
  call.values.with(to_row_text(*write.info)).with(write.dialect);
  for (std::string_view const line : write.lines) call.values.with(line);
  Result<RedisAnswer> const answer = servers_.call(call, deadline, write.durable);
  if (!answer) return answer.error(); // it stays announced: the next list looks at the session
  bool const done = answer->reply.integer() > 0;
  // The session's slot decides what is acknowledged. If a list cannot be reached now, its readers repair it
  // later.
  if (cluster()) {
    Result<bool> const moved =
        done ? move(id, place, *write.info, true, member, {}, deadline) : Result<bool>(false);
    if (moved && !*moved) static_cast<void>(settle(id, deadline, member));
  }
  return Written{done, answer->reply.integer() == -2, answer->repeated};
}

RedisLog::Claim RedisLog::make_claim(SessionId const& id) {
  return {redis_log_inl::random_token(), id.str()};
}

Result<std::optional<RedisLog::Claim>> RedisLog::claim(std::string_view key, Claim const& ours,
                                                       std::optional<Claim> const& given_up,
                                                       RedisDeadline deadline) {
  RedisCall call{&scripts_.claim, {keys_.claim(key)}};
  std::string const mine = ours.text(), theirs = given_up ? given_up->text() : std::string();
  call.values.with(std::string_view(mine)).with(std::string_view(theirs)).with(redis_log_inl::claim_ms);
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  if (!answer) return answer.error();
  std::string_view const held = answer->reply.text();
  if (held.empty()) return std::optional<Claim>{};
  std::size_t const space = std::min(held.find(' '), held.size());
  return std::optional<Claim>(
      Claim{std::string(held.substr(0, space)), std::string(held.substr(std::min(space + 1, held.size())))});
}

Result<void> RedisLog::unclaim(std::string_view key, Claim const& ours, RedisDeadline deadline) {
  RedisCall call{&scripts_.unclaim, {keys_.claim(key)}};
  std::string const mine = ours.text();
  call.values.with(std::string_view(mine));
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  return answer ? Result<void>{} : answer.error();
}

Result<bool> RedisLog::bar(SessionId const& id, Claim const& claim, RedisDeadline deadline) {
  RedisCall call{&scripts_.bar, {keys_.log(id), keys_.bar(id.str(), claim.token)}};
  call.values.with(redis_log_inl::claim_ms);
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  if (!answer) return answer.error();
  return answer->reply.integer() == 0;
}

Result<bool> RedisLog::touch(SessionId const& id, RedisDeadline deadline) {
  RedisCall const call{&scripts_.touch, {keys_.log(id), keys_.row(id)}};
  Result<RedisAnswer> const answer = servers_.call(call, deadline, true);
  if (!answer) return answer.error();
  return answer->reply.integer() > 0;
}

Result<bool> RedisLog::remove(SessionId const& id, bool durable, RedisDeadline deadline) {
  Result<RedisSession> const seen = look(id, 0, 0, deadline);
  if (!seen) return seen.error();
  if (seen->is_missing()) return false;
  SessionInfo const info = from_row_text(id, seen->row_text);
  std::string place;
  if (cluster()) {
    Result<std::string> found = place_of(id, {}, deadline);
    if (!found) return found.error();
    place = std::move(*found);
  }
  RedisCall call{&scripts_.remove, keys_of(id, info)};
  call.values.with(id.str());
  Result<RedisAnswer> const answer = servers_.call(call, deadline, durable);
  if (!answer) return answer.error();
  // If a list cannot be reached now, its readers leave out the removed session later.
  if (cluster()) static_cast<void>(move(id, place, info, false, {}, {}, deadline));
  return answer->reply.integer() > 0 || answer->repeated || seen->has_lost();
}

// The session's score in the lists, or empty. Announces a change if `member` is given.
Result<std::string> RedisLog::place_of(SessionId const& id, std::string const& member,
                                       RedisDeadline deadline) {
  RedisCall call{&scripts_.announce, {keys_.all(), keys_.pending()}};
  call.values.with(id.str()).with(std::string_view(member));
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  if (!answer) return answer.error();
  return std::string(answer->reply.text());
}

// False: the session is no longer where it was seen, and nothing was done.
Result<bool> RedisLog::move(SessionId const& id, std::string const& seen, SessionInfo const& info, bool there,
                            std::string const& member, std::string const& stray, RedisDeadline deadline) {
  RedisCall call{&scripts_.settle, {keys_.pending(), keys_.where()}};
  for (std::string& list : keys_.lists(info)) call.keys.push_back(std::move(list));
  bool const strays =
      !stray.empty() && std::find(call.keys.begin(), call.keys.end(), stray) == call.keys.end();
  if (strays) call.keys.push_back(stray);
  call.values.with(id.str()).with(std::string_view(seen));
  call.values.with(there ? redis_log_inl::score_of(to_unix_ms(info.updated)) : std::string());
  call.values.with(std::string_view(member)).with(std::int64_t{strays});
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  if (!answer) return answer.error();
  return answer->reply.integer() > 0;
}

Result<void> RedisLog::settle(SessionId const& id, RedisDeadline deadline, std::string const& member,
                              std::string const& stray) {
  for (;;) { // until no other program moves it in between, so that what was read last is current
    Result<std::string> const place = place_of(id, {}, deadline);
    if (!place) return place.error();
    Result<RedisSession> const seen = look(id, 0, 0, deadline);
    if (!seen) return seen.error();
    SessionInfo info = from_row_text(id, seen->row_text);
    if (seen->count > 0 && seen->is_stale()) {
      Result<SessionInfo> folded = summary(id, *seen, deadline);
      if (!folded && folded.error().code != Errc::not_found) return folded.error();
      if (folded) info = std::move(*folded);
    }
    Result<bool> const moved = move(id, *place, info, !seen->is_missing(), member, stray, deadline);
    if (!moved) return moved.error();
    if (*moved) return {};
  }
}

Result<std::vector<RedisLog::Listed>> RedisLog::listed(std::string const& list,
                                                       std::optional<std::int64_t> from, std::size_t most,
                                                       Patience patience) {
  RedisCall call{&scripts_.list, {list, keys_.pending()}};
  call.values.with(from ? redis_log_inl::score_of(*from) : std::string("-inf"))
      .with(static_cast<std::int64_t>(most));
  Result<RedisAnswer> answer = servers_.call(call, patience.end);
  if (answer && answer->reply.at(1).size() > 0) {
    if (auto r = settle_pending(answer->reply.at(1), answer->reply.at(0).integer(), patience); !r)
      return r.error();
    answer = servers_.call(call, patience.end);
  }
  if (!answer) return answer.error();
  std::vector<Listed> all;
  RedisReply const page = answer->reply.at(2);
  for (std::size_t i = 0; i + 1 < page.size(); i += 2)
    all.push_back({std::string(page.at(i).text()), -page.at(i + 1).integer()});
  return all;
}

RedisDeadline RedisLog::Patience::for_each() const noexcept {
  if (!leaves_out) return end;
  RedisDeadline const now = std::chrono::steady_clock::now();
  return now + (end - now) / 2;
}

// Settles changes that were announced and not settled: their writer is still at work, or has ended. An
// announcement is left to its writer for as long as that may still be alive.
Result<void> RedisLog::settle_pending(RedisReply const& pending, std::int64_t now_ms, Patience patience) {
  std::vector<SessionId> ids;
  std::vector<std::string> members; // the announcements that this settles
  std::set<std::string_view> done;
  for (std::size_t i = 0; i + 1 < pending.size(); i += 2) {
    std::string_view const member = pending.at(i).text();
    std::string_view const name = member.substr(std::min(member.size(), member.find(' ') + 1));
    bool const given_up = pending.at(i + 1).integer() < now_ms - redis_log_inl::pending_ms;
    if (!done.insert(name).second && !given_up) continue;
    Result<SessionId> id = SessionId::parse(std::string(name));
    if (!id) continue;
    ids.push_back(std::move(*id));
    members.emplace_back(given_up ? member : std::string_view());
  }
  std::vector<Result<RedisSession>> const seen = look_all(ids, patience.for_each());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Result<void> settled = seen[i] ? settle(ids[i], patience.end, members[i]) : Result<void>(seen[i].error());
    if (!settled && !patience.forgives(settled.error().code)) return settled;
  }
  return {};
}

Result<void> RedisLog::sweep(std::string const& list, std::vector<Listed> const& gone,
                             RedisDeadline deadline) {
  RedisCall call{&scripts_.sweep, {list, keys_.where()}};
  for (Listed const& one : gone)
    call.values.with(std::string_view(one.id)).with(redis_log_inl::score_of(one.updated_ms));
  Result<RedisAnswer> const answer = servers_.call(call, deadline);
  return answer ? Result<void>{} : answer.error();
}

Result<std::vector<SessionId>> RedisLog::scan(RedisDeadline deadline) {
  Result<std::vector<RedisAddress>> const servers = servers_.masters(deadline);
  if (!servers) return servers.error();
  std::set<SessionId> found; // SCAN may return a key twice
  for (RedisAddress const& server : *servers) {
    std::string cursor = "0";
    do {
      RedisCommand command;
      command.with("SCAN").with(std::string_view(cursor)).with("MATCH").with(keys_.log_pattern());
      Result<RedisReply> const some = servers_.ask_one(server, command.with("COUNT").with("1000"), deadline);
      if (!some) return some.error();
      if (some->is_error()) return redis_refusal(server.text(), some->text());
      cursor = some->at(0).text();
      for (std::size_t i = 0; i < some->at(1).size(); ++i)
        if (Result<SessionId> id = SessionId::parse(std::string(keys_.id_of_log(some->at(1).at(i).text()))))
          found.insert(std::move(*id));
    } while (cursor != "0");
  }
  return std::vector<SessionId>(found.begin(), found.end());
}

// Each session gets the whole of `wait` for itself, because there may be many sessions.
Result<std::size_t> RedisLog::reindex(std::chrono::milliseconds wait, StoreProgress const& progress) {
  auto const soon = [wait] { return std::chrono::steady_clock::now() + wait; };
  Result<std::vector<SessionId>> const ids = scan(soon() + std::chrono::hours(1));
  if (!ids) return ids.error();
  std::size_t done = 0;
  for (SessionId const& id : *ids) {
    if (auto r = settle(id, soon()); !r) return r.error();
    if (progress && (++done % 1024 == 0 || done == ids->size())) progress(done, ids->size());
  }
  return ids->size();
}

}}}
