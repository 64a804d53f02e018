// SPDX-License-Identifier: MIT
// The cost of a list depends on its page, not on the store: checked by the commands that the server counts.
#include "redis/writers.hpp"
#include "support/long_form.hpp"
#include "support/redis_server.hpp"

#include <sessionkit/redis/redis_store.hpp>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

using namespace sessionkit_test;

namespace {

// What the store writes, without its time: KEYS none, ARGV first last.
constexpr char const* fill_script = R"lua(
for i = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local id, at = 's' .. i, string.format('%d', 1762243200000 + i * 1000)
  local key, agent, user = 'key' .. i % 100, 'agent' .. i % 10, 'user' .. i % 1000
  redis.call('RPUSH', 'sessionkit:{' .. id .. '}:log', '{}')
  redis.call('HSET', 'sessionkit:{' .. id .. '}:row', 'end', 1, 'crc', 0, 'dialect', 'native', 'row',
             '{"key":"' .. key .. '","agentId":"' .. agent .. '","user":"' .. user ..
             '","createdAt":0,"lastAt":' .. at .. ',"end":1}')
  for _, list in ipairs({'all', 'key:' .. key, 'agent:' .. agent, 'user:' .. user}) do
    redis.call('ZADD', 'sessionkit:{#}:' .. list, '-' .. at, id)
  end
end
)lua";

void fill(RedisServer const& server, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 5000)
    server.ask({"EVAL", fill_script, "0", std::to_string(i), std::to_string(std::min(i + 5000, count) - 1)});
}

std::vector<sk::ListQuery> queries() {
  std::vector<sk::ListQuery> all(5);
  all[1].key = "key42";
  all[2].agent = "agent3";
  all[3].user = "user123";
  all[4].key = "key42", all[4].agent = "agent2";
  std::size_t const plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) {
    all.push_back(all[i]);
    all.back().cursor = "1762243500000:s300";
  }
  return all;
}

double ms_of(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

std::vector<std::string> paged(sk::SessionStore& store, std::size_t limit) {
  std::vector<std::string> ids;
  sk::ListQuery query;
  query.limit = limit;
  for (int page = 0; page < 100; ++page) {
    auto const now = store.list(query).value();
    for (auto const& info : now.sessions) ids.push_back(info.id.str());
    if (now.next.empty()) break;
    query.cursor = now.next;
  }
  return ids;
}

void make_at(sk::SessionStore& store, std::string const& id, std::int64_t unix_ms) {
  sk::SessionInfo info = sk::make_session_info(sid(id));
  info.key = "key of " + id;
  info.updated = sk::from_unix_ms(unix_ms);
  std::vector<Line> const lines{first_record(id)};
  sk::Append batch = batch_of(lines);
  batch.after = &info;
  store.append(sid(id), batch).value();
}

long calls_of(RedisServer const& server) {
  std::string const stats = server.ask({"INFO", "commandstats"});
  long calls = 0;
  for (std::size_t at = 0; (at = stats.find("calls=", at)) != std::string::npos; at += 6) {
    std::size_t const line = stats.rfind('\n', at) + 1;
    if (stats.compare(line, 12, "cmdstat_info") != 0) calls += std::stol(stats.substr(at + 6));
  }
  return calls;
}

}

TEST_CASE("the newest 50 of a key, an agent or a user take the same number of commands, whatever the number "
          "of sessions") {
  std::vector<long> few, many;
  std::size_t const most = long_form() ? 100000 : 20000;
  for (std::size_t const count : {std::size_t{5000}, most}) {
    RedisServer const server({"--appendonly", "no"});
    sk::RedisStoreOptions options;
    options.accept_weaker = true;
    auto const store = sk::open_redis_store(server.url(), options).value();
    fill(server, count);
    for (sk::ListQuery query : queries()) {
      query.limit = query.user ? 2 : 20; // as many as the rarest has
      store->list(query).value();        // the connection exists
      long const before = calls_of(server);
      auto const begin = std::chrono::steady_clock::now();
      auto const page = store->list(query).value();
      auto const took = std::chrono::steady_clock::now() - begin;
      (count == 5000 ? few : many).push_back(calls_of(server) - before);
      CAPTURE(count, query.key.value_or("-"), query.agent.value_or("-"), query.user.value_or("-"),
              query.cursor);
      REQUIRE_FALSE(page.sessions.empty());
      std::set<std::string> seen;
      for (auto const& info : page.sessions) {
        CHECK(seen.insert(info.id.str()).second);
        CHECK(sk::selects(query, info));
      }
      CHECK(std::is_sorted(page.sessions.begin(), page.sessions.end(),
                           [](auto const& x, auto const& y) { return x.updated > y.updated; }));
      if (!query.key && !query.agent && !query.user && query.cursor.empty())
        CHECK(page.sessions.front().id.str() == "s" + std::to_string(count - 1));
      if (count == most)
        WARN("of " << count << " by " << (query.key ? "key " : "") << (query.agent ? "agent " : "")
                   << (query.user ? "user " : "") << (query.cursor.empty() ? "" : "after a cursor ") << ": "
                   << few[many.size() - 1] << " commands of 5000, " << many.back() << " of all, "
                   << ms_of(took) << " ms");
    }
  }
  CHECK(few == many);
}

