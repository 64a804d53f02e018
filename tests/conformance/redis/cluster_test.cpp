// SPDX-License-Identifier: MIT
// Three masters and their replicas: slots that move, masters that die, programs that die between two slots.
#include "hosts.hpp"
#include "redis/writers.hpp"
#include "support/long_form.hpp"
#include "support/redis_server.hpp"

#include <sessionkit/redis/detail/redis_url.hpp>
#include <sessionkit/redis/redis_store.hpp>

#include <algorithm>
#include <csignal>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using std::chrono::milliseconds;

namespace {

std::vector<std::string> listed(sk::SessionStore& store, sk::ListQuery const& query = {}) {
  std::vector<std::string> ids;
  for (auto const& info : store.list(query).value().sessions) ids.push_back(info.id.str());
  return ids;
}

// Moves it with all keys, as an operator would.
void move_slot(RedisCluster& cluster, RedisServer& from, RedisServer& to, unsigned number) {
  std::string const slot = std::to_string(number);
  std::string const from_id = from.ask({"CLUSTER", "MYID"}), to_id = to.ask({"CLUSTER", "MYID"});
  to.ask({"CLUSTER", "SETSLOT", slot, "IMPORTING", from_id});
  from.ask({"CLUSTER", "SETSLOT", slot, "MIGRATING", to_id});
  for (;;) {
    std::string const keys = from.ask({"CLUSTER", "GETKEYSINSLOT", slot, "1"}); // one by one: slow on purpose
    if (keys.empty()) break;
    from.ask(
        {"MIGRATE", "127.0.0.1", std::to_string(to.port()), keys.substr(0, keys.find('\n')), "0", "5000"});
    std::this_thread::sleep_for(milliseconds(20));
  }
  for (RedisServer* server : {&to, &from}) server->ask({"CLUSTER", "SETSLOT", slot, "NODE", to_id});
  static_cast<void>(cluster);
}

}

TEST_CASE("CRC-16 slots are those of the cluster") {
  // From the Redis Cluster specification and CLUSTER KEYSLOT.
  CHECK(sk::detail::redis_slot("123456789") == 0x31C3);
  CHECK(sk::detail::redis_slot("foo") == 12182);
  CHECK(sk::detail::redis_slot("a{foo}b") == 12182);
  CHECK(sk::detail::redis_slot("{}foo") == sk::detail::redis_slot("{}foo"));
  CHECK(sk::detail::redis_slot("foo{}{bar}") == 8363);
}

TEST_CASE("the parameters of a Redis URL are cluster and ttl, in any order") {
  using sk::detail::parse_redis_url;
  auto const both = parse_redis_url("redis://h:7000,i/?ttl=90&cluster").value();
  CHECK(both.cluster);
  CHECK(both.ttl == std::chrono::seconds(90));
  CHECK(both.servers.size() == 2);
  CHECK(parse_redis_url("redis://h?cluster&ttl=1").value().ttl == std::chrono::seconds(1));
  CHECK(parse_redis_url("redis://h").value().ttl == std::chrono::seconds(0));
  for (char const* wrong :
       {"redis://h?ttl", "redis://h?ttl=", "redis://h?ttl=0", "redis://h?ttl=-1", "redis://h?ttl=1d",
        "redis://h?ttl=99999999999", "redis://h?cluster&x=1", "redis://h?cluster&&ttl=1"}) {
    CAPTURE(wrong);
    CHECK(parse_redis_url(wrong).error().code == sk::Errc::invalid_argument);
  }
}

