// SPDX-License-Identifier: MIT
// Lists cost what they show, not what there is: by the plans of SQLite and the rows it looks at.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/sqlite/detail/sqlite_log.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <cstdlib>
#include <set>

#include <sqlite3.h>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

std::size_t session_count() { return std::getenv("SESSIONKIT_SOAK") != nullptr ? 100000 : 4000; }

/// Rows as the store would have written them, without the store's time.
void fill(std::string const& path, std::size_t count) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  std::string const sql =
      "PRAGMA synchronous = OFF; BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE "
      "i + 1 < "
      + std::to_string(count)
      + ") INSERT INTO sessions(session_id, session_key, created_at, updated_at, agent, user_id, archived, "
        "updated_ms, dialect, "
        "row_json, log_end, last_crc, stale) SELECT 's' || i, 'key' || (i % 100), '', '', 'agent' || (i % "
        "10), 'user' || (i % 1000), "
        "i % 7 = 0, 1762243200000 + i * 1000, 'native', '{\"key\":\"key' || (i % 100) || "
        "'\",\"agentId\":\"agent' || (i % 10) || "
        "'\",\"user\":\"user' || (i % 1000) || '\",\"createdAt\":0,\"lastAt\":' || (1762243200000 + i * "
        "1000) || ',\"end\":1' || "
        "CASE WHEN i % 7 = 0 THEN ',\"archived\":true' ELSE '' END || '}', 1, 0, 0 FROM n; COMMIT";
  char* error = nullptr;
  int const result = sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error);
  INFO((error ? error : ""));
  REQUIRE(result == SQLITE_OK);
  sqlite3_close(db);
}

std::vector<sk::ListQuery> queries() {
  std::vector<sk::ListQuery> all(7);
  all[1].key = "key42";
  all[2].agent = "agent3";
  all[3].user = "user123";
  all[4].key = "key42", all[4].archived = false;
  all[5].key = "key42", all[5].agent = "agent2";
  all[6].archived = false;
  std::size_t const plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) {
    all.push_back(all[i]);
    all.back().cursor = "1762243500000:s300";
  }
  return all;
}

std::string shape(sk::ListQuery const& q) {
  return (q.key ? "key " : "") + std::string(q.agent ? "agent " : "") + (q.user ? "user " : "")
         + (q.archived ? "archived " : "") + (q.cursor.empty() ? "" : "behind a cursor");
}

}

TEST_CASE("lists by key, agent and user use an index and sort nothing") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  auto store = sk::open_sqlite_store(path).value();
  fill(path, 2000);
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  sk::detail::SqliteTables tables(sk::detail::SqliteSchema{});
  for (sk::ListQuery const& query : queries()) {
    CAPTURE(shape(query));
    std::string plan, sql = std::string("EXPLAIN QUERY PLAN ") + tables.list_sql(query);
    auto const add = [](void* to, int, char** values, char**) {
      static_cast<std::string*>(to)->append(values[3]).append("\n");
      return 0;
    };
    REQUIRE(sqlite3_exec(db, sql.c_str(), add, &plan, nullptr) == SQLITE_OK);
    CAPTURE(plan);
    CHECK(plan.find("SEARCH sessions USING INDEX sessions_by_") != std::string::npos);
    CHECK(plan.find("SCAN") == std::string::npos);
    CHECK(plan.find("TEMP B-TREE") == std::string::npos);
    if (query.key && !query.agent) CHECK(plan.find("sessions_by_key") != std::string::npos);
    if (query.user) CHECK(plan.find("sessions_by_user") != std::string::npos);
  }
  sqlite3_close(db);
}

TEST_CASE("the newest 50 of many sessions are looked up, whatever their number") {
  std::vector<int> few, many;
  for (std::size_t const count : {std::size_t{2000}, session_count()}) {
    TempDir dir;
    std::string const path = dir / "sessions.db";
    auto store = sk::open_sqlite_store(path).value();
    fill(path, count);
    sqlite3* db = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
    sk::detail::SqliteTables tables(sk::detail::SqliteSchema{});
    for (sk::ListQuery const& query : queries()) {
      if (!query.cursor.empty() || query.agent) continue;
      CAPTURE(shape(query), count);
      // The steps of SQLite's machine.
      sqlite3_stmt* statement = nullptr;
      REQUIRE(sqlite3_prepare_v2(db, tables.list_sql(query), -1, &statement, nullptr) == SQLITE_OK);
      int at = 0;
      if (query.key) sqlite3_bind_text(statement, ++at, query.key->c_str(), -1, SQLITE_STATIC);
      if (query.user) sqlite3_bind_text(statement, ++at, query.user->c_str(), -1, SQLITE_STATIC);
      if (query.archived) sqlite3_bind_int(statement, ++at, *query.archived ? 1 : 0);
      sqlite3_bind_int64(statement, ++at, INT64_MAX);
      sqlite3_bind_int64(statement, ++at, INT64_MAX);
      sqlite3_bind_text(statement, ++at, "", -1, SQLITE_STATIC);
      sqlite3_bind_int64(statement, ++at, 3); // as many as the rarest has
      while (sqlite3_step(statement) == SQLITE_ROW) {}
      (count == 2000 ? few : many).push_back(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0));
      CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) == 0);
      CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0) == 0);
      sqlite3_finalize(statement);

      // And what the store answers: the newest, in order, each once.
      auto const page = store->list(query).value();
      REQUIRE_FALSE(page.sessions.empty());
      CHECK(page.sessions.size() <= 50);
      std::set<std::string> seen;
      for (auto const& info : page.sessions) {
        CHECK(seen.insert(info.id.str()).second);
        CHECK(sk::selects(query, info));
      }
      CHECK(std::is_sorted(page.sessions.begin(), page.sessions.end(),
                           [](auto const& x, auto const& y) { return x.updated > y.updated; }));
      if (!query.key && !query.user && !query.archived)
        CHECK(page.sessions.front().id.str() == "s" + std::to_string(count - 1));
    }
    sqlite3_close(db);
  }
  CHECK(few.size() == many.size());
  for (std::size_t i = 0; i < few.size(); ++i) CHECK(many[i] <= few[i] + 40); // skipped archived ones at most
}
