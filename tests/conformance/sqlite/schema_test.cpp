// SPDX-License-Identifier: MIT
// Databases with tables of an earlier version: upgraded in one transaction, with all their content.
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;
using sk::Errc;

namespace {

/// A database with version 1 of the tables.
std::string kept_database() { return data("format/0.1-tables1/sqlite/sessions.db"); }

sk::Result<std::shared_ptr<sk::SessionStore>> open(std::string const& path) {
  sk::SqliteStoreOptions options;
  options.create = false;
  return sk::open_sqlite_store(path, options);
}

/// All data of version 1, row by row.
Rows rows_of_version_1(Other& db) {
  Rows all;
  for (char const* sql :
       {"SELECT * FROM session_messages", "SELECT * FROM session_entries", "SELECT * FROM session_state",
        "SELECT * FROM session_index", "SELECT seq FROM sqlite_sequence",
        "SELECT session_id, session_key, status, title, created_at, updated_at, meta_json, agent, user_id, "
        "archived, updated_ms, dialect, row_json, log_end, last_crc, stale FROM sessions"})
    for (Row& row : db.ask(sql)) all.push_back(std::move(row));
  return all;
}

char const* const versions =
    "SELECT user_version, value FROM pragma_user_version, sessionkit WHERE name = 'version'";

/// The existing tables in their old form.
void take_back_to_version_1(Other& db, std::string const& key) {
  std::string sql;
  for (std::string const of : {"time", "key", "agent", "user"}) sql += "DROP INDEX sessions_by_" + of + ";";
  db.ask(
      sql
      + "ALTER TABLE sessions DROP COLUMN updated_tick; UPDATE sessionkit SET value = 1 WHERE name = "
        "'version'; CREATE INDEX sessions_by_time ON sessions(updated_ms DESC, session_id); "
        "CREATE INDEX sessions_by_key ON sessions("
      + key + ", updated_ms DESC, session_id) WHERE " + key
      + " <> ''; CREATE INDEX sessions_by_agent ON sessions(agent, updated_ms DESC, session_id) WHERE agent "
        "<> ''; CREATE INDEX sessions_by_user ON sessions(user_id, updated_ms DESC, session_id) WHERE "
        "user_id <> ''");
}

std::vector<std::string> ids_of(sk::SessionStore& store, sk::ListQuery const& query = {}) {
  std::vector<std::string> ids;
  for (auto const& info : store.list(query).value().sessions) ids.push_back(info.id.str());
  return ids;
}

}

TEST_CASE("a database of version 1 is upgraded once and keeps every row") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  fs::copy_file(kept_database(), path);
  Other db(path);
  Rows const before = rows_of_version_1(db);
  REQUIRE(before.size() > 20);
  CHECK(db.ask(versions) == Rows{{"1", "1"}});
  auto store = open(path).value();
  CHECK(db.ask(versions) == Rows{{"2", "2"}});
  CHECK(rows_of_version_1(db) == before);
  CHECK(db.ask("SELECT count(*) FROM sessions WHERE updated_tick IS NOT updated_ms / 8192") == Rows{{"0"}});
  CHECK(db.ask("PRAGMA integrity_check") == Rows{{"ok"}});
  CHECK(open(path).ok());

  auto const ids = ids_of(*store);
  REQUIRE(ids.size() == 2);
  auto session = sk::Session::open(store, sk::SessionId::parse(ids.back()).value()).value();
  session.append(sk::user("on")).value();
  CHECK(ids_of(*store).front() == ids.back());
}

TEST_CASE("a database of version 1 that cannot be upgraded stays unchanged") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  fs::copy_file(kept_database(), path);
  Other db(path);
  db.ask("DROP INDEX sessions_by_user");
  db.ask("CREATE TABLE sessions_by_user(x)"); // somebody's
  Rows const before = rows_of_version_1(db);
  REQUIRE_FALSE(open(path));
  CHECK(db.ask(versions) == Rows{{"1", "1"}});
  CHECK(rows_of_version_1(db) == before);
  CHECK(db.ask("SELECT count(*) FROM pragma_table_info('sessions') WHERE name = 'updated_tick'")
        == Rows{{"0"}});
}