TEST_CASE("sessions with equal times are paged one by one, whatever their number") {
  RedisServer const server;
  auto const store = sk::open_redis_store(server.url()).value();
  std::vector<std::string> expected;
  for (int i = 100; i < 160; ++i) {
    std::string const id = "s" + std::to_string(i);
    store->append(sid(id), batch_of({first_record(id)})).value();
    expected.push_back(id);
  }
  CHECK(paged(*store, 3) == expected);
}

TEST_CASE("times that no score can distinguish count as equal, and such sessions are all listed") {
  RedisServer const server;
  auto const store = sk::open_redis_store(server.url()).value();
  std::vector<std::string> future, past;
  for (int i = 10; i < 30; ++i) {
    future.push_back("n" + std::to_string(i));
    make_at(*store, future.back(), 1767225600000000000 + (i * 7919) % 1000);
  }
  for (std::int64_t const ms : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-99999999999999999}}) {
    past.push_back("p" + std::to_string(past.size()));
    make_at(*store, past.back(), ms);
  }
  make_at(*store, "now", 1762243200000);
  std::vector<std::string> expected = future;
  expected.emplace_back("now");
  expected.insert(expected.end(), past.begin(), past.end());
  for (std::size_t const limit : {1U, 3U, 50U}) CHECK(paged(*store, limit) == expected);
  for (std::string const& id : expected) {
    sk::ListQuery query;
    query.key = "key of " + id;
    CHECK(store->list(query).value().sessions.size() == 1);
  }
}

TEST_CASE("a session that is older than its position in the list is corrected at once") {
  RedisServer const server;
  auto const store = sk::open_redis_store(server.url()).value();
  make_at(*store, "old", 1000);
  for (int i = 1; i < 6; ++i) make_at(*store, "s" + std::to_string(i), 1000000 - i);
  server.ask({"ZADD", "sessionkit:{#}:all", "-9999999999999", "old", "-9999999999999", "s3"});
  auto const limit = GENERATE(1, 2, 50);
  CHECK(paged(*store, static_cast<std::size_t>(limit))
        == std::vector<std::string>{"s1", "s2", "s3", "s4", "s5", "old"});
}

TEST_CASE("the first read of a list removes expired sessions from all lists in a few calls") {
  RedisServer const server;
  auto const store = sk::open_redis_store(server.url()).value();
  constexpr int gone = 300;
  for (int i = 0; i < gone; ++i) {
    std::string const id = "s" + std::to_string(i);
    store->append(sid(id), batch_of({first_record(id, "key" + id)})).value();
  }
  make_at(*store, "alive", 1);
  for (int i = 0; i < gone; ++i) { // as the server does
    std::string const keys = "sessionkit:{s" + std::to_string(i) + "}:";
    server.ask({"DEL", keys + "log", keys + "row"});
  }
  sk::ListQuery one;
  one.limit = 1;
  server.ask({"CONFIG", "RESETSTAT"});
  CHECK(store->list(one).value().sessions.at(0).id.str() == "alive");
  std::string const stats = server.ask({"INFO", "commandstats"}), scripts = "cmdstat_evalsha:calls=";
  CHECK(std::stol(stats.substr(stats.find(scripts) + scripts.size())) < gone + 30); // a look at each
  CHECK(server.ask({"ZCARD", "sessionkit:{#}:all"}) == "1");
  CHECK(server.ask({"HKEYS", "sessionkit:{#}:where"}) == "alive\n");
  CHECK(server.ask({"KEYS", "sessionkit:{#}:key:*"}) == "sessionkit:{#}:key:key of alive\n");
}
