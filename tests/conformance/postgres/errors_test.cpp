// SPDX-License-Identifier: MIT
// Errors of a PostgreSQL server in our words: what happened, where, and the fix.
#include "postgres/servers.hpp"
#include "support/data.hpp"
#include "support/transcript.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/follow.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/postgres/detail/connection.hpp>

#include <atomic>
#include <filesystem>
#include <initializer_list>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;

namespace {

SessionId const session = SessionId::parse("s1").value();

sk::PostgresStoreOptions in_fresh_schema() {
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  return options;
}

std::vector<std::string> lines_of(sk::SessionStore& store, SessionId const& id) {
  return read_all([&](sk::ReadRange const& range) { return store.read(id, range); }).lines;
}

sk::Error refusal(std::string const& where, sk::PostgresStoreOptions const& options = {}) {
  auto const store = sk::open_postgres_store(where, options);
  REQUIRE_FALSE(store);
  return store.error();
}

}

TEST_CASE("an unreachable server is distinguished from one that refuses, and no password is printed") {
  if (!has_postgres()) return;
  std::string const at = "@127.0.0.1:" + std::to_string(shared_postgres().port());
  CHECK(refusal("postgresql://postgres@127.0.0.1:" + std::to_string(free_port()) + "/postgres").code
        == Errc::unavailable);
  CHECK(refusal("postgresql://postgres" + at + "/nowhere").code == Errc::not_found);
  CHECK(refusal("postgres://nobody:secret" + at + "/postgres").code == Errc::invalid_argument);
  for (std::string const& where : std::initializer_list<std::string>{
           "postgres://nobody:secret" + at + "/postgres", "postgres://x:secret@[bad/postgres",
           "host= password=secret what", "postgres://u:secret" + at + "/postgres?strange=1"}) {
    sk::Error const error = refusal(where);
    CHECK(error.code == Errc::invalid_argument);
    CHECK(error.message.find("secret") == std::string::npos);
  }
  CHECK(refusal("sessions.db").code == Errc::invalid_argument);
  for (char const* user : {"u:p/secret", "u:pa@secret", "u:p?secret", "u:/secret", "secret/"}) {
    sk::Error const error = refusal("postgres://" + std::string(user) + at + "/postgres");
    CHECK(error.code == Errc::invalid_argument);
    CHECK(error.message.find("secret") == std::string::npos);
    CHECK(error.message.find("percent-encode") != std::string::npos);
  }
  CHECK(sk::open_postgres_store("postgres://postgres:p%2Fa%40" + at + "/postgres?connect_timeout=5",
                                in_fresh_schema())
            .ok());
}

TEST_CASE("missing entries are reported when they are read") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions const options = in_fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  std::vector<std::string> lines{header_line()};
  for (int i = 2; i <= 33; ++i) lines.push_back(message_line("m" + std::to_string(i), "", "x"));
  Position const whole = store->append(session, Batch(lines)).value();
  PostgresEye const eye(shared_postgres().url());
  auto const remove = [&](std::string const& which) {
    eye.ask("DELETE FROM " + options.schema + ".entries WHERE " + which);
  };
  auto const reading = [&](sk::ReadRange::Order order) {
    sk::ReadRange range;
    range.order = order;
    range.max_records = 4;
    for (;;) {
      auto const page = store->read(session, range);
      if (!page) return page.error();
      REQUIRE(page->more);
      range.from = page->next;
    }
  };
  auto const mentions = [](sk::Error const& error, char const* what) {
    CAPTURE(error.message);
    CHECK(error.code == Errc::corrupt);
    CHECK(error.message.find(what) != std::string::npos);
    CHECK(error.message.find("restore") != std::string::npos);
  };
  remove("position > 20");
  mentions(reading(sk::ReadRange::oldest_first), "entries 21 to 33 are missing");
  mentions(reading(sk::ReadRange::newest_first), "entries 21 to 33 are missing");
  mentions(store->append(session, Batch({message_line("n", "", "x")}, Position{20})).error(), "21 to 33");
  auto const memory = sk::make_memory_store();
  mentions(sk::copy_session(*store, *memory, session).error(), "21 to 33");
  remove("position BETWEEN 5 AND 12");
  mentions(reading(sk::ReadRange::oldest_first), "entries 5 to 12 are missing");
  eye.ask("UPDATE " + options.schema + ".sessions SET log_end = 20");
  mentions(reading(sk::ReadRange::newest_first), "entries 5 to 12 are missing");
  remove("position < 13");
  mentions(reading(sk::ReadRange::newest_first), "entries 1 to 12 are missing");
  eye.ask("UPDATE " + options.schema + ".sessions SET log_end = 18");
  mentions(reading(sk::ReadRange::newest_first), "there are entries where none may be");
  CHECK(whole == Position{33});
}

