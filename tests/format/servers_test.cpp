// SPDX-License-Identifier: MIT
// Dumps of servers that earlier releases wrote to, in servers of the test's own.
#include "conformance/postgres/servers.hpp"
#include "kept_files.hpp"
#include "more_stores.hpp"
#include "servers.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/redis_server.hpp"

#include <algorithm>
#include <regex>

using namespace sessionkit_test;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> kept_dumps(std::string const& name) {
  std::vector<std::string> out;
  for (auto const& set : fs::directory_iterator(data("format")))
    if (fs::exists(set.path() / name)) out.push_back((set.path() / name).string());
  return out;
}

std::string words_beside(std::string const& dump) {
  return read_file(fs::path(dump).replace_extension(".txt").string());
}

/// An append-only file: each command as `*<words>`, and each word as `$<bytes>` and its bytes.
std::vector<std::vector<std::string>> commands_of(std::string const& log) {
  std::vector<std::vector<std::string>> out;
  std::size_t at = 0;
  auto const number = [&](char mark) {
    if (log.at(at) != mark) throw std::runtime_error("no append-only file at byte " + std::to_string(at));
    auto const end = log.find("\r\n", at);
    auto const value = std::stoul(log.substr(at + 1, end - at - 1));
    at = end + 2;
    return value;
  };
  while (at < log.size()) {
    std::vector<std::string> command(number('*'));
    for (auto& word : command) {
      auto const bytes = number('$');
      word = log.substr(at, bytes);
      at += bytes + 2;
    }
    out.push_back(std::move(command));
  }
  return out;
}

void run_sql(std::string const& url, std::string const& sql) {
  std::unique_ptr<PGconn, void (*)(PGconn*)> const connection(PQconnectdb(url.c_str()), PQfinish);
  std::unique_ptr<PGresult, void (*)(PGresult*)> const result(PQexec(connection.get(), sql.c_str()), PQclear);
  auto const status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
}

void check_store(std::string const& url, std::string const& dump) {
  CHECK(reported(open_server_store(url)) == words_beside(dump));
  continue_session(open_server_store(url));
  auto const now = open_server_store(url)->list({}).value().sessions;
  CHECK(now.size() == 2);
  CHECK(now.front().id.str() == "0123456789ab"); // the one that was continued is the newest
}

}

TEST_CASE("stores of any release in Redis list the same rows, and continue") {
  auto const dumps = kept_dumps("redis.aof");
  REQUIRE_FALSE(dumps.empty());
  for (auto const& dump : dumps) {
    INFO(dump);
    RedisServer const server;
    for (auto const& command : commands_of(read_file(dump))) {
      INFO(command.front());
      auto const answer = server.ask(command);
      CHECK((answer == "OK" || std::all_of(answer.begin(), answer.end(), ::isdigit)));
    }
    check_store(server.url(), dump);
  }
}

TEST_CASE("stores of any release in PostgreSQL list the same rows, and continue") {
  auto const dumps = kept_dumps("postgres.sql");
  REQUIRE_FALSE(dumps.empty());
  if (!has_postgres()) return;
  for (auto const& dump : dumps) {
    INFO(dump);
    PostgresServer const server;
    run_sql(server.url(), read_file(dump));
    check_store(server.url(), dump);
  }
}
