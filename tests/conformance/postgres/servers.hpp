// SPDX-License-Identifier: MIT
// Servers for the tests of the PostgreSQL store, and a connection to inspect them.
#pragma once
#include "support/catch.hpp"
#include "support/postgres_server.hpp"
#include "support/tcp_proxy.hpp"

#include <sessionkit/postgres/postgres_store.hpp>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <libpq-fe.h>

namespace sessionkit_test {

namespace sk = sessionkit;

/// False if there is no server to start: the test is then skipped, which ctest sees by the message; if
/// `SESSIONKIT_SERVERS` says `required` it fails.
inline bool has_postgres() {
  if (!PostgresServer::programs().empty()) return true;
  char const* const servers = std::getenv("SESSIONKIT_SERVERS");
  if (servers != nullptr && std::string(servers) == "required") FAIL("there is no PostgreSQL server here");
  WARN("SKIPPED: there is no PostgreSQL server here");
  return false;
}

/// One server for all harmless tests of this process.
inline PostgresServer& shared_postgres() {
  static PostgresServer server({"wal_writer_delay=10000", "wal_writer_flush_after=100000", "autovacuum=off"});
  return server;
}

/// A connection of its own.
class PostgresEye {
 public:
  explicit PostgresEye(std::string const& url) : handle_(PQconnectdb(url.c_str())) {
    if (PQstatus(handle_) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(handle_));
    PQsetNoticeProcessor(
        handle_, [](void*, char const*) {}, nullptr);
  }
  PostgresEye(PostgresEye const&) = delete;
  PostgresEye& operator=(PostgresEye const&) = delete;
  ~PostgresEye() { PQfinish(handle_); }

  /// Rows with their columns joined by `|`.
  std::vector<std::string> ask(std::string const& sql) const {
    PGresult* const result = PQexec(handle_, sql.c_str());
    ExecStatusType const status = PQresultStatus(result);
    std::vector<std::string> rows;
    for (int r = 0; r < PQntuples(result); ++r) {
      rows.emplace_back();
      for (int c = 0; c < PQnfields(result); ++c)
        (rows.back() += c > 0 ? "|" : "") +=
            PQgetisnull(result, r, c) != 0 ? "NULL" : PQgetvalue(result, r, c);
    }
    PQclear(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
      throw std::runtime_error(sql + ": " + PQerrorMessage(handle_));
    return rows;
  }
  PGconn* handle() const noexcept { return handle_; }

 private:
  PGconn* handle_;
};

/// A new schema.
inline std::string fresh_schema() {
  static int count = 0;
  return "test" + std::to_string(++count);
}

}