TEST_CASE("a role without permission on the schema gets an error that says how to grant it") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions const options = in_fresh_schema();
  REQUIRE(sk::open_postgres_store(shared_postgres().url(), options));
  PostgresEye(shared_postgres().url()).ask("CREATE ROLE stranger LOGIN");
  std::string url = shared_postgres().url();
  url.replace(url.find("postgres@"), 8, "stranger");
  sk::Error const error = refusal(url, options);
  CHECK(error.code == Errc::io_error);
  CHECK(error.message.find("GRANT USAGE ON SCHEMA " + options.schema + " TO stranger") != std::string::npos);
}

TEST_CASE("a server waits for a statement no longer than the store does, even if the server sets no limit") {
  if (!has_postgres()) return;
  sk::detail::PostgresSettings settings;
  settings.where = shared_postgres().url();
  settings.schema = "public";
  settings.statement_wait = std::chrono::milliseconds(0);
  std::string wait;
  for (int tries = 0; tries < 100 && wait.empty(); ++tries) { // a busy machine may need longer
    auto db = sk::detail::PostgresConnection::open(settings);
    auto const shown = db ? db->run("look", "SHOW statement_timeout") : db.error();
    if (shown) wait = shown->text(0, 0);
  }
  CHECK(wait == "1ms");
}

TEST_CASE("input that PostgreSQL would refuse is refused before it is sent") {
  if (!has_postgres()) return;
  auto store = sk::open_postgres_store(shared_postgres().url(), in_fresh_schema()).value();
  Batch batch({message_line("m", "", std::string(std::size_t{60} << 20, 'x'))});
  batch.append.records.resize(9, batch.append.records.front());
  auto const got = store->append(session, batch);
  REQUIRE_FALSE(got);
  CHECK(got.error().code == Errc::invalid_argument);
  CHECK(got.error().message.find("in parts") != std::string::npos);
}

TEST_CASE("a server without fsync is refused, or used and reported, depending on the durability") {
  if (!has_postgres()) return;
  PostgresServer server({"fsync=off"});
  sk::PostgresStoreOptions options;
  std::vector<sk::Event> events;
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  sk::Error const error = refusal(server.url(), options);
  CHECK(error.code == Errc::unsupported);
  CHECK(error.message.find("fsync is off") != std::string::npos);
  CHECK(events.empty());
  options.accept_weaker = true;
  CHECK(sk::open_postgres_store(server.url(), options).ok());
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == sk::Event::durability_lowered);
  options.accept_weaker = false;
  options.durability = sk::Durability::os;
  CHECK(sk::open_postgres_store(server.url(), options).ok());
  CHECK(events.size() == 1);
}

TEST_CASE("a database of another encoding is refused") {
  if (!has_postgres()) return;
  PostgresEye(shared_postgres().url())
      .ask("CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
  std::string url = shared_postgres().url();
  url.replace(url.rfind('/'), std::string::npos, "/latin");
  sk::Error const error = refusal(url);
  CHECK(error.code == Errc::unsupported);
  CHECK(error.message.find("LATIN1") != std::string::npos);
}

TEST_CASE("lines that PostgreSQL cannot keep are refused, and the others are kept unchanged") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options = in_fresh_schema();
  options.max_line = 1000;
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  Position const end = store->append(session, Batch({header_line()})).value();
  std::string nul = message_line("m1", "", "x");
  nul.insert(nul.size() - 1, 1, '\0');
  for (std::string const& line :
       {nul, message_line("m1", "", "\xFF"), message_line("m1", "", std::string(1000, 'x'))}) {
    auto const got = store->append(session, Batch({line}, end));
    REQUIRE_FALSE(got);
    CHECK(got.error().code == Errc::invalid_argument);
    CHECK(got.error().message.find("s1") != std::string::npos);
  }
  std::string const odd = R"({"z":"\u0000\ud800","a":1e400,"a":12345678901234567890,  "b":[ ]})";
  store->append(session, Batch({odd}, end)).value();
  CHECK(lines_of(*store, session) == std::vector<std::string>{header_line(), odd});
}

TEST_CASE("an append that brings its summary is checked against the end it was made for") {
  if (!has_postgres()) return;
  auto store = sk::open_postgres_store(shared_postgres().url(), in_fresh_schema()).value();
  Position const start = store->append(session, Batch({header_line()})).value();
  sk::SessionInfo const info = store->info(session).value();
  Batch one({message_line("m1", "", "one")}, start), two({message_line("m2", "", "two")}, start);
  one.append.after = two.append.after = &info; // and no checksum
  Position const end = store->append(session, one).value();
  CHECK(store->append(session, two).error().code == Errc::conflict);
  CHECK(store->append(session, one).value() == end);
  CHECK(lines_of(*store, session).size() == 2);
}

