// SPDX-License-Identifier: MIT
// The operations of run.py as a C++ host writes them by hand for SQLite: prepared statements, a log written
// ahead (WAL), a row for each message and one for each session, with an index of the sessions' times. It
// checks and repairs nothing.
#include "peer.hpp"

#include <nlohmann/json.hpp>

#include <vector>

#include <sqlite3.h>

namespace {

using namespace sessionkit_bench;
using nlohmann::json;

class Statement {
 public:
  Statement(sqlite3* db, char const* sql) {
    require(sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) == SQLITE_OK, sqlite3_errmsg(db));
  }
  Statement(Statement const&) = delete;
  Statement& operator=(Statement const&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }
  void bind(int at, std::string const& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int at, std::int64_t number) { sqlite3_bind_int64(statement_, at, number); }
  bool row() { return sqlite3_step(statement_) == SQLITE_ROW; }
  void run() {
    require(sqlite3_step(statement_) == SQLITE_DONE, "cannot write");
    sqlite3_reset(statement_);
  }
  std::string_view text(int column) const {
    return {reinterpret_cast<char const*>(sqlite3_column_text(statement_, column)),
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  Database(std::string const& path, char const* synchronous) {
    require(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, path + ": cannot open");
    run("PRAGMA journal_mode = WAL");
    run((std::string("PRAGMA synchronous = ") + synchronous).c_str());
    run("CREATE TABLE IF NOT EXISTS sessions(id TEXT PRIMARY KEY, title TEXT, updated INTEGER NOT NULL, "
        "messages INTEGER NOT NULL)");
    run("CREATE INDEX IF NOT EXISTS by_time ON sessions(updated)");
    run("CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY, session TEXT NOT NULL, created INTEGER "
        "NOT NULL, message TEXT NOT NULL)");
    run("CREATE INDEX IF NOT EXISTS by_session ON messages(session, id)");
  }
  Database(Database const&) = delete;
  Database& operator=(Database const&) = delete;
  ~Database() { sqlite3_close(db_); }
  void run(char const* sql) {
    require(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sqlite3_errmsg(db_));
  }
  sqlite3* get() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
};

std::string const session_id(made_session_id);

std::string message_of(std::string const& role, std::string const& text) {
  return json{{"role", role}, {"content", json::array({{{"type", "text"}, {"text", text}}})}}.dump();
}

class Inserter {
 public:
  explicit Inserter(Database& db)
      : db_(db),
        insert_(db.get(), "INSERT INTO messages(session, created, message) VALUES(?1, ?2, ?3)"),
        touch_(db.get(), "INSERT INTO sessions VALUES(?1, '', ?2, 1) ON CONFLICT(id) DO UPDATE SET "
                         "updated = ?2, messages = messages + 1") {}
  void insert(std::string const& session, std::int64_t at, std::string const& message) {
    insert_.bind(1, session);
    insert_.bind(2, at);
    insert_.bind(3, message);
    insert_.run();
  }
  void touch(std::string const& session, std::int64_t at) {
    touch_.bind(1, session);
    touch_.bind(2, at);
    touch_.run();
  }
  void insert_with_row(std::string const& session, std::int64_t at, std::string const& message) {
    db_.run("BEGIN IMMEDIATE");
    insert(session, at, message);
    touch(session, at);
    db_.run("COMMIT");
  }

 private:
  Database& db_;
  Statement insert_, touch_;
};

int append_as(PeerRequest const& request, char const* synchronous, bool with_row) {
  Database db(request.target + "/by-hand.db", synchronous);
  Inserter inserter(db);
  std::string const text = message_text();
  auto const begin = PeerClock::now();
  for (std::size_t i = 0; i < request.count; ++i) {
    std::string const message = message_of("user", text);
    auto const at = std::chrono::system_clock::now().time_since_epoch().count();
    if (with_row)
      inserter.insert_with_row(session_id, at, message);
    else
      inserter.insert(session_id, at, message);
  }
  return print_result(begin, request.count);
}

int append(PeerRequest const& request) { return append_as(request, "NORMAL", false); }
int append_row(PeerRequest const& request) { return append_as(request, "NORMAL", true); }
int append_durable(PeerRequest const& request) { return append_as(request, "FULL", false); }
int append_durable_row(PeerRequest const& request) { return append_as(request, "FULL", true); }

/// The newest `count` messages of the session, oldest first; 0: all.
template <class Add> void each_message(Database& db, std::size_t count, Add add) {
  Statement all(db.get(), "SELECT message FROM messages WHERE session = ?1 ORDER BY id");
  Statement some(db.get(),
                 "SELECT message FROM (SELECT id, message FROM messages WHERE session = ?1 ORDER BY "
                 "id DESC LIMIT ?2) ORDER BY id");
  Statement& rows = count == 0 ? all : some;
  rows.bind(1, session_id);
  if (count != 0) rows.bind(2, static_cast<std::int64_t>(count));
  while (rows.row()) add(rows.text(0));
}

std::string joined(Database& db, std::size_t count) {
  std::string body = "[";
  each_message(db, count, [&](std::string_view message) {
    if (body.size() > 1) body += ',';
    body += message;
  });
  return body += ']';
}

std::string parsed(Database& db, std::size_t count) {
  json messages = json::array();
  each_message(db, count, [&](std::string_view message) { messages.push_back(json::parse(message)); });
  return messages.dump();
}

template <class Read> int history_by(PeerRequest const& request, Read read) {
  auto const begin = PeerClock::now();
  Database db(request.target, "NORMAL");
  std::string const body = read(db, request.count);
  keep(body);
  return print_result(begin, body.size());
}

template <class Read> int next_by(PeerRequest const& request, Read read) {
  Database db(request.target, "NORMAL");
  keep(read(db, 0));
  Inserter(db).insert(session_id, 0, message_of("user", message_text()));
  auto const begin = PeerClock::now();
  std::string const body = read(db, 0);
  keep(body);
  return print_result(begin, body.size());
}

int history(PeerRequest const& request) { return history_by(request, joined); }
int history_parsed(PeerRequest const& request) { return history_by(request, parsed); }
int next(PeerRequest const& request) { return next_by(request, joined); }
int next_parsed(PeerRequest const& request) { return next_by(request, parsed); }

int make_history(PeerRequest const& request) {
  Database db(request.target, "OFF");
  Inserter inserter(db);
  std::string const text = message_text();
  db.run("BEGIN");
  for (std::size_t i = 0; i < request.count; ++i)
    inserter.insert(session_id, static_cast<std::int64_t>(i),
                    message_of(i % 2 == 0 ? "user" : "assistant", text));
  db.run("COMMIT");
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return 0;
}

int make_list(PeerRequest const& request) {
  Database db(request.target, "OFF");
  Inserter inserter(db);
  std::string const message = message_of("user", message_text());
  db.run("BEGIN");
  for (std::size_t i = 0; i < request.count; ++i) {
    std::string const session = "session-" + std::to_string(i);
    for (std::size_t each = 0; each < request.size; ++each) {
      inserter.insert(session, static_cast<std::int64_t>(i), message);
      inserter.touch(session, static_cast<std::int64_t>(i));
    }
  }
  db.run("COMMIT");
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return 0;
}

struct Row {
  std::string id, title;
  std::int64_t updated, messages;
};

int list(PeerRequest const& request) {
  auto const begin = PeerClock::now();
  Database db(request.target, "NORMAL");
  Statement rows(db.get(),
                 "SELECT id, title, updated, messages FROM sessions ORDER BY updated DESC LIMIT ?1");
  rows.bind(1, request.count != 0 ? static_cast<std::int64_t>(request.count) : -1);
  std::vector<Row> found;
  while (rows.row())
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.number(2), rows.number(3)});
  return print_result(begin, found.size());
}

constexpr std::array<PeerOperation, 11> operations{{{"append", append},
                                                    {"append_row", append_row},
                                                    {"append_durable", append_durable},
                                                    {"append_durable_row", append_durable_row},
                                                    {"history", history},
                                                    {"history_parsed", history_parsed},
                                                    {"next", next},
                                                    {"next_parsed", next_parsed},
                                                    {"make_history", make_history},
                                                    {"make_list", make_list},
                                                    {"list", list}}};

}

int main(int count, char** words) { return run_peer(operations, count, words); }
