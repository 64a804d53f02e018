// SPDX-License-Identifier: MIT
// An append to the PostgreSQL store compared with the insert that a host would write by hand: one prepared
// INSERT of one row with the line, in a round trip of its own, on the same server.
#include "cases.hpp"
#include "store_appender.hpp"
#include "support/postgres_server.hpp"

#include <sessionkit/postgres/postgres_store.hpp>
#include <sessionkit/sessionkit.hpp>

#include <string>
#include <vector>

#include <libpq-fe.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

class BarePostgres {
 public:
  BarePostgres(std::string const& url, char const* table, bool durable) : handle_(PQconnectdb(url.c_str())) {
    require(PQstatus(handle_) == CONNECTION_OK, "cannot connect");
    run(durable ? "SET synchronous_commit = on" : "SET synchronous_commit = off");
    std::string const name = table;
    run("CREATE TABLE " + name
        + "(id bigserial PRIMARY KEY, session_id text NOT NULL, created_at text NOT NULL, line text)");
    run("CREATE INDEX " + name + "_by_session ON " + name + "(session_id)");
    std::string const sql = "INSERT INTO " + name + "(session_id, created_at, line) VALUES($1, $2, $3)";
    finish(PQprepare(handle_, "insert", sql.c_str(), 3, nullptr), "prepare");
  }
  BarePostgres(BarePostgres const&) = delete;
  BarePostgres& operator=(BarePostgres const&) = delete;
  ~BarePostgres() { PQfinish(handle_); }

  void run(std::string const& sql) { finish(PQexec(handle_, sql.c_str()), sql.c_str()); }
  void insert(std::string const& line) {
    char const* const values[] = {"0198c2f1-0000-7000-8000-000000000000", "2025-11-04T08:00:00.000Z",
                                  line.c_str()};
    finish(PQexecPrepared(handle_, "insert", 3, values, nullptr, nullptr, 0), "insert");
  }

 private:
  static void finish(PGresult* result, char const* doing) {
    ExecStatusType const status = PQresultStatus(result);
    PQclear(result);
    require(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, std::string("cannot ") + doing);
  }
  PGconn* handle_;
};

/// The same work as ZeroClaw's on SQLite: the row, and the time of its session.
class TouchedPostgres {
 public:
  TouchedPostgres(BarePostgres& rows) : rows_(&rows) {
    rows.run("CREATE TABLE touched(session_id text PRIMARY KEY, updated_at bigint NOT NULL)");
    rows.run("CREATE INDEX touched_by_time ON touched(updated_at)");
    rows.run("INSERT INTO touched VALUES('0198c2f1-0000-7000-8000-000000000000', 0)");
    rows.run("PREPARE touch AS UPDATE touched SET updated_at = updated_at + 1 WHERE session_id = "
             "'0198c2f1-0000-7000-8000-000000000000'");
  }
  void insert(std::string const& line) {
    rows_->run("BEGIN");
    rows_->insert(line);
    rows_->run("EXECUTE touch");
    rows_->run("COMMIT");
  }

 private:
  BarePostgres* rows_;
};

}

void measure_postgres(Workbench& bench) {
  if (sessionkit_test::PostgresServer::programs().empty()) return; // there is no server to compare with
  std::string const line = finished_line();
  sessionkit_test::PostgresServer const server;
  BarePostgres bare(server.url(), "bare", false), synced(server.url(), "synced", true),
      more(server.url(), "more", false);
  TouchedPostgres touched(more);
  StoreAppender ours(value_of(sk::open_postgres_store(server.url()), "open"));
  auto const turn_by_hand = [&] {
    synced.run("BEGIN");
    for (int i = 0; i < 4; ++i) synced.insert(line);
    synced.run("COMMIT");
  };
  Contest contest;
  auto const insert = contest.add_one(
      "INSERT, synchronous_commit = off", [&] { bare.insert(line); }, 200);
  auto const two = contest.add_one(
      "INSERT and UPDATE in a transaction", [&] { touched.insert(line); }, 100);
  auto const append = contest.add_one(
      "append", [&] { ours.append(1, false); }, 200);
  auto const insert_synced = contest.add_one(
      "INSERT, synchronous_commit = on", [&] { synced.insert(line); }, 40);
  auto const append_synced = contest.add_one(
      "durable append", [&] { ours.append(1, true); }, 40);
  auto const turn = contest.add_one("4 INSERTs, one transaction", turn_by_hand, 20);
  auto const our_turn = contest.add_one(
      "turn of 4 entries, durable", [&] { ours.append(4, true); }, 20);
  contest.run();
  bench.reported("postgres.durable", "durable append to the PostgreSQL store, over an INSERT", contest,
                 append_synced, insert_synced, 1.5);
  bench.reported("postgres.turn", "durable turn of 4 entries, over 4 INSERTs in one transaction", contest,
                 our_turn, turn, 1.5);
  bench.reported("postgres.append", "append that waits for no flush, over such an INSERT", contest, append,
                 insert);
  bench.reported("postgres.append_touch", "the same, over an INSERT and an UPDATE of the session's time",
                 contest, append, two);
}

}
