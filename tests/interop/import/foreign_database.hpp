// SPDX-License-Identifier: MIT
#pragma once
// Fixtures of databases, copies of them, and their imports as native lines.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/sqlite/sqlite_import.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

namespace foreign_databases {

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

inline std::string const opencode = "interchange/opencode-1.18.33/",
                         agents = "interchange/openai-agents-0.22.0/";

// Runs statements on a copy of a fixture, which is in a temporary folder.
inline void change(std::string const& path, std::string const& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  char* why = nullptr;
  int const result = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &why);
  INFO(sql << ": " << (why ? why : ""));
  CHECK(result == SQLITE_OK);
  sqlite3_free(why);
  sqlite3_close(database);
}

inline std::vector<std::int64_t> numbers(std::string const& path, std::string const& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  std::vector<std::int64_t> found;
  while (sqlite3_step(statement) == SQLITE_ROW) found.push_back(sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return found;
}

inline void copy_files(std::string const& from, fs::path const& to) {
  fs::create_directories(to);
  for (auto const& entry : fs::directory_iterator(from))
    if (entry.is_regular_file()) fs::copy_file(entry.path(), to / entry.path().filename());
}

inline sk::ForeignSession session_named(std::vector<sk::ForeignSession> const& all, std::string const& id) {
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.id == id; });
  REQUIRE(found != all.end());
  return *found;
}

// The native lines of a conversation. Each entry comes after its parent, and no id twice.
inline sk::Result<std::vector<std::string>> lines_of(sk::Importer const& importer, sk::ForeignFiles& files,
                                                     sk::ForeignSession const& which, bool finished,
                                                     sk::ImportReport* report = nullptr) {
  sk::ImportOptions options;
  options.finished = finished;
  auto const log = sk::import_log(importer, files, which, options, report);
  if (!log) return log.error();
  std::vector<std::string> lines;
  std::set<std::string> ids;
  for (sk::Entry const& entry : log->entries) {
    CHECK((entry.link != sk::Parent::entry || ids.count(entry.parent.str()) == 1));
    if (!entry.as<sk::Header>()) CHECK(ids.insert(entry.id.str()).second);
    CHECK(sk::native_dialect().encode(entry, lines.emplace_back()).ok());
  }
  return lines;
}

inline std::vector<std::string> lines_below(std::string const& folder, sk::Importer const& importer,
                                            std::string const& file, bool finished,
                                            std::string const& id = {}) {
  auto files = sk::open_foreign_files(folder).value();
  auto const sessions = importer.list(*files, file).value();
  auto const lines =
      lines_of(importer, *files, id.empty() ? sessions.front() : session_named(sessions, id), finished);
  INFO((lines.ok() ? "" : lines.error().message));
  REQUIRE(lines.ok());
  return *lines;
}

inline bool begins_with(std::vector<std::string> const& all, std::vector<std::string> const& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

}