TEST_CASE("a cluster: moved slots are followed, dead writers' sessions listed, lost lists rebuilt") {
  RedisCluster cluster;
  auto const store = sk::open_redis_store(cluster.url()).value();
  std::vector<sk::SessionId> sessions;
  for (char const* name : {"a", "b", "c", "d", "e"}) {
    sessions.push_back(sid(name));
    store->append(sessions.back(), batch_of({first_record(name)})).value();
  }

  SECTION("slots move while their sessions and the lists are written") {
    std::vector<Writer> writers;
    for (sk::SessionId const& id : sessions) writers.emplace_back(store, id, id.str() + "w");
    std::size_t const acknowledged = write_through(writers, *store, sessions, [&] {
      for (std::string const& key : {std::string("sessionkit:{a}:log"), std::string("sessionkit:{#}:all")}) {
        RedisServer& from = cluster.master_of(key);
        RedisServer& to = *cluster.servers()[&from == cluster.servers()[0].get() ? 1 : 0];
        move_slot(cluster, from, to, sk::detail::redis_slot(key));
        CHECK(&cluster.master_of(key) == &to);
        std::this_thread::sleep_for(milliseconds(100));
      }
    });
    CHECK(acknowledged > 20);
    CHECK(listed(*store).size() == sessions.size());
    for (Writer const& writer : writers) CHECK(writer.unknown() + writer.unavailable() == 0);
  }

  SECTION("a program dies between the session and its lists") {
    RedisServer& lists = cluster.master_of("sessionkit:{#}:all");
    std::string const now = lists.ask({"TIME"}), ms = now.substr(0, now.find('\n')) + "000";
    // Announced and written, not completed.
    for (char const* key : {"all", "key:main:cli:user", "agent:", "user:"})
      lists.ask({"ZREM", std::string("sessionkit:{#}:") + key, "c"});
    CHECK(listed(*store).size() == 4);
    lists.ask({"ZADD", "sessionkit:{#}:pending", ms, "0123 c"});
    CHECK(listed(*store) == std::vector<std::string>{"a", "b", "c", "d", "e"}); // of one time: by id
    sk::ListQuery by_key;
    by_key.key = "main:cli:user";
    CHECK(listed(*store, by_key).size() == 5);
    CHECK(lists.ask({"ZCARD", "sessionkit:{#}:pending"}) == "1"); // its writer may be alive
    // Only announced.
    lists.ask({"ZADD", "sessionkit:{#}:pending", ms, "4567 none"});
    CHECK(listed(*store).size() == 5);
    // Long ago.
    lists.ask({"ZADD", "sessionkit:{#}:pending", "1000", "0123 c", "1000", "4567 none"});
    CHECK(listed(*store).size() == 5);
    CHECK(lists.ask({"ZCARD", "sessionkit:{#}:pending"}) == "0");
    // Removed, but still in the lists, and in the list of a key it never had.
    lists.ask({"ZADD", "sessionkit:{#}:all", "-9999999999999", "gone"});
    lists.ask({"ZADD", "sessionkit:{#}:key:other", "-1", "d"});
    by_key.key = "other";
    CHECK(listed(*store, by_key).empty());
    CHECK(listed(*store).size() == 5);
    CHECK(lists.ask({"ZCARD", "sessionkit:{#}:all"}) == "5");
    CHECK(lists.ask({"EXISTS", "sessionkit:{#}:key:other"}) == "0");
    // At a wrong time.
    lists.ask({"ZADD", "sessionkit:{#}:all", "-9999999999999", "e"});
    sk::ListQuery one;
    one.limit = 1;
    CHECK(listed(*store, one) == std::vector<std::string>{"a"});
    CHECK(lists.ask({"ZCARD", "sessionkit:{#}:pending"}) == "0"); // writers leave none
  }

  SECTION("a session expires") {
    RedisServer& lists = cluster.master_of("sessionkit:{#}:all");
    cluster.master_of("sessionkit:{c}:log").ask({"DEL", "sessionkit:{c}:log", "sessionkit:{c}:row"});
    CHECK(listed(*store).size() == 4);
    for (char const* key : {"all", "key:main:cli:user", "agent:", "user:"})
      CHECK(lists.ask({"ZCARD", std::string("sessionkit:{#}:") + key}) == "4");
    CHECK(lists.ask({"HLEN", "sessionkit:{#}:where"}) == "4");
  }

  SECTION("programs are killed anywhere in their appends") {
    std::size_t made = sessions.size();
    std::set<std::string> there;
    int const kills = long_form() ? 200 : 15;
    for (int k = 0; k < kills; ++k) {
      std::string const name = "k" + std::to_string(k) + "-";
      pid_t const child = ::fork();
      if (child == 0) {
        auto const own = sk::open_redis_store(cluster.url());
        for (int n = 0; own; ++n) {
          std::string const id = name + std::to_string(n);
          static_cast<void>((*own)->append(sid(id), batch_of({first_record(id)})));
        }
        ::_exit(1);
      }
      while (!store->info(sid(name + "0"))) std::this_thread::sleep_for(milliseconds(1));
      std::this_thread::sleep_for(std::chrono::microseconds(3000 + 617 * k));
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      for (int n = 0; store->info(sid(name + std::to_string(n))); ++n, ++made)
        there.insert(name + std::to_string(n));
    }
    CHECK(there.size() > static_cast<std::size_t>(kills));
    sk::ListQuery all;
    all.limit = 1000000;
    std::vector<std::string> const ids = listed(*store, all);
    CHECK(ids.size() == made);
    std::set<std::string> const seen(ids.begin(), ids.end());
    CHECK(std::includes(seen.begin(), seen.end(), there.begin(), there.end()));
  }

  SECTION("all lists are lost") {
    RedisServer& lists = cluster.master_of("sessionkit:{#}:all");
    for (char const* key : {"all", "key:main:cli:user", "agent:", "user:"})
      lists.ask({"DEL", std::string("sessionkit:{#}:") + key});
    CHECK(listed(*store).empty());
    CHECK(sk::reindex_redis_store(cluster.url()).value() == 5);
    CHECK(listed(*store).size() == 5);
  }

  SECTION("a URL without ?cluster gets an error that says so") {
    std::string url = cluster.url();
    url.erase(url.find('?'));
    auto const got = sk::open_redis_store(url.substr(0, url.find(',')));
    sk::Errc seen = got ? sk::Errc::not_found : got.error().code;
    for (char const* name : {"a", "b", "c"})
      if (auto const info = got ? (*got)->info(sid(name)) : got.error(); !info) seen = info.error().code;
    CHECK(seen == sk::Errc::unsupported);
    RedisServer const alone;
    auto const none = sk::open_redis_store(alone.url() + "?cluster");
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("no cluster") != std::string::npos);
  }
}