TEST_CASE("a database of version 1 that lost an index is upgraded") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  fs::copy_file(kept_database(), path);
  Other(path).ask("DROP INDEX sessions_by_user");
  REQUIRE(open(path).ok());
  CHECK(Other(path).ask(versions) == Rows{{"2", "2"}});
}

TEST_CASE("a read-only database of version 1 is read and listed in order") {
  TempDir dir;
  std::string const folder = dir / "sealed", path = folder + "/sessions.db";
  fs::create_directory(folder);
  fs::copy_file(kept_database(), path);
  std::vector<std::string> const newest_first = [&] {
    TempDir other;
    fs::copy_file(path, other / "sessions.db");
    return ids_of(*open(other / "sessions.db").value());
  }();
  std::string const bytes = read_file(path);
  REQUIRE(::chmod(path.c_str(), 0444) == 0);
  REQUIRE(::chmod(folder.c_str(), 0555) == 0);
  REQUIRE(::chmod(dir.path().c_str(), 0755) == 0);
  {
    uid_t const before = ::geteuid(); // a user to whom file modes apply
    if (before == 0) REQUIRE(::seteuid(65534) == 0);
    auto store = open(path);
    std::vector<std::string> const listed = store ? ids_of(**store) : std::vector<std::string>{};
    sk::ListQuery behind;
    behind.limit = 1;
    if (store) behind.cursor = (*store)->list(behind).value().next;
    std::vector<std::string> const next = store ? ids_of(**store, behind) : std::vector<std::string>{};
    (void)::seteuid(before);
    REQUIRE(store.ok());
    CHECK(listed == newest_first);
    CHECK(next == std::vector<std::string>{newest_first[1]});
  }
  CHECK(read_file(path) == bytes);
  REQUIRE(::chmod(folder.c_str(), 0755) == 0);
}

TEST_CASE("a database of ZeroClaw's that version 1 adopted is upgraded and keeps its own version") {
  for (bool const with_index : {true, false}) {
    CAPTURE(with_index);
    TempDir dir;
    std::string const path = dir / "sessions.db";
    ZeroClaw claw(path, with_index);
    claw.start(claw.a, "k", "2025-11-04T08:00:00Z");
    claw.say(claw.a, "user", "hello", "2025-11-04T08:00:01Z");
    CHECK(ids_of(*open(path).value()).size() == 1);
    take_back_to_version_1(claw.db, with_index ? "session_key" : "inbound_key");
    claw.start(claw.b, "k", "2025-11-04T08:00:02Z"); // not read yet
    claw.say(claw.b, "user", "again", "2025-11-04T08:00:03Z");
    auto store = open(path).value();
    CHECK(ids_of(*store) == std::vector<std::string>{claw.b, claw.a});
    CHECK(claw.db.ask(versions) == Rows{{with_index ? "7" : "12", "2"}});
    claw.say(claw.a, "user", "and on", "2025-11-04T09:00:00Z");
    CHECK(ids_of(*store) == std::vector<std::string>{claw.a, claw.b});
    CHECK_FALSE(fs::exists(path + ".before-sessionkit-2"));
  }
}

TEST_CASE("a version of the tables that no library made is refused") {
  for (char const* version : {"0", "-1", "3"}) {
    TempDir dir;
    std::string const path = dir / "sessions.db";
    fs::copy_file(kept_database(), path);
    { Other(path).ask(std::string("PRAGMA user_version = ") + version); }
    auto const refused = open(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::unsupported_version);
  }
}

TEST_CASE("a store that may not upgrade refuses tables of an earlier version, and changes nothing") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  fs::copy(kept_database(), path);
  std::string const bytes = read_file(path);
  sk::SqliteStoreOptions options;
  options.create = options.upgrade = false;
  auto const refused = sk::open_sqlite_store(path, options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::unsupported_version);
  CHECK(refused.error().message.find("version 1") != std::string::npos);
  CHECK(read_file(path) == bytes);
  CHECK(open(path).ok());
  CHECK(sk::open_sqlite_store(path, options).ok()); // it has the newest ones now
}
