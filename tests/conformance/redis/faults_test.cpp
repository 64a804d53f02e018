// SPDX-License-Identifier: MIT
// Servers that are killed, stopped and full, and connections that break: acknowledged entries are stored
// once.
#include "redis/writers.hpp"
#include "support/long_form.hpp"
#include "support/redis_server.hpp"
#include "support/tcp_proxy.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/redis/redis_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using std::chrono::milliseconds;

namespace {

sk::RedisStoreOptions waiting(milliseconds wait) {
  sk::RedisStoreOptions options;
  options.wait = wait;
  return options;
}
std::shared_ptr<sk::SessionStore> open(std::string const& url, sk::RedisStoreOptions const& options = {}) {
  return sk::open_redis_store(url, options).value();
}
std::string url_of(int port) { return "redis://127.0.0.1:" + std::to_string(port); }

}

TEST_CASE("killing redis-server under four writers loses and doubles no acknowledged entry") {
  RedisServer server;
  auto const store = open(server.url(), waiting(milliseconds(60)));
  std::vector<sk::SessionId> const sessions{sid("a"), sid("b")};
  std::vector<Writer> writers;
  for (sk::SessionId const& id : sessions) {
    store->append(id, batch_of({first_record(id.str())})).value();
    for (char const* name : {"x", "y"}) writers.emplace_back(store, id, id.str() + name);
  }
  int const kills = long_form() ? 50 : 4;
  std::size_t const acknowledged = write_through(writers, *store, sessions, [&] {
    for (int i = 0; i < kills; ++i) {
      std::this_thread::sleep_for(milliseconds(100 + 13 * (i % 7)));
      server.kill();
      if (i % 3 == 0) std::this_thread::sleep_for(milliseconds(100)); // longer than calls wait
      server.start();
      server.wait_until_answering();
      server.ask({"PING"});
    }
    std::this_thread::sleep_for(milliseconds(100));
  });
  int unknown = 0, unavailable = 0;
  for (Writer const& writer : writers) unknown += writer.unknown(), unavailable += writer.unavailable();
  WARN(acknowledged << " entries acknowledged, " << kills << " kills, " << unknown << " unknown, "
                    << unavailable << " unavailable");
  CHECK(acknowledged > static_cast<std::size_t>(kills) * 4);
}

TEST_CASE("a connection cut after any byte of an append, either way, stores all of it or nothing, and the "
          "outcome is found") {
  RedisServer const server;
  TcpProxy proxy(server.port());
  sk::SessionId const id = sid("s1");
  auto const direction = GENERATE(TcpProxy::to_server, TcpProxy::to_client);
  bool const for_good = GENERATE(false, true);
  auto const store = open(url_of(proxy.port()), waiting(for_good ? milliseconds(100) : milliseconds(5000)));
  auto const patient = open(server.url()); // checks and repeats, even on a busy machine
  std::vector<std::string> expected{first_record("s1").text, message_record("m0").text};
  sk::Position end = patient->append(id, batch_of({first_record("s1"), message_record("m0")})).value();
  sk::SessionInfo info = patient->info(id).value();
  bool const unseen = GENERATE(false, true); // one call with a summary, two without
  int unknown = 0, stood = 0;
  std::int64_t const step = long_form() ? 1 : direction == TcpProxy::to_server ? 211 : 97;
  std::int64_t whole = 1 << 20; // bytes of an append, measured with an undisturbed one
  for (std::int64_t n = whole, next = 0;;
       n = next, next += whole - n <= 8 ? 1 : std::min(step, whole - n - 8)) {
    CAPTURE(direction, for_good, unseen, n);
    std::string const name = std::to_string(10000000 + n);
    std::vector<Line> const lines{message_record(name + "a", "first"), message_record(name + "b", "second")};
    sk::Append batch = batch_of(lines, end);
    info = patient->info(id).value();
    batch.expected_crc = info.end_crc;
    if (unseen) batch.after = &info;
    while (!store->info(id)) {} // it is connected, so the append is cut
    proxy.cut_after(direction, n, for_good);
    sk::Result<sk::Position> got = store->append(id, batch);
    bool const cut = proxy.was_cut();
    if (!cut) whole = proxy.bytes(direction);
    proxy.restore();
    if (!for_good) REQUIRE(got); // it was repeated
    if (!got) {
      sk::Errc const code = got.error().code;
      REQUIRE((code == sk::Errc::outcome_unknown || code == sk::Errc::unavailable));
      unknown += code == sk::Errc::outcome_unknown ? 1 : 0;
      std::size_t const stand = lines_of(*patient, id).size() - expected.size();
      REQUIRE((stand == 0 || stand == 2));
      if (code == sk::Errc::unavailable) REQUIRE(stand == 0);
      if (direction == TcpProxy::to_server && n < whole) REQUIRE(stand == 0);
      stood += stand > 0 ? 1 : 0;
      got = patient->append(id, batch);
      REQUIRE(got);
    }
    end = *got;
    for (Line const& line : lines) expected.push_back(line.text);
    if (n % 7 == 0) REQUIRE(lines_of(*patient, id) == expected);
    if (!cut && next > 0) break; // after the last byte
  }
  CHECK(lines_of(*patient, id) == expected);
  if (for_good) CHECK(unknown > 0);
  if (for_good && direction == TcpProxy::to_client) CHECK(stood > 0);
}

