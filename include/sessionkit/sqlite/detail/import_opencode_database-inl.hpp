// SPDX-License-Identifier: MIT
// Imports sessions of opencode from its database, whose rows are the documents of its older files.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/opencode_session.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/sqlite/detail/foreign_database.hpp>
#include <sessionkit/sqlite/detail/import_opencode_database.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_opencode_database_inl { namespace {

using detail::ForeignDatabase;
using detail::OpencodeMessage;
using detail::SqliteQuery;

constexpr std::string_view program = "opencode";

bool has_tables(std::string_view schema) {
  for (std::string_view const table :
       {"CREATE TABLE `event_sequence`", "CREATE TABLE `control_account`", "CREATE TABLE `session_share`"})
    if (schema.find(table) != std::string_view::npos) return true;
  return false;
}

// After a kill in its first session, the database is empty, and all is in the `-wal`.
bool recognises(std::string_view file, std::string_view begin) {
  if (!detail::begins_sqlite(begin)) return false;
  if (begin.find("message_data") != std::string_view::npos) return false; // of the OpenAI Agents SDK
  std::string_view const name = file.substr(file.rfind('/') + 1);         // npos + 1 is 0
  constexpr std::string_view start = "opencode", end = ".db";
  bool const named = name.size() > start.size() && name.substr(0, start.size()) == start
                     && name.substr(name.size() - end.size()) == end;
  return named || has_tables(begin);
}

Result<bool> looks_into(ForeignFiles& files, std::string const& file) {
  Result<std::string> const schema = detail::schema_pages(files, file);
  if (!schema) return schema.error();
  return has_tables(*schema);
}

Result<std::unique_ptr<ForeignDatabase>> open_database(ForeignFiles& files, std::string const& file) {
  auto database = ForeignDatabase::open(files, file, program);
  if (!database) return database;
  struct Needed {
    char const* table;
    std::vector<std::string_view> columns;
  };
  for (Needed const& one :
       {Needed{"session", {"id", "parent_id", "directory", "title", "version", "time_created", "revert"}},
        Needed{"message", {"id", "session_id", "time_created", "data"}},
        Needed{"part", {"id", "message_id", "data"}}})
    if (Result<void> const there = (*database)->require(one.table, one.columns, "1.18.33"); !there)
      return there.error();
  return database;
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  auto const database = open_database(files, file);
  if (!database) return database.error();
  std::vector<ForeignSession> sessions;
  // Only the columns that `open_database` requires are in each version.
  Result<std::vector<std::string>> const columns = (*database)->columns("session");
  if (!columns) return columns.error();
  bool const has_time = std::find(columns->begin(), columns->end(), "time_updated") != columns->end();
  SqliteQuery query(
      (*database)->database(),
      {"list the sessions", has_time ? "SELECT id, parent_id, title, directory, time_updated FROM session "
                                       "ORDER BY time_created, id"
                                     : "SELECT id, parent_id, title, directory, time_created FROM session "
                                       "ORDER BY time_created, id"});
  while (query.row()) {
    ForeignSession session;
    session.importer = "opencode-sqlite";
    session.id = std::string(query.text(0));
    session.file = file;
    session.parent = std::string(query.text(1));
    session.title = detail::opencode_title(query.text(2));
    session.cwd = std::string(query.text(3));
    session.updated = from_unix_ms(query.integer(4));
    sessions.push_back(std::move(session));
  }
  if (Result<void> const done = query.done(); !done) return (*database)->failure(done.error());
  return sessions;
}

class DatabaseReader {
 public:
  DatabaseReader(ForeignDatabase& database, ForeignSession const& which, ImportOptions const& options)
      : database_(database), which_(which), options_(options) {}

  Result<ImportReport> run(EntrySink const& sink) {
    Result<detail::OpencodeSession> session = this->session();
    if (!session) return session.error();
    ForeignSession which = which_;
    which.parent = parent_;
    detail::OpencodeReader reader(which, std::move(*session), options_, sink);
    SqliteQuery query(database_.database(),
                      {"read the messages",
                       "SELECT id, data, rowid FROM message WHERE session_id=?1 ORDER BY "
                       "time_created, id"});
    query.with(which_.id);
    std::size_t messages = 0;
    while (query.row()) {
      OpencodeMessage message;
      message.id = std::string(query.text(0));
      ++messages;
      if (!document("message", message.id, query.integer(2), query.text(1), message.data)) continue;
      parts(message);
      if (Result<void> const added = reader.add(std::move(message)); !added) return added.error();
    }
    if (Result<void> const done = query.done(); !done) lost("the messages that follow", done.error());
    count_new_rows(messages, reader.report());
    for (Damage& one : damage_) reader.report().damage.push_back(std::move(one));
    return std::move(reader).finish();
  }

