// SPDX-License-Identifier: MIT
// The tables of the PostgreSQL store: created once, upgraded from version to version, never another
// program's.
#include "postgres/servers.hpp"
#include "support/transcript.hpp"

#include <sessionkit/postgres/detail/postgres_schema.hpp>

#include <thread>

using namespace sessionkit_test;
using sk::Errc;
using sk::SessionId;
using sk::detail::PostgresConnection;
using sk::detail::PostgresMigrations;

namespace {

SessionId const session = SessionId::parse("s1").value();

sk::Result<std::shared_ptr<sk::SessionStore>> open_in(std::string const& schema, bool create = true) {
  sk::PostgresStoreOptions options;
  options.schema = schema;
  options.create = create;
  return sk::open_postgres_store(shared_postgres().url(), options);
}

PostgresConnection connection(std::string const& schema) {
  sk::detail::PostgresSettings settings;
  settings.where = shared_postgres().url();
  settings.schema = schema;
  return PostgresConnection::open(settings).value();
}

/// The existing versions, and one of a later library.
PostgresMigrations with_another(char const* next) {
  PostgresMigrations all = sk::detail::postgres_migrations();
  all.push_back(next);
  return all;
}

}

TEST_CASE("a later version of the tables keeps their content and continues from it") {
  if (!has_postgres()) return;
  std::string const schema = fresh_schema();
  auto store = open_in(schema).value();
  store->append(session, Batch({header_line()})).value();
  auto db = connection(schema);
  auto const next = with_another("ALTER TABLE entries ADD COLUMN note text DEFAULT 'kept'");
  sk::detail::prepare_postgres_schema(db, schema, false, next).value();
  PostgresEye const eye(shared_postgres().url());
  CHECK(eye.ask("SELECT version FROM " + schema + ".sessionkit_versions ORDER BY version")
        == std::vector<std::string>{"1", "2", "3"});
  CHECK(eye.ask("SELECT line, note FROM " + schema + ".entries")
        == std::vector<std::string>{header_line() + "|kept"});
  sk::detail::prepare_postgres_schema(db, schema, false, next).value(); // once
  auto const later = open_in(schema);
  REQUIRE_FALSE(later);
  CHECK(later.error().code == Errc::unsupported_version);
  CHECK(later.error().message.find("use a newer one") != std::string::npos);
}

TEST_CASE("tables of version 1 are upgraded with the sessions in them") {
  if (!has_postgres()) return;
  std::string const schema = fresh_schema(), made = fresh_schema();
  auto db = connection(schema);
  sk::detail::prepare_postgres_schema(db, schema, true, {sk::detail::postgres_migrations().front()}).value();
  auto model = open_in(made).value();
  for (int n = 0; n < 20; ++n) {
    std::string const name = "s" + std::to_string(n);
    auto const id = SessionId::parse(name).value();
    model->append(id, Batch({header_line(name), message_line("m", "", name)})).value();
  }
  PostgresEye const eye(shared_postgres().url());
  eye.ask(
      "INSERT INTO " + schema
      + ".sessions SELECT session_id, session_key, agent, user_id, title, archived, (left(session_id, 2) = "
        "'s1')::int * -10000, dialect, log_end, last_crc, row_json FROM "
      + made + ".sessions");
  eye.ask("INSERT INTO " + schema + ".entries SELECT * FROM " + made + ".entries");

  auto store = open_in(schema, false).value();
  CHECK(eye.ask("SELECT DISTINCT updated_ms, updated_tick FROM " + schema + ".sessions ORDER BY 1")
        == std::vector<std::string>{"-10000|-2", "0|0"});
  auto const listed = store->list({}).value().sessions;
  REQUIRE(listed.size() == 20);
  CHECK(listed[0].id.str() == "s0");
  CHECK(listed[9].id.str() == "s1");
  for (auto const& info : listed) {
    auto const there = store->read(info.id, {}).value(), before = model->read(info.id, {}).value();
    REQUIRE(there.items().size() == 2);
    CHECK(there.items()[1].line == before.items()[1].line);
    CHECK(info.end == there.log_end);
  }
  store->append(listed[9].id, Batch({message_line("m2", "m", "on")}, listed[9].end)).value();
  CHECK(store->list({}).value().sessions[0].id.str() == "s1");
}