TEST_CASE("a stopped server is waited for as long as asked, and ids resolve the outcome") {
  RedisServer const server;
  auto const store = open(server.url(), waiting(milliseconds(300)));
  sk::Position const end = store->append(sid("s1"), batch_of({first_record("s1")})).value();
  server.signal(SIGSTOP);
  auto const begin = std::chrono::steady_clock::now();
  sk::Result<sk::Position> const got = store->append(sid("s1"), batch_of({message_record("m1")}, end));
  auto const took = std::chrono::steady_clock::now() - begin;
  sk::Result<sk::SessionInfo> const info = store->info(sid("s1"));
  server.signal(SIGCONT);
  REQUIRE_FALSE(got);
  CHECK((got.error().code == sk::Errc::outcome_unknown || got.error().code == sk::Errc::unavailable));
  CHECK(took < milliseconds(2000));
  REQUIRE_FALSE(info);
  CHECK(info.error().code == sk::Errc::unavailable);
  store->append(sid("s1"), batch_of({message_record("m1")}, end)).value();
  CHECK(lines_of(*store, sid("s1")).size() == 2);
}

TEST_CASE("a server that keeps less than asked is refused, or accepted and reported") {
  struct Case {
    RedisServer::Settings settings;
    sk::Durability asked;
    char const* why; // empty: it does
  };
  std::vector<Case> const cases{
      {{"--appendonly", "no"}, sk::Durability::os, "appendonly no"},
      {{"--appendonly", "yes", "--appendfsync", "everysec"}, sk::Durability::os, ""},
      {{"--appendonly", "yes", "--appendfsync", "everysec"}, sk::Durability::turn, "appendfsync everysec"},
      {{"--appendonly", "yes", "--appendfsync", "no"}, sk::Durability::entry, "appendfsync no"},
      {{"--appendonly", "yes", "--appendfsync", "always"}, sk::Durability::entry, ""},
      {{"--appendonly", "yes", "--appendfsync", "always", "--rename-command", "CONFIG", "x"},
       sk::Durability::turn,
       "CONFIG is forbidden"},
      {{"--appendonly", "yes", "--rename-command", "CONFIG", "x"}, sk::Durability::os, ""},
      {{"--appendonly", "no", "--rename-command", "CONFIG", "x"}, sk::Durability::os, "appendonly no"},
      {{"--appendonly", "yes", "--appendfsync", "always", "--maxmemory", "100mb", "--maxmemory-policy",
        "allkeys-lru"},
       sk::Durability::turn,
       "allkeys-lru"}};
  for (Case const& one : cases) {
    CAPTURE(one.why);
    RedisServer const server(one.settings);
    sk::RedisStoreOptions options;
    options.durability = one.asked;
    std::vector<std::string> reported;
    options.on_event = [&](sk::Event const& event) {
      if (event.kind == sk::Event::durability_lowered) reported.push_back(event.message);
    };
    auto const store = sk::open_redis_store(server.url(), options);
    if (*one.why == '\0') {
      CHECK(store.ok());
      continue;
    }
    REQUIRE_FALSE(store);
    CHECK(store.error().code == sk::Errc::unsupported);
    CHECK(store.error().message.find(one.why) != std::string::npos);
    CHECK(store.error().message.find("set appendonly yes") != std::string::npos);
    CHECK(reported.empty());
    options.accept_weaker = true;
    auto const weaker = open(server.url(), options);
    weaker->append(sid("s1"), batch_of({first_record("s1")})).value();
    REQUIRE(reported.size() == 1);
    CHECK(reported[0].find(one.why) != std::string::npos);
  }
}

