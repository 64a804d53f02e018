// SPDX-License-Identifier: MIT
// Servers that are killed, connections that are cut: acknowledged entries are stored once, doubts are
// resolved.
#include "postgres/servers.hpp"
#include "support/long_form.hpp"
#include "support/transcript.hpp"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;

namespace {

SessionId named(std::string const& id) { return SessionId::parse(id).value(); }

std::vector<std::string> lines_of(sk::SessionStore& store, SessionId const& id) {
  return read_all([&](sk::ReadRange const& range) { return store.read(id, range); }).lines;
}

/// Threads that are always joined at the end.
struct Writers {
  std::atomic<bool> over{false}; ///< start nothing new
  std::atomic<bool> lost{false}; ///< and abandon started work
  std::vector<std::thread> threads;
  Writers() = default;
  Writers(Writers const&) = delete;
  Writers& operator=(Writers const&) = delete;
  ~Writers() {
    lost = true;
    finish();
  }
  void finish() {
    over = true;
    for (std::thread& thread : threads)
      if (thread.joinable()) thread.join();
  }
};

/// Appends a line with its own id until it is stored, wherever the log ends by then.
bool append_until_stored(sk::SessionStore& store, SessionId const& id, std::string const& line,
                         std::atomic<bool> const& lost) {
  while (!lost) {
    auto const info = store.info(id);
    if (info) {
      Batch batch({line}, info->end, true);
      batch.append.expected_crc = info->end_crc;
      for (bool again = true; again;) {
        auto const got = store.append(id, batch);
        if (got) return true;
        again = got.error().code != Errc::conflict && !lost; // in doubt: the same batch once more
        if (again) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return false;
}

}

TEST_CASE("a server killed again and again under four writers loses and doubles nothing it acknowledged") {
  if (!has_postgres()) return;
  PostgresServer server;
  std::size_t const kills = long_form() ? 50 : 2, between = 40;
  auto store = sk::open_postgres_store(server.url()).value();
  constexpr std::size_t writers = 4;
  SessionId const shared = named("shared");
  store->append(shared, Batch({header_line("shared")}, {}, true)).value();
  for (std::size_t w = 0; w < writers; ++w)
    store->append(named("own" + std::to_string(w)), Batch({header_line()}, {}, true)).value();

  std::atomic<std::size_t> acknowledged{0};
  std::vector<std::vector<std::string>> own(writers), together(writers);
  Writers crew;
  for (std::size_t w = 0; w < writers; ++w)
    crew.threads.emplace_back([&, w] {
      for (std::size_t n = 0; !crew.over; ++n) {
        bool const mine = n % 2 == 0;
        std::string const id = "w" + std::to_string(w) + "n" + std::to_string(n);
        std::string const line = message_line(id, "", "text of " + id);
        SessionId const id_of = mine ? named("own" + std::to_string(w)) : shared;
        if (!append_until_stored(*store, id_of, line, crew.lost)) return;
        (mine ? own : together)[w].push_back(line);
        ++acknowledged;
      }
    });
  for (std::size_t kill = 0; kill < kills; ++kill) {
    std::size_t const enough = acknowledged + between;
    while (acknowledged < enough) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server.stop(SIGKILL);
    server.start();
  }
  crew.finish();

  std::size_t expected = 1;
  std::map<std::string, std::size_t> place;
  std::vector<std::string> const log = lines_of(*store, shared);
  for (std::size_t i = 0; i < log.size(); ++i) CHECK(place.emplace(log[i], i).second);
  for (std::size_t w = 0; w < writers; ++w) {
    std::vector<std::string> all{header_line()};
    all.insert(all.end(), own[w].begin(), own[w].end());
    CHECK(lines_of(*store, named("own" + std::to_string(w))) == all);
    std::size_t before = 0;
    for (std::string const& line : together[w]) {
      REQUIRE(place.count(line) == 1);
      CHECK(place[line] > before);
      before = place[line];
    }
    expected += together[w].size();
  }
  CHECK(log.size() == expected);
}

TEST_CASE("a connection cut after any byte of an append stores it once, or reports that it is not stored") {
  if (!has_postgres()) return;
  TcpProxy proxy(shared_postgres().port());
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(proxy.port()), options).value();
  auto direct = sk::open_postgres_store(shared_postgres().url(), options).value();
  std::size_t sessions = 0, unknown = 0, stood_unknown = 0, unwritten = 0;
  std::array<std::int64_t, 2> passed{};
  // A session of two entries, whose third is cut: by a batch that brings its summary, or one that
  // does not.
  auto const try_one = [&](bool summary, auto const& cut) {
    SessionId const id = named("s" + std::to_string(++sessions));
    std::vector<std::string> all{header_line(), message_line("m1", "", "one"),
                                 message_line("m2", "m1", "two")};
    Position end = store->append(id, Batch({all[0]})).value();
    sk::SessionInfo info = store->info(id).value();
    std::vector<sk::SessionInfo> after;
    for (std::size_t i = 1; i < 3; ++i) {
      sk::RecordPage::Item item{Batch({all[i]}).append.records[0], Position{i + 1}};
      item.line = all[i];
      std::string const name = "m" + std::to_string(i);
      item.id = name;
      sk::fold(info, item);
      after.push_back(info);
    }
    Batch first({all[1]}, end), second({all[2]});
    if (summary) first.append.after = &after[0], second.append.after = &after[1];
    end = store->append(id, first).value();
    second.append.expected = end;
    cut();
    auto const got = store->append(id, second);
    passed = {proxy.bytes(TcpProxy::to_server), proxy.bytes(TcpProxy::to_client)};
    proxy.restore();
    bool const stored_now = lines_of(*direct, id).size() == 3;
    if (got) CHECK(stored_now);
    if (!got && got.error().code == Errc::outcome_unknown) ++unknown, stood_unknown += stored_now ? 1 : 0;
    if (!got && got.error().code != Errc::outcome_unknown) {
      ++unwritten;
      INFO(got.error().message);
      CHECK(got.error().code == Errc::unavailable);
      CHECK_FALSE(stored_now);
    }
    CHECK(store->append(id, second).value() == Position{3});
    CHECK(lines_of(*direct, id) == all);
    CHECK(direct->info(id).value().messages == 2);
    return got.ok();
  };
  for (bool const summary : {true, false})
    for (auto const direction : {TcpProxy::to_server, TcpProxy::to_client}) {
      try_one(summary, [] {});
      try_one(summary, [&] { proxy.restore(); });
      std::int64_t const bytes = passed[direction];
      std::int64_t const step = long_form() ? 1 : direction == TcpProxy::to_server ? 53 : 13;
      for (std::int64_t n = 0; n <= bytes; n += step) {
        CAPTURE(summary, direction, n, bytes);
        CHECK(try_one(summary, [&] { proxy.cut_after(direction, n, false); })); // a new connection finds out
        try_one(summary, [&] { proxy.cut_after(direction, n, true); });
      }
    }
  CHECK(unknown > 0);
  CHECK(stood_unknown > 0);
  CHECK(stood_unknown < unknown);
  CHECK(unwritten > 0);
}

TEST_CASE("a restarted server is found again without an error for the caller") {
  if (!has_postgres()) return;
  PostgresServer server({"fsync=off"});
  sk::PostgresStoreOptions options;
  options.durability = sk::Durability::os;
  auto store = sk::open_postgres_store(server.url(), options).value();
  SessionId const id = named("s1");
  Position const end = store->append(id, Batch({header_line()})).value();
  server.stop(SIGINT);
  auto const refused = store->append(id, Batch({message_line("m1", "", "x")}, end));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::unavailable); // it is known that nothing was written
  CHECK(store->list({}).error().code == Errc::unavailable);
  server.start();
  CHECK(store->append(id, Batch({message_line("m1", "", "x")}, end)).ok());
  PostgresEye(server.url())
      .ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sessionkit'");
  CHECK(lines_of(*store, id).size() == 2);
}

TEST_CASE("a row that others hold is timed_out within statement_wait, and nothing is stored") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  options.statement_wait = std::chrono::milliseconds(100);
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  SessionId const id = named("s1");
  Position const end = store->append(id, Batch({header_line()})).value();
  PostgresEye other(shared_postgres().url());
  other.ask("BEGIN");
  other.ask("SELECT 1 FROM " + options.schema + ".sessions FOR UPDATE");
  auto const got = store->append(id, Batch({message_line("m1", "", "x")}, end));
  REQUIRE_FALSE(got);
  CHECK(got.error().code == Errc::timed_out);
  CHECK(got.error().message.find("statement_wait") != std::string::npos);
  CHECK(lines_of(*store, id).size() == 1); // a reader does not wait
  other.ask("ROLLBACK");
  CHECK(store->append(id, Batch({message_line("m1", "", "x")}, end)).ok());
}

