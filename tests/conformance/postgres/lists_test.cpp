// SPDX-License-Identifier: MIT
// The cost of a list depends on its page, not on the store: checked by the plans of PostgreSQL and the pages
// it touches.
#include "postgres/servers.hpp"
#include "support/transcript.hpp"

#include <sessionkit/postgres/detail/postgres_log.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

using namespace sessionkit_test;
using sk::detail::PostgresConnection;

namespace {

constexpr std::size_t few = 10000, many = 100000;

/// Rows as the store would have written them, without the store's time: `ids` has ids `i` and times `ms`.
void fill_with(std::string const& schema, std::string const& ids) {
  PostgresEye(shared_postgres().url())
      .ask("INSERT INTO " + schema
           + ".sessions SELECT 's' || i, 'key' || i % 100, 'agent' || i % 10, 'user' || i % 100, '', i % 7 = "
             "0, "
             "ms, 'native', 1, 0, '{\"key\":\"key' || i % 100 || '\",\"agentId\":\"agent' || i % 10 || "
             "'\",\"user\":\"user' || i % 100 || '\",\"createdAt\":0,\"lastAt\":' || ms || ',\"end\":1' "
             "|| CASE WHEN i % 7 = 0 THEN ',\"archived\":true' ELSE '' END || '}', ms >> 13 FROM "
           + ids);
}
void fill(std::string const& schema, std::size_t count) {
  fill_with(schema, "(SELECT i, 1762243200000 + i * 1000 AS ms FROM generate_series(0, "
                        + std::to_string(count - 1) + ") AS i) AS ids");
}

struct Asked {
  sk::ListQuery query;
  std::string values; ///< of the statement, before the place
};
std::vector<Asked> queries() {
  std::vector<Asked> all(6);
  all[1].query.key = "key42", all[1].values = "'key42', ";
  all[2].query.agent = "agent3", all[2].values = "'agent3', ";
  all[3].query.user = "user12", all[3].values = "'user12', ";
  all[4].query.key = "key42", all[4].query.archived = false, all[4].values = "'key42', false, ";
  all[5].query.archived = false, all[5].values = "false, ";
  return all;
}

/// The server's plan for a list, on a connection with the store's settings.
std::string plan_of(PostgresConnection& db, sk::detail::PostgresTables const& tables, Asked const& asked,
                    bool generic, bool behind) {
  std::string const place = behind ? "1762243500000, 's300', 51" : "9223372036854775807, '', 51";
  auto const ask = [&db](std::string const& sql) { return db.run("ask", sql).value(); };
  ask(std::string("SET plan_cache_mode = ") + (generic ? "force_generic_plan" : "force_custom_plan"));
  ask(std::string("PREPARE asked AS ") + tables.list_statement(asked.query).sql);
  auto const rows = ask("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE asked("
                        + asked.values + place + ")");
  ask("DEALLOCATE asked");
  std::string plan;
  for (int row = 0; row < rows.rows(); ++row) (plan += rows.text(row, 0)) += '\n';
  return plan;
}

/// Pages of the tables and indexes that were read.
int pages_of(std::string const& plan) {
  std::size_t const at = plan.find("Buffers: shared");
  int hit = 0, read = 0;
  if (at == std::string::npos) return 1 << 30;
  if (std::sscanf(plan.c_str() + at, "Buffers: shared hit=%d read=%d", &hit, &read) == 0)
    std::sscanf(plan.c_str() + at, "Buffers: shared read=%d", &read);
  return hit + read;
}

void check_plan(std::string const& plan, sk::ListQuery const& query) {
  CAPTURE(plan);
  CHECK(plan.find("Index Scan using sessions_by_") != std::string::npos);
  CHECK(plan.find("Seq Scan") == std::string::npos);
  CHECK(plan.find("Incremental Sort") != std::string::npos); // of the sessions of one tick
  CHECK(plan.find("Presorted Key: ") != std::string::npos);
  CHECK(plan.find("Disk: ") == std::string::npos);
  if (query.key) CHECK(plan.find("sessions_by_key") != std::string::npos);
  if (query.agent) CHECK(plan.find("sessions_by_agent") != std::string::npos);
  if (query.user) CHECK(plan.find("sessions_by_user") != std::string::npos);
}

}

TEST_CASE("listing the newest 50 of 100,000 sessions in PostgreSQL costs the same as of 10,000") {
  if (!has_postgres()) return;
  sk::detail::PostgresTables const tables;
  std::vector<int> pages[2];
  for (std::size_t const count : {few, many}) {
    sk::PostgresStoreOptions options;
    options.schema = fresh_schema();
    auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
    fill(options.schema, count);
    sk::detail::PostgresSettings settings;
    settings.where = shared_postgres().url();
    settings.schema = options.schema;
    settings.statement_wait = std::chrono::minutes(5); // statistics of a busy machine take their time
    auto db = PostgresConnection::open(settings).value();
    for (bool const analyzed : {false, true}) { // the server's statistics make no difference
      if (analyzed) db.run("analyze", "ANALYZE sessions").value();
      for (bool const generic : {false, true})
        for (bool const behind : {false, true})
          for (Asked const& asked : queries()) {
            CAPTURE(count, analyzed, generic, behind);
            check_plan(plan_of(db, tables, asked, generic, behind), asked.query);
            std::string const again = plan_of(db, tables, asked, generic, behind); // it has pruned dead rows
            if (!behind) pages[count == many].push_back(pages_of(again));
          }
    }
    for (Asked const& asked : queries()) {
      auto const page = store->list(asked.query).value();
      CHECK(page.sessions.size() == 50);
      std::set<std::string> seen;
      for (auto const& info : page.sessions) {
        CHECK(seen.insert(info.id.str()).second);
        CHECK(sk::selects(asked.query, info));
      }
      CHECK(std::is_sorted(page.sessions.begin(), page.sessions.end(),
                           [](auto const& x, auto const& y) { return x.updated > y.updated; }));
    }
    CHECK(store->list({}).value().sessions.front().id.str() == "s" + std::to_string(count - 1));
  }
  REQUIRE(pages[0].size() == pages[1].size());
  for (std::size_t i = 0; i < pages[0].size(); ++i) {
    CAPTURE(i, pages[0][i]);
    CHECK(pages[1][i] <= pages[0][i] + 60); // rows of a key lie farther apart; a page each at most
    CHECK(pages[1][i] < 200);
  }
}