TEST_CASE("a server that drops sessions when memory is short is refused, or accepted and reported") {
  struct Case {
    char const* policy;
    milliseconds ttl;
    bool bounded, drops;
  };
  std::vector<Case> const cases{
      {"allkeys-lru", milliseconds(0), true, true},        {"volatile-lru", milliseconds(60000), true, true},
      {"volatile-ttl", milliseconds(60000), true, true},   {"volatile-lru", milliseconds(0), true, false},
      {"volatile-lru", milliseconds(60000), false, false}, {"noeviction", milliseconds(60000), true, false}};
  bool const without_config = GENERATE(false, true);
  for (Case const& one : cases) {
    CAPTURE(one.policy, one.ttl.count(), one.bounded, without_config);
    RedisServer::Settings settings{"--appendonly", "yes", "--appendfsync", "always"};
    for (char const* more : {"--maxmemory-policy", one.policy, "--maxmemory", one.bounded ? "100mb" : "0"})
      settings.emplace_back(more);
    if (without_config)
      for (char const* more : {"--rename-command", "CONFIG", "x"}) settings.emplace_back(more);
    RedisServer const server(settings);
    sk::RedisStoreOptions options;
    options.ttl = one.ttl;
    options.durability = without_config ? sk::Durability::os : sk::Durability::turn;
    auto const store = sk::open_redis_store(server.url(), options);
    CHECK(store.ok() == !one.drops);
    if (!one.drops) continue;
    CHECK(store.error().code == sk::Errc::unsupported);
    CHECK(store.error().message.find(one.policy) != std::string::npos);
    CHECK(store.error().message.find("maxmemory-policy noeviction") != std::string::npos);
    std::vector<std::string> reported;
    options.accept_weaker = true;
    options.on_event = [&](sk::Event const& event) { reported.push_back(event.message); };
    CHECK(sk::open_redis_store(server.url(), options).ok());
    REQUIRE(reported.size() == 1);
    CHECK(reported[0].find(one.policy) != std::string::npos);
  }
}

TEST_CASE("a log without lines that its row knows is corrupt, not shorter") {
  RedisServer const server;
  auto const store = open(server.url());
  sk::SessionId const id = sid("s1");
  std::vector<Line> lines{first_record("s1")};
  for (int i = 0; i < 5; ++i) lines.push_back(message_record("m" + std::to_string(i)));
  store->append(id, batch_of(lines)).value();
  server.ask({"LTRIM", "sessionkit:{s1}:log", "0", "2"});
  auto const memory = sk::make_memory_store();
  sk::ReadRange backwards;
  backwards.order = sk::ReadRange::newest_first;
  std::vector<sk::Error> const errors{
      store->read(id, {}).error(), store->read(id, backwards).error(),
      store->append(id, batch_of({message_record("m6")}, sk::Position{3})).error(),
      sk::copy_session(*store, *memory, id).error()};
  for (sk::Error const& error : errors) {
    CHECK(error.code == sk::Errc::corrupt);
    CHECK(error.message.find("lines 4 to 6") != std::string::npos);
  }
  CHECK(store->list({}).value().sessions.size() == 1);
  server.ask({"DEL", "sessionkit:{s1}:row"}); // as the message says
  CHECK(lines_of(*store, id).size() == 3);
  CHECK(store->append(id, batch_of({message_record("m6")}, sk::Position{3})).ok());
}

