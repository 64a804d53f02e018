// SPDX-License-Identifier: MIT
// Another program with an SQLite file open, and ZeroClaw as its documents describe it.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace sessionkit_test {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

/// Another program with the file open.
class Other {
 public:
  explicit Other(std::string const& path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("cannot open " + path);
    sqlite3_busy_timeout(db_, 5000);
  }
  Other(Other const&) = delete;
  Other& operator=(Other const&) = delete;
  ~Other() { sqlite3_close(db_); }
  Rows ask(std::string const& sql) {
    Rows rows;
    char* error = nullptr;
    auto const add = [](void* to, int n, char** values, char**) {
      Row row;
      for (int i = 0; i < n; ++i) row.emplace_back(values[i] ? values[i] : "NULL");
      static_cast<Rows*>(to)->push_back(row);
      return 0;
    };
    if (sqlite3_exec(db_, sql.c_str(), add, &rows, &error) != SQLITE_OK) {
      std::string const what = error;
      sqlite3_free(error);
      throw std::runtime_error(sql + ": " + what);
    }
    return rows;
  }

 private:
  sqlite3* db_ = nullptr;
};

inline constexpr char const* schema_7 = R"(
CREATE TABLE session_index(session_key TEXT PRIMARY KEY, active_session_id TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active',
  title TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE INDEX idx_messages ON session_messages(session_id, id);
CREATE TABLE session_state(session_id TEXT NOT NULL, key TEXT NOT NULL, value_json TEXT NOT NULL, updated_at TEXT NOT NULL,
  PRIMARY KEY(session_id, key));
PRAGMA user_version = 7;
)";
inline constexpr char const* schema_12 = R"(
CREATE TABLE agents(agent_id TEXT PRIMARY KEY, name TEXT);
INSERT INTO agents VALUES('main', 'Main');
CREATE TABLE sessions(session_id TEXT PRIMARY KEY, inbound_key TEXT NOT NULL, agent_id TEXT NOT NULL REFERENCES agents(agent_id),
  outbound_key TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active', title TEXT, created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(session_id)
  ON DELETE CASCADE, role TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, meta_json TEXT);
CREATE TABLE session_state(session_id TEXT NOT NULL REFERENCES sessions(session_id) ON DELETE CASCADE, key TEXT NOT NULL,
  value_json TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY(session_id, key));
PRAGMA user_version = 12;
)";

/// ZeroClaw's own calls, as its documents describe them.
struct ZeroClaw {
  Other db;
  bool with_index;
  std::string const a = "11111111-1111-4111-8111-111111111111", b = "22222222-2222-4222-8222-222222222222";

  ZeroClaw(std::string const& path, bool index) : db(path), with_index(index) {
    db.ask(index ? schema_7 : schema_12);
  }
  void start(std::string const& id, std::string const& key, std::string const& at) {
    if (with_index) {
      db.ask("INSERT INTO sessions(session_id, session_key, status, title, created_at, updated_at) VALUES('"
             + id + "', '" + key + "', 'active', NULL, '" + at + "', '" + at + "')");
      db.ask("INSERT OR REPLACE INTO session_index VALUES('" + key + "', '" + id + "', '" + at + "')");
    } else {
      db.ask("INSERT INTO sessions(session_id, inbound_key, agent_id, outbound_key, created_at, updated_at) "
             "VALUES('"
             + id + "', '" + key + "', 'main', 'out', '" + at + "', '" + at + "')");
    }
  }
  void say(std::string const& id, std::string const& role, std::string const& text, std::string const& at,
           std::string const& meta = "NULL") {
    db.ask("INSERT INTO session_messages(session_id, role, content, created_at, meta_json) VALUES('" + id
           + "', '" + role + "', '" + text + "', '" + at + "', " + meta
           + "); UPDATE sessions SET updated_at = '" + at + "' WHERE session_id = '" + id + "'");
  }
  /// load_messages_after_id
  Rows messages(std::string const& id, std::string const& after = "0") {
    return db.ask("SELECT role, content, coalesce(meta_json, '-') FROM session_messages WHERE session_id = '"
                  + id + "' AND id > " + after + " ORDER BY id ASC");
  }
};

}