TEST_CASE("names of any bytes are encoded as different texts in their columns, and come back") {
  std::vector<std::string> const names{
      "",     "plain",        "\\",       "\\\\",  "\\x00", std::string("a\0b", 3),
      "\xFF", "\xED\xA0\x80", "\xC3\xA9", "\\xff", "x\\"};
  for (std::string const& name : names) {
    std::string const column = sk::detail::to_postgres_text(name);
    CHECK(column.find('\0') == std::string::npos);
    CHECK(sk::detail::from_postgres_text(column) == name);
    for (std::string const& other : names)
      if (other != name) CHECK(sk::detail::to_postgres_text(other) != column);
  }
  CHECK(sk::detail::to_postgres_text("agent:main:main") == "agent:main:main");
  CHECK(sk::detail::from_postgres_text("cut\\") == "cut");
}

TEST_CASE("every fixture's lines come back from PostgreSQL byte for byte") {
  if (!has_postgres()) return;
  auto store = sk::open_postgres_store(shared_postgres().url(), in_fresh_schema()).value();
  std::size_t files = 0, entries = 0;
  for (auto const& file : std::filesystem::recursive_directory_iterator(data(""))) {
    if (file.path().extension() != ".jsonl") continue;
    TempDir dir;
    std::string const copy = dir / "copy.jsonl";
    write_file(copy, read_file(file.path().string()));
    auto const source = sk::open_transcript(copy);
    if (!source) continue;
    SessionId const there = (*source)->list({}).value().sessions.at(0).id;
    SessionId const here = SessionId::parse("f" + std::to_string(++files)).value();
    Position end;
    sk::ReadRange range;
    range.max_records = 7;
    for (bool more = true; more;) {
      sk::RecordPage const page = (*source)->read(there, range).value();
      sk::Append batch;
      batch.expected = end;
      for (auto const& item : page.items()) batch.records.push_back(item);
      if (!batch.records.empty()) end = store->append(here, batch).value();
      entries += batch.records.size();
      range.from = page.next;
      more = page.more;
    }
    if (end == Position{}) continue;
    CAPTURE(file.path().string());
    CHECK(lines_of(*store, here) == lines_of(**source, there));
  }
  CHECK(files > 20);
  CHECK(entries > 150);
}

TEST_CASE("a follower on another store reports each PostgreSQL append exactly once") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions const options = in_fresh_schema();
  auto writer = sk::open_postgres_store(shared_postgres().url(), options).value();
  auto reader = sk::open_postgres_store(shared_postgres().url(), options).value();
  Position end = writer->append(session, Batch({header_line()})).value();
  sk::LogFollower follower(reader, session);
  auto const reported = [&] {
    sk::LogNews const news = follower.next().value();
    return news.page.items().size();
  };
  CHECK(reported() == 1);
  CHECK(reported() == 0);
  end = writer->append(session, Batch({message_line("m1", "", "one"), message_line("m2", "m1", "two")}, end))
            .value();
  CHECK(reported() == 2);
  CHECK(reported() == 0);
  writer->remove(session).value();
  CHECK(follower.next().value().change == sk::LogNews::removed);
}

TEST_CASE("a forked child of a PostgreSQL store gets forked, and takes nothing from its parent") {
  if (!has_postgres()) return;
  auto store = sk::open_postgres_store(shared_postgres().url(), in_fresh_schema()).value();
  Position const end = store->append(session, Batch({header_line()})).value();
  pid_t const child = ::fork();
  if (child == 0) {
    bool const refused =
        store->append(session, Batch({message_line("x", "", "x")}, end)).error().code == Errc::forked
        && store->read(session, {}).error().code == Errc::forked
        && store->info(session).error().code == Errc::forked && store->list({}).error().code == Errc::forked
        && store->remove(session).error().code == Errc::forked;
    store.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(store->append(session, Batch({message_line("m1", "", "more")}, end)).ok());
  CHECK(lines_of(*store, session).size() == 2);
}

TEST_CASE("threads take turns on as many connections as there may be") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options = in_fresh_schema();
  options.connections = 1;
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  store->append(session, Batch({header_line()})).value();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 20; ++n)
        if (store->info(session)) ++good;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 80);
  PostgresEye const eye(shared_postgres().url());
  CHECK(eye.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sessionkit'").front()
        == "1");
}