TEST_CASE(
    "when masters die under writers, entries that a replica had before the acknowledgement are kept once") {
  RedisCluster cluster;
  sk::RedisStoreOptions options;
  options.replicas = 1;
  options.wait = milliseconds(500); // shorter than a failover takes: outcomes are unknown
  auto const store = sk::open_redis_store(cluster.url(), options).value();
  std::vector<sk::SessionId> sessions;
  std::vector<Writer> writers;
  for (char const* name : {"a", "b", "c", "d"}) {
    sessions.push_back(sid(name));
    store->append(sessions.back(), batch_of({first_record(name)})).value();
    writers.emplace_back(store, sessions.back(), std::string(name) + "w");
  }
  int const rounds = long_form() ? 10 : 1;
  options.wait = milliseconds(20000);
  auto const patient = sk::open_redis_store(cluster.url(), options).value();
  std::size_t const acknowledged = write_through(writers, *patient, sessions, [&] {
    for (int round = 0; round < rounds; ++round) {
      std::this_thread::sleep_for(milliseconds(300));
      RedisServer& victim =
          cluster.master_of("sessionkit:{" + sessions[static_cast<std::size_t>(round) % 4].str() + "}:log");
      victim.kill();
      cluster.master_of("sessionkit:{" + sessions[static_cast<std::size_t>(round) % 4].str() + "}:log");
      victim.start(); // comes back as a replica
      victim.wait_until_answering();
      cluster.wait_until_well();
      std::this_thread::sleep_for(milliseconds(300));
    }
  });
  int unknown = 0, unavailable = 0;
  for (Writer const& writer : writers) unknown += writer.unknown(), unavailable += writer.unavailable();
  WARN(acknowledged << " entries acknowledged, " << rounds << " failovers, " << unknown << " unknown, "
                    << unavailable << " unavailable");
  CHECK(acknowledged > 20);
  CHECK(unknown + unavailable > 0);
  CHECK(listed(*patient).size() == 4);
}

TEST_CASE("a cluster with a master away opens, lists and continues with the sessions of the others") {
  RedisCluster cluster(
      {"--appendonly", "yes", "--appendfsync", "always", "--cluster-require-full-coverage", "no"});
  sk::RedisStoreOptions options;
  options.wait = milliseconds(1500);
  auto const before = sk::open_redis_store(cluster.url(), options).value();
  std::size_t const away = &cluster.master_of("sessionkit:{#}:all") == cluster.servers()[0].get() ? 1 : 0;
  RedisServer& victim = *cluster.servers()[away];
  std::vector<std::string> lost, kept;
  for (char const* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    before->append(sid(name), batch_of({first_record(name, name)})).value();
    std::string const log = "sessionkit:{" + std::string(name) + "}:log";
    (&cluster.master_of(log) == &victim ? lost : kept).emplace_back(name);
  }
  REQUIRE_FALSE(lost.empty());
  REQUIRE_FALSE(kept.empty());
  cluster.servers()[away + 3]->kill(); // its replica
  victim.kill();

  auto const after = sk::open_redis_store(cluster.url(), options);
  INFO((after ? "" : after.error().message));
  REQUIRE(after);
  for (auto const& store : {before, *after}) {
    CHECK(listed(*store) == kept);
    CHECK_FALSE(lines_of(*store, sid(kept[0])).empty());
    sk::SessionInfo const info = store->info(sid(kept[0])).value();
    CHECK(store->append(sid(kept[0]), batch_of({message_record("m")}, info.end)).ok());
    sk::ListQuery query;
    query.key = kept[0];
    CHECK(listed(*store, query).size() == 1);
    query.key = lost[0]; // hosts create a session if there is none
    auto const asked = store->list(query);
    auto const written =
        store->append(sid(lost[0]), batch_of({first_record(lost[0])})); // and stays announced
    for (sk::Error const& error : {asked.error(), written.error()}) {
      CAPTURE(error.message);
      CHECK(error.code == sk::Errc::unavailable);
      CHECK(error.message.find(":" + std::to_string(victim.port())) != std::string::npos);
      CHECK(error.message.find("start the server") != std::string::npos);
    }
  }
}

TEST_CASE("a key that several processes resume at once has one session in a cluster") {
  RedisCluster cluster;
  gives_each_key_one_session(
      [&cluster] {
        sk::RedisStoreOptions options;
        options.durability = sk::Durability::os;
        return sk::open_redis_store(cluster.url(), options).value();
      },
      long_form() ? 1000 : 40);
}