TEST_CASE("a log that is gone although its row exists is corrupt, not a session that never was") {
  RedisServer const server;
  auto const store = open(server.url());
  sk::SessionId const id = sid("s1");
  std::vector<Line> const lines{first_record("s1"), message_record("m0"), message_record("m1")};
  sk::Position const end = store->append(id, batch_of(lines)).value();
  server.ask({"DEL", "sessionkit:{s1}:log"});
  sk::ReadRange backwards;
  backwards.order = sk::ReadRange::newest_first;
  std::vector<sk::Error> const errors{store->read(id, {}).error(),
                                      store->read(id, backwards).error(),
                                      store->info(id).error(),
                                      sk::exists(*store, id).error(),
                                      sk::Session::open(store, id).error(),
                                      store->append(id, batch_of({message_record("m2")}, end)).error(),
                                      store->append(id, batch_of(lines)).error(),
                                      store->append(id, batch_of({first_record("s1")})).error()};
  for (sk::Error const& error : errors) {
    INFO(error.message);
    CHECK(error.code == sk::Errc::corrupt);
    CHECK(error.message.find("lines 1 to 3") != std::string::npos);
  }
  CHECK(store->list({}).value().sessions.size() == 1); // and it is not forgotten
  CHECK(sk::reindex_redis_store(server.url()).ok());
  CHECK(store->list({}).value().sessions.size() == 1);
  REQUIRE(store->remove(id).ok());
  CHECK(store->info(id).error().code == sk::Errc::not_found);
  CHECK(store->list({}).value().sessions.empty());
  CHECK(store->append(id, batch_of(lines)).ok());
  server.ask({"DEL", "sessionkit:{s1}:log", "sessionkit:{s1}:row"}); // both: there is none
  CHECK(store->info(id).error().code == sk::Errc::not_found);
  CHECK(store->append(id, batch_of(lines)).ok());
}

TEST_CASE("input that a server would refuse is refused before it is sent") {
  RedisServer const server;
  auto const store = open(server.url());
  Line const line = message_record("m", std::string(std::size_t{60} << 20, 'x'));
  sk::Append batch;
  for (int i = 0; i < 9; ++i) batch.records.push_back(line.view());
  auto const got = store->append(sid("s1"), batch);
  REQUIRE_FALSE(got);
  CHECK(got.error().code == sk::Errc::invalid_argument);
  CHECK(got.error().message.find("in parts") != std::string::npos);
}

TEST_CASE("a port where nobody listens is reported, and IPv6 addresses are printed in brackets") {
  sk::RedisStoreOptions options;
  options.connect_wait = milliseconds(200);
  std::string const port = std::to_string(free_port());
  for (char const* suffix : {"", "?cluster"}) {
    auto const got = sk::open_redis_store("redis://127.0.0.1:" + port + suffix, options);
    REQUIRE_FALSE(got);
    CHECK(got.error().code == sk::Errc::unavailable);
    CHECK(got.error().message.find("Connection refused; start the server") != std::string::npos);
  }
  auto const six = sk::open_redis_store("redis://[::1]:" + port, options);
  REQUIRE_FALSE(six);
  CHECK(six.error().message.find("[::1]:" + port) != std::string::npos);
}

TEST_CASE("a durable append is outcome_unknown if too few replicas have it in time") {
  RedisServer const server(
      {"--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0"});
  sk::RedisStoreOptions options = waiting(milliseconds(1500));
  options.replicas = 1;
  auto const store = open(server.url(), options);
  auto const got = store->append(sid("s1"), batch_of({first_record("s1")}));
  REQUIRE_FALSE(got);
  CHECK(got.error().code == sk::Errc::outcome_unknown);
  CHECK(got.error().message.find("0 of 1 replicas") != std::string::npos);
  auto const stored_now = store->append(sid("s1"), batch_of({first_record("s1")}, {}, false));
  INFO((stored_now ? "" : stored_now.error().message));
  CHECK(stored_now.ok()); // it is stored, and nobody asked for more
  CHECK(store->append(sid("s1"), batch_of({first_record("s1")})).error().code == sk::Errc::outcome_unknown);

  RedisServer const replica({"--appendonly", "yes", "--appendfsync", "always", "--replicaof", "127.0.0.1",
                             std::to_string(server.port())});
  options.wait = milliseconds(10000);
  auto const patient = open(server.url(), options);
  while (replica.ask({"INFO", "replication"}).find("master_link_status:up") == std::string::npos)
    std::this_thread::sleep_for(milliseconds(20));
  CHECK(patient->append(sid("s1"), batch_of({first_record("s1")})).ok());

  // Of several servers the master is used, in any order.
  auto const either = open(url_of(replica.port()) + ",127.0.0.1:" + std::to_string(server.port()));
  CHECK(either->append(sid("s2"), batch_of({first_record("s2")})).ok());
}