TEST_CASE("a silent server is given up in time, and an append to it is outcome_unknown") {
  if (!has_postgres()) return;
  PostgresServer server({"fsync=off"});
  sk::PostgresStoreOptions options;
  options.durability = sk::Durability::os;
  options.statement_wait = std::chrono::milliseconds(200);
  options.connect_wait = std::chrono::milliseconds(2000);
  auto store = sk::open_postgres_store(server.url(), options).value();
  SessionId const id = named("s1");
  Position const end = store->append(id, Batch({header_line()})).value();
  PostgresEye eye(server.url());
  std::string const backend =
      eye.ask("SELECT pid FROM pg_stat_activity WHERE application_name = 'sessionkit'").front();
  server.pause();
  ::kill(std::stoi(backend), SIGSTOP);
  auto const begin = std::chrono::steady_clock::now();
  auto const got = store->append(id, Batch({message_line("m1", "", "x")}, end));
  auto const took = std::chrono::steady_clock::now() - begin;
  REQUIRE_FALSE(got);
  CHECK((got.error().code == Errc::timed_out || got.error().code == Errc::outcome_unknown));
  CHECK(took < std::chrono::seconds(5));
  CHECK(store->list({}).error().code == Errc::timed_out);
  ::kill(std::stoi(backend), SIGCONT);
  server.resume();
  CHECK(store->append(id, Batch({message_line("m1", "", "x")}, end)).ok());
  CHECK(lines_of(*store, id).size() == 2);
}

