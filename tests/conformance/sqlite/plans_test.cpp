// SPDX-License-Identifier: MIT
// The cost of a list depends on its page, not on the store: checked by the plans of SQLite and the rows it
// reads.
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/detail/sqlite_log.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <sqlite3.h>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

std::size_t session_count() { return std::getenv("SESSIONKIT_SOAK") != nullptr ? 100000 : 4000; }

/// Rows as the store would have written them, without the store's time: `ids` has ids `i` and times `ms`.
void fill_with(std::string const& path, std::string const& ids) {
  Other(path).ask(
      "PRAGMA synchronous = OFF; BEGIN; INSERT INTO sessions(session_id, session_key, created_at, "
      "updated_at, "
      "agent, user_id, archived, updated_ms, updated_tick, dialect, row_json, log_end, last_crc, stale) "
      "SELECT 's' "
      "|| i, 'key' || (i % 100), '', '', 'agent' || (i % 10), 'user' || (i % 1000), i % 7 = 0, ms, ms >> 13, "
      "'native', '{\"key\":\"key' || (i % 100) || '\",\"agentId\":\"agent' || (i % 10) || "
      "'\",\"user\":\"user' "
      "|| (i % 1000) || '\",\"createdAt\":0,\"lastAt\":' || ms || ',\"end\":1' || CASE WHEN i % 7 = 0 THEN "
      "',\"archived\":true' ELSE '' END || '}', 1, 0, 0 FROM "
      + ids + "; COMMIT");
}
std::string numbers(std::size_t count) {
  return "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < "
         + std::to_string(count) + ") SELECT i FROM n)";
}
void fill(std::string const& path, std::size_t count) {
  fill_with(path, "(SELECT i, 1762243200000 + i * 1000 AS ms FROM " + numbers(count) + ")");
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
         + (q.archived ? "archived " : "") + (q.cursor.empty() ? "" : "after a cursor");
}

}

TEST_CASE("lists by key, agent and user use an index and sort the sessions of a tick") {
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
    bool const in_part = plan.find("USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY") != std::string::npos
                         || plan.find("USE TEMP B-TREE FOR RIGHT PART OF ORDER BY") != std::string::npos;
    CHECK(in_part);
    if (query.key && !query.agent) CHECK(plan.find("sessions_by_key") != std::string::npos);
    if (query.user) CHECK(plan.find("sessions_by_user") != std::string::npos);
  }
  sqlite3_close(db);
}

TEST_CASE("an index finds the newest 50 of many sessions, whatever their number") {
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
      sqlite3_bind_text(statement, ++at, "", -1, SQLITE_STATIC);
      sqlite3_bind_int64(statement, ++at, 3); // as many as the rarest has
      while (sqlite3_step(statement) == SQLITE_ROW) {}
      (count == 2000 ? few : many).push_back(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0));
      CHECK(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) == 0);
      sqlite3_finalize(statement);

      // The store's answer: the newest, in order, each once.
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
  for (std::size_t i = 0; i < few.size(); ++i)
    CHECK(many[i] <= few[i] + 300); // a tick, and skipped archived ones at most
}

TEST_CASE("sessions of one tick of SQLite's indexes are listed in order, page by page") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  auto store = sk::open_sqlite_store(path).value();
  // Three ids for each time: about the borders of ticks, before 1970 too, and many within one.
  fill_with(path,
            "(SELECT row_number() OVER (ORDER BY ms * 7919 % 1009, n) AS i, ms FROM (SELECT column1 AS ms "
            "FROM (VALUES(-8193), (-8192), (-8191), (-1), (0), (1), (8191), (8192), (8193)) UNION ALL "
            "SELECT 1762243200000 + i FROM "
                + numbers(100) + "), (SELECT i AS n FROM " + numbers(3) + "))");
  std::vector<std::string> in_order;
  for (Row const& row :
       Other(path).ask("SELECT session_id FROM sessions ORDER BY updated_ms DESC, session_id"))
    in_order.push_back(row[0]);
  REQUIRE(in_order.size() == 327);
  sk::ListQuery whole;
  whole.limit = 1000;
  auto const all = store->list(whole).value().sessions;
  for (sk::ListQuery query : queries())
    for (std::size_t const limit : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      if (!query.cursor.empty()) continue;
      CAPTURE(shape(query), limit);
      query.limit = limit;
      std::vector<std::string> listed, expected;
      do {
        auto const page = store->list(query).value();
        for (auto const& info : page.sessions) listed.push_back(info.id.str());
        query.cursor = page.next;
      } while (!query.cursor.empty());
      for (auto const& info : all)
        if (sk::selects(query, info)) expected.push_back(info.id.str());
      CHECK(listed == expected);
      if (!query.key && !query.agent && !query.user && !query.archived) CHECK(listed == in_order);
    }
}

TEST_CASE("an append to the SQLite store writes no index of lists within a tick") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  auto store = sk::open_sqlite_store(path).value();
  fill(path, 1000); // so that each index has pages of its own
  constexpr std::int64_t tick = 8192;
  std::int64_t now = 300000000 * tick;
  sk::SessionOptions options;
  options.clock = [&now] { return sk::from_unix_ms(now); };
  auto session = sk::Session::create(store, {"key", "agent", "user"}, options).value();
  session.append(sk::user("the first gives a title")).value();
  constexpr std::uintmax_t appends = 20, page = 4096, frame_header = 24;
  auto const pages_written = [&](std::int64_t pause) {
    auto const before = std::filesystem::file_size(path + "-wal");
    for (std::uintmax_t n = 0; n < appends; ++n) {
      now += pause;
      session.append(sk::user("more")).value();
    }
    return (std::filesystem::file_size(path + "-wal") - before) / (page + frame_header);
  };
  auto const within = pages_written(tick / 64), across = pages_written(tick);
  CHECK(within <= appends * 5); // the message, its index, the ids given, the session; and a page begun
  CHECK(across >= within + appends * 4);
}