TEST_CASE("user, password and database come from the URL") {
  RedisServer const server({"--appendonly", "yes", "--appendfsync", "always", "--requirepass", "p@ss:w/rd"});
  std::string const at = "127.0.0.1:" + std::to_string(server.port());
  for (std::string const& url :
       {"redis://" + at, "redis://:wrong@" + at, "redis://nobody:p%40ss%3Aw%2Frd@" + at}) {
    auto const refused = sk::open_redis_store(url);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == sk::Errc::invalid_argument);
    CHECK(refused.error().message.find("p@ss") == std::string::npos);
  }
  auto const first = open("redis://:p%40ss%3Aw%2Frd@" + at);
  auto const second = open("redis://default:p%40ss%3Aw%2Frd@" + at + "/3");
  first->append(sid("s1"), batch_of({first_record("s1")})).value();
  CHECK(second->info(sid("s1")).error().code == sk::Errc::not_found);
  second->append(sid("s1"), batch_of({first_record("s1")})).value();
  CHECK(sk::open_redis_store("redis://:p%40ss%3Aw%2Frd@" + at + "/99").error().code
        == sk::Errc::invalid_argument);
}

TEST_CASE("invalid URLs and prefixes are refused, and the error shows a valid one") {
  for (char const* url : {"",
                          "localhost",
                          "http://a",
                          "redis://",
                          "redis://:1",
                          "redis://a:x",
                          "redis://a:0",
                          "redis://a:70000",
                          "redis://a/x",
                          "redis://a/-1",
                          "redis://%zz:p@a",
                          "redis://a,,b",
                          "redis://a?x=1",
                          "redis://a/1?cluster",
                          "redis://:SECRET/x@a",
                          "redis://:x/SECRET@a",
                          "redis://:x?SECRET@a",
                          "redis://:x@SECRET@a",
                          "redis://SECRET@a:x",
                          "redis://SECRET@a?password=SECRET"}) {
    CAPTURE(url);
    auto const refused = sk::open_redis_store(url);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == sk::Errc::invalid_argument);
    CHECK(refused.error().message.find("SECRET") == std::string::npos);
  }
  auto const tls = sk::open_redis_store("rediss://a");
  REQUIRE_FALSE(tls);
  CHECK(tls.error().code == sk::Errc::unsupported);
  CHECK(tls.error().message.find("stunnel") != std::string::npos);
  sk::RedisStoreOptions options;
  for (char const* prefix : {"a{b}", "a b", "*"}) {
    options.prefix = prefix;
    CHECK(sk::open_redis_store("redis://127.0.0.1:1", options).error().code == sk::Errc::invalid_argument);
  }
  options = {};
  options.connect_wait = milliseconds(100);
  CHECK(sk::open_redis_store("redis://127.0.0.1:1", options).error().code == sk::Errc::unavailable);
}