 private:
  Result<detail::OpencodeSession> session() {
    SqliteQuery query(
        database_.database(),
        {"read the session",
         "SELECT directory, title, version, revert, time_created, parent_id FROM session WHERE id=?1"});
    query.with(which_.id);
    detail::OpencodeSession session;
    if (query.row()) {
      session.directory = std::string(query.text(0));
      session.title = std::string(query.text(1));
      session.version = std::string(query.text(2));
      std::string_view const revert = query.text(3);
      if (detail::check_json(revert) && detail::json_kind(revert) == detail::JsonKind::object)
        session.revert = std::string(revert);
      session.created = query.integer(4);
      parent_ = std::string(query.text(5));
      return session;
    }
    if (Result<void> const done = query.done(); !done) return database_.failure(done.error());
    return detail::make_error(Errc::corrupt, "{}: opencode has no session {} there; list its sessions again",
                              which_.file, which_.id);
  }

  // False if the text is not one JSON object, which is reported.
  bool document(char const* table, std::string const& id, std::int64_t row, std::string_view text,
                std::string& to) {
    auto const report = [&](DamageKind kind, char const* why) {
      damage_.push_back(
          {static_cast<std::uint64_t>(row), text.size(), kind, std::string(table) + ' ' + id + ": " + why});
      return false;
    };
    if (text.size() > options_.limits.max_line)
      return report(DamageKind::oversize, "longer than ImportLimits::max_line; it is skipped");
    if (!detail::check_json(text) || detail::json_kind(detail::trim_space(text)) != detail::JsonKind::object)
      return report(DamageKind::bad_json, "the row is not one JSON object; it is skipped");
    to = std::string(detail::trim_space(text));
    return true;
  }

  void lost(std::string const& what, Error const& error) {
    damage_.push_back(
        {0, 0, DamageKind::bad_json, what + " cannot be read: " + database_.failure(error).message});
  }

  void parts(OpencodeMessage& message) {
    SqliteQuery query(database_.database(),
                      {"read the parts", "SELECT id, data, rowid FROM part WHERE message_id=?1 ORDER BY id"});
    query.with(message.id);
    while (query.row()) {
      OpencodeMessage::Piece part;
      part.id = std::string(query.text(0));
      if (document("part", part.id, query.integer(2), query.text(1), part.data))
        message.parts.push_back(std::move(part));
    }
    if (Result<void> const done = query.done(); !done) lost("parts of message " + message.id, done.error());
  }

  // The tables of a newer writer, which no measured version used.
  void count_new_rows(std::size_t messages, ImportReport& report) {
    Result<std::vector<std::string>> const columns = database_.columns("session_message");
    if (!columns || columns->empty()) return;
    SqliteQuery query(database_.database(),
                      {"count the newer rows", "SELECT count(*) FROM session_message WHERE session_id=?1"});
    query.with(which_.id);
    if (!query.row() || query.integer(0) == 0) return;
    report.passed_over["session_message"] = static_cast<std::uint64_t>(query.integer(0));
    if (messages == 0)
      report.losses.push_back({{},
                               "the session is in tables of a newer opencode, which are not read; let "
                               "`opencode export` write it"});
  }

  ForeignDatabase& database_;
  ForeignSession const& which_;
  ImportOptions const& options_;
  std::vector<Damage> damage_;
  std::string parent_;
};

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  auto const database = open_database(files, which.file);
  if (!database) return database.error();
  return DatabaseReader(**database, which, options).run(sink);
}

constexpr Importer importer{"opencode-sqlite",   "opencode", recognises, list, read,
                            &profiles::opencode, looks_into};

}}

Importer const& opencode_database_importer() noexcept { return import_opencode_database_inl::importer; }

}}