TEST_CASE("pages of a list in PostgreSQL contain every session once while others are created and written") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  fill(options.schema, 500);
  PostgresEye const eye(shared_postgres().url());
  std::set<std::string> seen;
  sk::ListQuery query;
  query.limit = 30;
  for (int n = 0;; ++n) {
    auto const page = store->list(query).value();
    for (auto const& info : page.sessions) CHECK(seen.insert(info.id.str()).second);
    if (page.next.empty()) break;
    query.cursor = page.next;
    std::string const made = std::to_string(n);
    eye.ask("INSERT INTO " + options.schema + ".sessions SELECT 'new" + made
            + "', session_key, agent, user_id, '', false, 1900000000000, dialect, 1, 0, row_json, "
              "1900000000000 >> 13 FROM "
            + options.schema + ".sessions WHERE session_id = 's0'");
    eye.ask("DELETE FROM " + options.schema + ".sessions WHERE session_id = 's" + std::to_string(499 - n)
            + "'");
  }
  CHECK(seen.size() == 500);
}

TEST_CASE("sessions of one tick of PostgreSQL's indexes are listed in order, page by page") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  // Three ids for each time: about the borders of ticks, before 1970 too, and many within one.
  std::string const times = "unnest(ARRAY[-8193, -8192, -8191, -1, 0, 1, 8191, 8192, 8193]::bigint[] || "
                            "ARRAY(SELECT 1762243200000 + n / 2 FROM generate_series(0, 199) AS n))";
  fill_with(options.schema, "(SELECT row_number() OVER (ORDER BY md5(ms::text || n)) AS i, ms FROM " + times
                                + " AS ms, generate_series(1, 3) AS n) AS ids");
  std::vector<std::string> const in_order =
      PostgresEye(shared_postgres().url())
          .ask("SELECT session_id FROM " + options.schema + ".sessions ORDER BY updated_ms DESC, session_id");
  REQUIRE(in_order.size() == 627);
  sk::ListQuery whole;
  whole.limit = 1000;
  auto const all = store->list(whole).value().sessions;
  for (Asked const& asked : queries())
    for (std::size_t const limit : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      sk::ListQuery query = asked.query;
      query.limit = limit;
      CAPTURE(asked.values, limit);
      std::vector<std::string> listed, expected;
      do {
        auto const page = store->list(query).value();
        for (auto const& info : page.sessions) listed.push_back(info.id.str());
        query.cursor = page.next;
      } while (!query.cursor.empty());
      for (auto const& info : all)
        if (sk::selects(query, info)) expected.push_back(info.id.str());
      CHECK(listed == expected);
      if (asked.values.empty()) CHECK(listed == in_order);
    }
}

TEST_CASE("a list of PostgreSQL reads at most the sessions that changed within one tick") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  fill(options.schema, few);
  constexpr int at_once = 2000;
  fill_with(options.schema, "(SELECT i, 1800000000000 + i % 100 AS ms FROM generate_series(100000, "
                                + std::to_string(100000 + at_once - 1) + ") AS i) AS ids");
  sk::detail::PostgresSettings settings;
  settings.where = shared_postgres().url() + "?options=-cenable_incremental_sort%3Doff"; // its owner's choice
  settings.schema = options.schema;
  auto db = PostgresConnection::open(settings).value();
  sk::detail::PostgresTables const tables;
  std::string const plan = plan_of(db, tables, {}, true, false);
  CAPTURE(plan);
  check_plan(plan, {});
  CHECK(pages_of(plan) > 50);
  CHECK(pages_of(plan) < at_once + 200);
  CHECK(pages_of(plan_of(db, tables, {}, true, true)) < 200); // nothing of it is left after them
}

TEST_CASE("an append to the PostgreSQL store changes no index of sessions within a tick") {
  if (!has_postgres()) return;
  sk::PostgresStoreOptions options;
  options.schema = fresh_schema();
  auto store = sk::open_postgres_store(shared_postgres().url(), options).value();
  fill(options.schema, 1000); // its page is shared
  auto const id = sk::SessionId::parse("one").value();
  sk::Position end = store->append(id, Batch({header_line("one")})).value();
  constexpr int appends = 100; // all of one time
  for (int n = 0; n < appends; ++n)
    end = store->append(id, Batch({message_line("m" + std::to_string(n), "", "x")}, end)).value();
  store.reset(); // what a connection did is counted when it ends
  PostgresEye const eye(shared_postgres().url());
  std::string updates, hot;
  for (int tries = 0; tries < 1000 && updates != std::to_string(appends); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string const where = " FROM pg_stat_user_tables WHERE relname = 'sessions' AND schemaname = '";
    updates = eye.ask("SELECT n_tup_upd" + where + options.schema + "'").front();
    hot = eye.ask("SELECT n_tup_hot_upd" + where + options.schema + "'").front();
  }
  CHECK(updates == std::to_string(appends));
  CHECK(std::stoi(hot) >= appends * 9 / 10); // an old snapshot may keep old versions, and fill the page
}
