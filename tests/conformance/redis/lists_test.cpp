// SPDX-License-Identifier: MIT
// Lists cost what they show, not what there is: by the commands that the server counts.
#include "redis/writers.hpp"
#include "support/long_form.hpp"
#include "support/redis_server.hpp"

#include <sessionkit/redis/redis_store.hpp>

#include <algorithm>
#include <chrono>
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

TEST_CASE(
    "the newest 50 of a key, an agent or a user take as many commands, whatever the number of sessions") {
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
      store->list(query).value();        // the connection stands
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
                   << (query.user ? "user " : "") << (query.cursor.empty() ? "" : "behind a cursor ") << ": "
                   << few[many.size() - 1] << " commands of 5000, " << many.back() << " of all, "
                   << ms_of(took) << " ms");
    }
  }
  CHECK(few == many);
}

TEST_CASE("sessions of one time are paged one by one, whatever their number") {
  RedisServer const server;
  auto const store = sk::open_redis_store(server.url()).value();
  std::vector<std::string> expected, got;
  for (int i = 100; i < 160; ++i) {
    std::string const id = "s" + std::to_string(i);
    store->append(sid(id), batch_of({header_line(id)})).value();
    expected.push_back(id);
  }
  sk::ListQuery query;
  query.limit = 3;
  for (int page = 0; page < 100; ++page) {
    auto const now = store->list(query).value();
    for (auto const& info : now.sessions) got.push_back(info.id.str());
    if (now.next.empty()) break;
    query.cursor = now.next;
  }
  CHECK(got == expected);
}
