// SPDX-License-Identifier: MIT
// An append to the SQLite store compared with the insert that a host would write by hand: one row with the
// same texts (the message, and the line), prepared, in the same mode of the log.
#include "cases.hpp"
#include "store_appender.hpp"

#include <sessionkit/sessionkit.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <string>
#include <vector>

#include <sqlite3.h>

namespace sessionkit_bench {

namespace sk = sessionkit;

namespace {

class BareInsert {
 public:
  BareInsert(std::string const& path, bool durable) {
    require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, path + ": cannot open");
    run("PRAGMA journal_mode = WAL");
    run(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    run("CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, created_at TEXT NOT NULL, "
        "content TEXT NOT NULL, line TEXT)");
    run("CREATE INDEX by_session ON messages(session_id)");
    char const* const sql =
        "INSERT INTO messages(session_id, created_at, content, line) VALUES(?1, ?2, ?3, ?4)";
    require(sqlite3_prepare_v2(db_, sql, -1, &insert_, nullptr) == SQLITE_OK, "cannot prepare");
  }
  BareInsert(BareInsert const&) = delete;
  BareInsert& operator=(BareInsert const&) = delete;
  ~BareInsert() {
    sqlite3_finalize(insert_);
    sqlite3_close(db_);
  }
  void run(char const* sql) { require(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql); }
  void insert(std::string const& line) {
    sqlite3_bind_text(insert_, 1, "0198c2f1-0000-7000-8000-000000000000", -1, SQLITE_STATIC);
    sqlite3_bind_text(insert_, 2, "2025-11-04T08:00:00.000Z", -1, SQLITE_STATIC);
    sqlite3_bind_text(insert_, 3, content_.data(), static_cast<int>(content_.size()), SQLITE_STATIC);
    sqlite3_bind_text(insert_, 4, line.data(), static_cast<int>(line.size()), SQLITE_STATIC);
    require(sqlite3_step(insert_) == SQLITE_DONE, "cannot insert");
    sqlite3_reset(insert_);
  }

 private:
  std::string const content_ = message_text();
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
};

/// The same work as ZeroClaw's: the row, and the time of its session, in one transaction.
class TwoStatements {
 public:
  explicit TwoStatements(std::string const& path) {
    require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, path + ": cannot open");
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = NORMAL");
    run("CREATE TABLE sessions(session_id TEXT PRIMARY KEY, updated_at TEXT NOT NULL)");
    run("CREATE INDEX by_time ON sessions(updated_at)");
    run("CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT "
        "NULL, "
        "content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT)");
    run("CREATE INDEX by_session ON messages(session_id, id)");
    run("INSERT INTO sessions VALUES('0198c2f1-0000-7000-8000-000000000000', '')");
    char const* const insert =
        "INSERT INTO messages(session_id, role, content, created_at) VALUES(?1, 'user', ?2, ?3)";
    char const* const touch = "UPDATE sessions SET updated_at = ?2 WHERE session_id = ?1";
    require(sqlite3_prepare_v2(db_, insert, -1, &insert_, nullptr) == SQLITE_OK, "cannot prepare");
    require(sqlite3_prepare_v2(db_, touch, -1, &touch_, nullptr) == SQLITE_OK, "cannot prepare");
  }
  TwoStatements(TwoStatements const&) = delete;
  TwoStatements& operator=(TwoStatements const&) = delete;
  ~TwoStatements() {
    sqlite3_finalize(insert_);
    sqlite3_finalize(touch_);
    sqlite3_close(db_);
  }
  void append(std::string const& text) {
    std::string const at = std::to_string(++count_);
    run("BEGIN IMMEDIATE");
    for (sqlite3_stmt* const statement : {insert_, touch_}) {
      bool const inserts = statement == insert_;
      sqlite3_bind_text(statement, 1, "0198c2f1-0000-7000-8000-000000000000", -1, SQLITE_STATIC);
      if (inserts) sqlite3_bind_text(statement, 2, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
      sqlite3_bind_text(statement, inserts ? 3 : 2, at.data(), static_cast<int>(at.size()), SQLITE_STATIC);
      require(sqlite3_step(statement) == SQLITE_DONE, "cannot write");
      sqlite3_reset(statement);
    }
    run("COMMIT");
  }

 private:
  void run(char const* sql) { require(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sql); }
  sqlite3* db_ = nullptr;
  sqlite3_stmt *insert_ = nullptr, *touch_ = nullptr;
  std::uint64_t count_ = 1000000;
};

}

void measure_sqlite(Workbench& bench) {
  std::string const line = finished_line();
  BareInsert bare(bench.path("bare.db"), false), synced(bench.path("synced.db"), true);
  TwoStatements zeroclaw(bench.path("zeroclaw.db"));
  StoreAppender ours(value_of(sk::open_sqlite_store(bench.path("ours.db")), "open"));
  auto const turn_by_hand = [&](BareInsert& by_hand) {
    by_hand.run("BEGIN IMMEDIATE");
    for (int i = 0; i < 4; ++i) by_hand.insert(line);
    by_hand.run("COMMIT");
  };
  constexpr std::size_t many = 2000; // so that each sample pays for checkpoints
  Contest contest;
  auto const insert = contest.add_one(
      "insert, synchronous = NORMAL", [&] { bare.insert(line); }, many);
  auto const two = contest.add_one(
      "insert and time of the session", [&] { zeroclaw.append(line); }, many);
  auto const append = contest.add_one(
      "append", [&] { ours.append(1, false); }, many);
  auto const insert_synced = contest.add_one(
      "insert, synchronous = FULL", [&] { synced.insert(line); }, 40);
  auto const append_synced = contest.add_one(
      "durable append", [&] { ours.append(1, true); }, 40);
  auto const turn = contest.add_one(
      "4 inserts, one synced transaction", [&] { turn_by_hand(synced); }, 40);
  auto const our_turn = contest.add_one(
      "turn of 4 entries, durable", [&] { ours.append(4, true); }, 40);
  contest.run();
  bench.reported("sqlite.durable", "durable append to the SQLite store, over an insert", contest,
                 append_synced, insert_synced, 1.5);
  bench.reported("sqlite.turn", "durable turn of 4 entries, over 4 inserts in one transaction", contest,
                 our_turn, turn, 1.5);
  bench.reported("sqlite.append", "append that waits for no sync, over such an insert", contest, append,
                 insert);
  bench.reported("sqlite.append_touch", "the same, over an insert and an update of the session's time",
                 contest, append, two);
}

}