TEST_CASE(
    "changes by others to the keys are handled: no script, no row, lines by hand, another type, no memory") {
  RedisServer const server;
  auto const store = open(server.url());
  sk::SessionId const id = sid("s1");
  sk::Position end = store->append(id, batch_of({first_record("s1"), message_record("m1")})).value();

  server.ask({"SCRIPT", "FLUSH"});
  end = store->append(id, batch_of({message_record("m2")}, end)).value();
  sk::SessionInfo const before = store->info(id).value();
  CHECK(before.messages == 2);

  server.ask({"DEL", "sessionkit:{s1}:row"});
  CHECK(store->info(id).value().messages == 2);
  CHECK(store->info(id).value().end_crc == before.end_crc);
  server.ask({"DEL", "sessionkit:{s1}:row"});
  end = store->append(id, batch_of({message_record("m3")}, end)).value();
  CHECK(store->list({}).value().sessions.at(0).messages == 3);

  server.ask({"RPUSH", "sessionkit:{s1}:log", message_record("by-hand").text});
  CHECK(store->info(id).value().messages == 4);
  server.ask({"RPUSH", "sessionkit:{s1}:log", message_record("again").text});
  auto const stale = store->append(id, batch_of({message_record("m4")}, end));
  REQUIRE_FALSE(stale);
  CHECK(stale.error().code == sk::Errc::conflict);
  server.ask({"RPUSH", "sessionkit:{s1}:log", "no entry"});
  auto const page = store->read(id, {}).value();
  CHECK(page.items().size() == 6);
  REQUIRE(page.damage.size() == 1);
  CHECK(page.damage[0].offset == 7);
  CHECK(store->info(id).value().damaged == 1);
  store->append(id, batch_of({message_record("m5")}, page.log_end)).value();

  server.ask({"SET", "sessionkit:{s2}:log", "text"});
  auto const typed = store->append(sid("s2"), batch_of({first_record("s2")}));
  REQUIRE_FALSE(typed);
  CHECK(typed.error().code == sk::Errc::corrupt);

  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  auto const full = store->append(sid("s3"), batch_of({first_record("s3")}));
  REQUIRE_FALSE(full);
  CHECK(full.error().code == sk::Errc::no_space);
  CHECK(store->info(id).ok());
  server.ask({"CONFIG", "SET", "maxmemory", "0"});
  CHECK(store->append(sid("s3"), batch_of({first_record("s3")})).ok());

  server.ask({"SET", "sessionkit:{#}:about", "2"});
  CHECK(sk::open_redis_store(server.url()).error().code == sk::Errc::unsupported_version);
}

TEST_CASE("a session's keys expire together, and the lists drop it") {
  bool const in_url = GENERATE(false, true);
  CAPTURE(in_url);
  RedisServer const server;
  sk::RedisStoreOptions options;
  if (!in_url) options.ttl = milliseconds(60000);
  auto const store = open(server.url() + (in_url ? "?ttl=60" : ""), options);
  store->append(sid("s1"), batch_of({first_record("s1")})).value();
  std::string const log = server.ask({"PEXPIRETIME", "sessionkit:{s1}:log"});
  CHECK(log == server.ask({"PEXPIRETIME", "sessionkit:{s1}:row"}));
  CHECK(std::stoll(log) > 0);
  CHECK(std::stoll(server.ask({"PTTL", "sessionkit:{s1}:log"})) <= 60000);
  server.ask({"DEL", "sessionkit:{s1}:row"});
  store->info(sid("s1")).value(); // the new row expires with the log
  CHECK(std::stoll(server.ask({"PTTL", "sessionkit:{s1}:row"})) > 0);
  for (char const* key : {"sessionkit:{s1}:log", "sessionkit:{s1}:row"}) server.ask({"PEXPIRE", key, "1"});
  std::this_thread::sleep_for(milliseconds(10));
  CHECK(store->info(sid("s1")).error().code == sk::Errc::not_found);
  CHECK(store->list({}).value().sessions.empty());
  CHECK(server.ask({"ZCARD", "sessionkit:{#}:all"}) == "0");
}

TEST_CASE("a forked child gets forked, and its parent continues") {
  RedisServer const server;
  auto store = open(server.url());
  sk::Position const end = store->append(sid("s1"), batch_of({first_record("s1")})).value();
  pid_t const child = ::fork();
  if (child == 0) {
    auto const got = store->append(sid("s1"), batch_of({message_record("m1")}, end));
    bool const reported = !got && got.error().code == sk::Errc::forked;
    store.reset();
    ::_exit(reported ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(store->append(sid("s1"), batch_of({message_record("m1")}, end)).ok());
}