TEST_CASE("a failed upgrade leaves the previous version intact") {
  if (!has_postgres()) return;
  std::string const schema = fresh_schema();
  open_in(schema).value()->append(session, Batch({header_line()})).value();
  auto db = connection(schema);
  auto const broken = with_another("ALTER TABLE entries ADD COLUMN note text; SELECT 1 / 0");
  REQUIRE_FALSE(sk::detail::prepare_postgres_schema(db, schema, false, broken));
  auto again = open_in(schema).value();
  CHECK(again->info(session).ok());
  CHECK(PostgresEye(shared_postgres().url())
            .ask("SELECT count(*) FROM information_schema.columns WHERE table_schema = '" + schema
                 + "' AND column_name = 'note'")
            .front()
        == "0");
}

TEST_CASE("several stores that open an empty database at the same time make its tables once") {
  if (!has_postgres()) return;
  (void)shared_postgres(); // a server ends with the thread that started it
  std::string const schema = fresh_schema();
  std::vector<std::thread> threads;
  std::vector<std::string> failures(6);
  for (std::string& failure : failures)
    threads.emplace_back([&failure, schema] {
      auto const store = open_in(schema);
      if (!store) failure = store.error().message;
    });
  for (std::thread& thread : threads) thread.join();
  for (std::string const& failure : failures) CHECK(failure.empty());
  CHECK(PostgresEye(shared_postgres().url())
            .ask("SELECT version FROM " + schema + ".sessionkit_versions ORDER BY version")
        == std::vector<std::string>{"1", "2"});
}

TEST_CASE("missing tables and another program's tables are not created or touched") {
  if (!has_postgres()) return;
  std::string const schema = fresh_schema();
  auto const missing = open_in(schema, false);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Errc::not_found);
  PostgresEye const eye(shared_postgres().url());
  CHECK(eye.ask("SELECT 1 FROM pg_namespace WHERE nspname = '" + schema + "'").empty());
  eye.ask("CREATE SCHEMA " + schema);
  eye.ask("CREATE TABLE " + schema + ".sessions(mine text)");
  auto const strange = open_in(schema);
  REQUIRE_FALSE(strange);
  CHECK(strange.error().code == Errc::unsupported);
  CHECK(strange.error().message.find("name a schema of its own") != std::string::npos);
  CHECK(
      eye.ask("SELECT count(*) FROM information_schema.columns WHERE table_schema = '" + schema + "'").front()
      == "1");
}

TEST_CASE("a schema may have any name, and one store sees nothing of another's") {
  if (!has_postgres()) return;
  for (std::string const name : {"with \"quotes\"; DROP SCHEMA public", "MiXed", "\xC3\xA9t\xC3\xA9"}) {
    auto store = open_in(name).value();
    CHECK(store->list({}).value().sessions.empty());
    store->append(session, Batch({header_line()})).value();
    CHECK(open_in(name).value()->info(session).ok());
  }
  CHECK(open_in("\xFF").error().code == Errc::invalid_argument);
}

TEST_CASE("deleting a session by hand deletes its entries") {
  if (!has_postgres()) return;
  std::string const schema = fresh_schema();
  auto store = open_in(schema).value();
  store->append(session, Batch({header_line(), message_line("m1", "", "x")})).value();
  PostgresEye const eye(shared_postgres().url());
  eye.ask("DELETE FROM " + schema + ".sessions");
  CHECK(eye.ask("SELECT count(*) FROM " + schema + ".entries").front() == "0");
}
