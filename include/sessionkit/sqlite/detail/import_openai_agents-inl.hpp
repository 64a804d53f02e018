// SPDX-License-Identifier: MIT
// Imports sessions of the OpenAI Agents SDK: rows that are items of the Responses API, on one or more
// branches.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/codex_items.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/sqlite/detail/foreign_database.hpp>
#include <sessionkit/sqlite/detail/import_openai_agents.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace import_openai_agents_inl { namespace {

using detail::ForeignDatabase;
using detail::member_text;
using detail::SqliteQuery;
using detail::SqliteStatement;

constexpr std::string_view program = "OpenAI Agents SDK", version = "0.22.0";
constexpr std::string_view main_branch = "main"; // on which each process of the SDK begins

bool has_tables(std::string_view schema) {
  auto const has = [&](std::string_view text) { return schema.find(text) != std::string_view::npos; };
  return has("message_data") && has("session_id");
}

bool recognises(std::string_view /*file*/, std::string_view begin) {
  return detail::begins_sqlite(begin) && has_tables(begin);
}

Result<bool> looks_into(ForeignFiles& files, std::string const& file) {
  Result<std::string> const schema = detail::schema_pages(files, file);
  if (!schema) return schema.error();
  return has_tables(*schema);
}

bool has(std::vector<std::string> const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The tables with messages. Their names are the host's choice.
Result<std::vector<std::string>> message_tables(ForeignDatabase& database, std::string const& file) {
  Result<std::vector<std::string>> tables = database.tables();
  if (!tables) return tables;
  std::vector<std::string> found;
  for (std::string const& table : *tables) {
    Result<std::vector<std::string>> columns = database.columns(table);
    if (!columns) return columns;
    if (has(*columns, "message_data") && has(*columns, "session_id") && has(*columns, "id"))
      found.push_back(table);
  }
  if (found.empty())
    return detail::make_error(
        Errc::unsupported,
        "{}: no table has the columns id, session_id and message_data of the {} {}; name a "
        "file of SQLiteSession",
        file, program, version);
  return found;
}

Result<std::vector<ForeignSession>> list(ForeignFiles& files, std::string const& file) {
  auto const opened = ForeignDatabase::open(files, file, program);
  if (!opened) return opened.error();
  ForeignDatabase& database = **opened;
  Result<std::vector<std::string>> const tables = message_tables(database, file);
  if (!tables) return tables.error();
  std::vector<ForeignSession> sessions;
  for (std::string const& table : *tables) {
    SqliteQuery query(database.database(),
                      database.statement("list the sessions", "SELECT session_id FROM "
                                                                  + detail::sql_name(table)
                                                                  + " GROUP BY session_id ORDER BY min(id)"));
    while (query.row()) {
      ForeignSession session;
      session.importer = "openai-agents";
      session.id = std::string(query.text(0));
      session.file = file;
      session.table = table;
      sessions.push_back(std::move(session));
    }
    if (Result<void> const done = query.done(); !done) return database.failure(done.error());
  }
  return sessions;
}

class SessionReader {
 public:
  SessionReader(ForeignDatabase& database, ForeignSession const& which, ImportOptions const& options,
                EntrySink const& sink)
      : database_(database), which_(which), options_(options), sink_(sink) {}

  Result<ImportReport> run() && {
    Result<bool> const branches = has_branches();
    if (!branches) return branches.error();
    SqliteQuery query(database_.database(), *branches ? rows_of_branches() : rows());
    query.with(which_.id);
    while (status_ && query.row()) row(query.integer(0), query.text(1), query.text(2), query.text(3));
    if (Result<void> const done = query.done(); status_ && !done) {
      if (!header_given_) return database_.failure(done.error());
      report_.damage.push_back(
          {0, 0, DamageKind::bad_json,
           "the messages that follow cannot be read: " + database_.failure(done.error()).message});
    }
    if (status_ && !header_given_)
      return detail::make_error(Errc::corrupt, "{}: the {} has no session {} there; list its sessions again",
                                which_.file, program, which_.id);
    if (status_ && encrypted_ > 0 && given_.empty())
      return detail::make_error(Errc::unsupported,
                                "{}: the session {} of the {} is encrypted (EncryptedSession); copy it to a "
                                "SQLiteSession first",
                                which_.file, which_.id, program);
    if (encrypted_ > 0)
      report_.losses.push_back({{}, "some items are encrypted (EncryptedSession), and are not read"});
    finish();
    if (!status_) return status_.error();
    return std::move(report_);
  }

 private:
  std::string table() const { return detail::sql_name(which_.table); }

  // Whether the session was written by AdvancedSQLiteSession. Its own table has always the same name.
  Result<bool> has_branches() {
    Result<std::vector<std::string>> const columns = database_.columns("message_structure");
    if (!columns) return columns.error();
    for (std::string_view const name : {"session_id", "message_id", "branch_id", "sequence_number"})
      if (!has(*columns, name)) return false;
    // The table belongs to one table of messages, which its foreign key names.
    SqliteQuery owner(
        database_.database(),
        {"find the owner of the branches",
         "SELECT 1 FROM pragma_foreign_key_list('message_structure') WHERE \"from\"='message_id' AND "
         "\"table\"<>?1 COLLATE NOCASE"});
    owner.with(which_.table);
    if (owner.row()) return false;
    if (Result<void> const done = owner.done(); !done) return database_.failure(done.error());
    SqliteQuery query(database_.database(),
                      {"look for branches", "SELECT 1 FROM message_structure WHERE session_id=?1 LIMIT 1"});
    query.with(which_.id);
    bool const found = query.row();
    if (query.failed()) return database_.failure(query.error());
    return found;
  }

  std::string time_column() {
    Result<std::vector<std::string>> const columns = database_.columns(which_.table);
    return columns && has(*columns, "created_at") ? "created_at" : "''";
  }

  SqliteStatement rows() {
    return database_.statement("read the messages", "SELECT id, message_data, " + time_column()
                                                        + ", 'main' FROM " + table()
                                                        + " WHERE session_id=?1 ORDER BY id");
  }
  SqliteStatement rows_of_branches() {
    std::string const time = time_column() == "''" ? "''" : "m.created_at";
    return database_.statement(
        "read the branches",
        "SELECT m.id, m.message_data, " + time + ", s.branch_id FROM message_structure AS s JOIN " + table()
            + " AS m ON m.id=s.message_id WHERE s.session_id=?1 AND m.session_id=s.session_id "
              "ORDER BY s.sequence_number, s.rowid");
  }

  // A branch begins with rows of the one that it came from; those are one entry.
  void row(std::int64_t id, std::string_view text, std::string_view time, std::string_view branch) {
    Result<Timestamp> const at = parse_rfc3339(time);
    if (at) at_ = *at;
    header();
    EntryId& tip = tips_[std::string(branch)];
    auto const place = std::make_pair(tip.str(), id);
    if (auto const found = given_.find(place); found != given_.end()) {
      tip = found->second;
      return;
    }
    std::optional<EntryBody> body = body_of(id, text);
    if (!body) return;
    std::size_t const times = ++times_[id];
    EntryId const made =
        give(std::move(*body), std::to_string(id) + (times > 1 ? '.' + std::to_string(times) : ""), tip);
    given_.emplace(place, made);
    tip = made;
    last_branch_ = std::string(branch);
  }

  // Nothing for a row that the SDK skips too.
  std::optional<EntryBody> body_of(std::int64_t id, std::string_view text) {
    auto const damage = [&](DamageKind kind, char const* why) {
      if (!reported_.insert(id).second) return; // a row of several branches
      report_.damage.push_back(
          {static_cast<std::uint64_t>(id), text.size(), kind, "row " + std::to_string(id) + ": " + why});
    };
    if (text.size() > options_.limits.max_line) {
      damage(DamageKind::oversize, "longer than ImportLimits::max_line; it is skipped");
      return std::nullopt;
    }
    if (!detail::check_json(text)
        || detail::json_kind(detail::trim_space(text)) != detail::JsonKind::object) {
      damage(DamageKind::bad_json, "the row is not one JSON object; it is skipped");
      return std::nullopt;
    }
    if (!detail::find_member(text, "__enc__").empty()) {
      ++encrypted_;
      return std::nullopt;
    }
    std::string const role = member_text(text, "role");
    Message message = detail::read_codex_item(text).message;
    if (role == "system" || role == "developer") message.role = Role::system;
    if (message.role == Role::assistant) {
      Generation& made = message.generation.emplace();
      made.provider = "openai";
      made.api = "openai-responses";
    }
    return EntryBody(std::move(message));
  }

  void header() {
    if (std::exchange(header_given_, true)) return;
    status_ = sink_(detail::imported_header(which_, {}, {}, at_));
  }

  EntryId give(EntryBody body, std::string id, EntryId const& parent) {
    Entry entry = detail::imported_entry(std::move(body), std::move(id), parent, at_);
    EntryId made = entry.id;
    if (status_) status_ = sink_(std::move(entry));
    return made;
  }

  // A new process goes on with the main branch.
  void finish() {
    if (last_branch_.empty() || last_branch_ == main_branch) return;
    if (!options_.finished) {
      ++report_.held_back;
      return;
    }
    give(Custom{"openai-agents.branch", RawJson::from(R"({"branch":"main"})")}, "branch-main",
         tips_[std::string(main_branch)]);
  }

  ForeignDatabase& database_;
  ForeignSession const& which_;
  ImportOptions const& options_;
  EntrySink const& sink_;
  ImportReport report_;
  Result<void> status_ = {};
  std::map<std::string, EntryId> tips_;                           ///< of each branch
  std::map<std::pair<std::string, std::int64_t>, EntryId> given_; ///< by parent and row
  std::unordered_map<std::int64_t, std::size_t> times_;           ///< how often a row was given
  std::set<std::int64_t> reported_;
  std::string last_branch_;
  std::size_t encrypted_ = 0;
  Timestamp at_ = {};
  bool header_given_ = false;
};

Result<ImportReport> read(ForeignFiles& files, ForeignSession const& which, ImportOptions const& options,
                          EntrySink const& sink) {
  auto const opened = ForeignDatabase::open(files, which.file, program);
  if (!opened) return opened.error();
  ForeignDatabase& database = **opened;
  Result<std::vector<std::string>> const tables = message_tables(database, which.file);
  if (!tables) return tables.error();
  ForeignSession named = which;
  if (named.table.empty()) named.table = tables->front();
  if (!has(*tables, named.table))
    return detail::make_error(Errc::not_found, "{}: the {} has no table {} there; list its sessions again",
                              which.file, program, named.table);
  return SessionReader(database, named, options, sink).run();
}

constexpr Importer importer{"openai-agents",          "OpenAI Agents SDK", recognises, list, read,
                            &profiles::openai_agents, looks_into};

}}

Importer const& openai_agents_importer() noexcept { return import_openai_agents_inl::importer; }

}}