TEST_CASE("of several servers the writable one is used, also when that changes") {
  if (!has_postgres()) return;
  PostgresServer one({"fsync=off"}), two({"fsync=off"});
  sk::PostgresStoreOptions options;
  options.durability = sk::Durability::os;
  std::string const closed = std::to_string(free_port());
  std::string const both = "postgresql://postgres@127.0.0.1:" + closed
                           + ",127.0.0.1:" + std::to_string(one.port())
                           + ",127.0.0.1:" + std::to_string(two.port()) + "/postgres";
  auto second = sk::open_postgres_store(two.url(), options).value();
  auto store = sk::open_postgres_store(both, options).value();
  store->append(named("a"), Batch({header_line("a")})).value();
  CHECK(second->read(named("a"), {}).error().code == Errc::not_found);
  PostgresEye eye(one.url());
  eye.ask("ALTER SYSTEM SET default_transaction_read_only = on");
  eye.ask("SELECT pg_reload_conf()");
  for (int tries = 0; eye.ask("SHOW default_transaction_read_only").front() != "on" && tries < 500; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::this_thread::sleep_for(std::chrono::milliseconds(100)); // the store's own process hears of it too
  store->append(named("b"), Batch({header_line("b")})).value();
  CHECK(second->read(named("b"), {}).ok());
}
