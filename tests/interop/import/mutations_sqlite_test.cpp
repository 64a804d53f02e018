// SPDX-License-Identifier: MIT
// Conversations in databases that are changed at random: their bytes, rows, and tables.
#include "foreign_database.hpp"
#include "mutations.hpp"

#include <sessionkit/sqlite/sqlite_import.hpp>

using namespace import_mutations;
namespace fs = std::filesystem;

namespace {

// A database whose bytes are in memory.
class Database {
 public:
  explicit Database(std::string const& bytes) {
    REQUIRE(sqlite3_open(":memory:", &handle_) == SQLITE_OK);
    auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), copy);
    copy[18] = copy[19] = 1; // a database in memory has no `-wal`
    auto const size = static_cast<sqlite3_int64>(bytes.size());
    REQUIRE(sqlite3_deserialize(handle_, "main", copy, size, size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
            == SQLITE_OK);
  }
  Database(Database const&) = delete;
  Database& operator=(Database const&) = delete;
  ~Database() { sqlite3_close(handle_); }

  using Row = std::vector<std::string>;

  // The rows of a statement as text, or what they are if they are none.
  std::vector<Row> rows(std::string const& sql, std::vector<std::string> const& values = {}) {
    sqlite3_stmt* statement = nullptr;
    CAPTURE(sql);
    REQUIRE(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    for (std::size_t i = 0; i < values.size(); ++i)
      sqlite3_bind_text(statement, static_cast<int>(i + 1), values[i].data(),
                        static_cast<int>(values[i].size()), SQLITE_TRANSIENT);
    std::vector<Row> found;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      Row& row = found.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        auto const* const text = reinterpret_cast<char const*>(sqlite3_column_text(statement, i));
        row.emplace_back(text
                             ? std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, i)))
                             : std::string{});
      }
    }
    sqlite3_finalize(statement);
    return found;
  }

  // A constraint may refuse the change.
  void change(std::string const& sql, std::vector<std::string> const& values = {}) { rows(sql, values); }

  std::string bytes() {
    sqlite3_int64 size = 0;
    unsigned char* const made = sqlite3_serialize(handle_, "main", &size, 0);
    REQUIRE(made);
    std::string bytes(reinterpret_cast<char const*>(made), static_cast<std::size_t>(size));
    sqlite3_free(made);
    return bytes;
  }

 private:
  sqlite3* handle_ = nullptr;
};

struct Table {
  std::string name, text;           ///< the column with JSON; empty: it has none
  std::vector<std::string> columns; ///< what names other rows, or says where a row belongs
};

class DatabaseProgram : public Program {
 public:
  DatabaseProgram(std::string name, sk::Importer const& importer, std::vector<Table> tables)
      : Program(std::move(name), importer), tables_(std::move(tables)) {}

  Changed changed(Subject const& subject, Kind kind, ForeignMutator& mutator) const override {
    Files files = subject.files;
    if (kind == Kind::while_read || kind == Kind::on_disk) return {std::move(files), false};
    Random& random = mutator.random();
    if (kind == Kind::bytes || files.size() > 1) { // of the database, or of the log beside it
      auto const file = std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
      bytes_changed(file->second, mutator);
      return {std::move(files), false};
    }
    std::string& bytes = files[subject.file];
    if (kind == Kind::records && random.one_in(4)) {
      other_database(bytes, random);
      return {std::move(files), false};
    }
    Database database(bytes);
    for (std::size_t n = 1 + random.below(3); n > 0; --n) row_changed(database, kind, mutator);
    bytes = database.bytes();
    return {std::move(files)};
  }

  std::shared_ptr<void> lock(std::string const& path) const override {
    sqlite3* owner = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &owner) == SQLITE_OK);
    CHECK(sqlite3_exec(owner, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
    return {owner, [](void* held) { sqlite3_close(static_cast<sqlite3*>(held)); }};
  }

 protected:
  // The whole database without a log beside it.
  void add_database(std::string const& folder, std::string const& file) {
    Files files{{file, read_file(folder + '/' + file)}};
    std::string const log = folder + '/' + file + "-wal";
    if (fs::exists(log)) files[file + "-wal"] = read_file(log);
    auto const opened = sk::make_foreign_files(files);
    for (sk::ForeignSession const& one : importer().list(*opened, file).value())
      subjects_.push_back({folder.substr(folder.find("interchange")) + '/' + one.id, files, file, one.id});
  }

  static bool is_whole(std::string const& text) {
    std::string const space(" \t\r\n\0", 5);
    std::size_t const begin = text.find_first_not_of(space);
    return begin != std::string::npos
           && is_object_to_others(text.substr(begin, text.find_last_not_of(space) + 1 - begin));
  }

 private:
  static void bytes_changed(std::string& bytes, ForeignMutator& mutator) {
    Random& random = mutator.random();
    if (random.one_in(4)) {
      bytes = mutator.bytes_changed(std::move(bytes));
      return;
    }
    for (std::size_t n = 1 + random.below(20); n > 0 && !bytes.empty(); --n) {
      std::size_t const at =
          random.below(random.one_in(3) ? std::min<std::size_t>(bytes.size(), 4096) : bytes.size());
      bytes[at] = random.byte();
    }
  }

  // Cut, encrypted, or with the tables of a newer version.
  void other_database(std::string& bytes, Random& random) const {
    switch (random.below(4)) {
    case 0: bytes.resize(random.below(bytes.size())); return;
    case 1:
      for (char& c : bytes) c = static_cast<char>(c ^ 0x5A);
      return;
    default: break;
    }
    Database database(bytes);
    Table const& table = tables_[random.below(2)];
    std::string const column = table.columns[random.below(table.columns.size())];
    switch (random.below(3)) {
    case 0: database.change("ALTER TABLE " + table.name + " RENAME COLUMN " + column + " TO newer"); break;
    case 1: database.change("ALTER TABLE " + table.name + " RENAME TO newer"); break;
    default: database.change("DELETE FROM " + table.name); break;
    }
    bytes = database.bytes();
  }

  void row_changed(Database& database, Kind kind, ForeignMutator& mutator) const {
    Random& random = mutator.random();
    Table const& table = tables_[random.below(tables_.size())];
    if (database.rows("SELECT 1 FROM sqlite_master WHERE name=?1", {table.name}).empty()) return;
    auto const rows = database.rows("SELECT rowid FROM " + table.name);
    if (rows.empty()) return;
    std::string const row = rows[random.below(rows.size())][0], other = rows[random.below(rows.size())][0];
    std::string const set = "UPDATE OR IGNORE " + table.name + " SET ";
    std::string const column = table.columns[random.below(table.columns.size())];
    if (kind == Kind::names || table.text.empty()) {
      std::string const from = table.columns[random.below(table.columns.size())];
      database.change(set + column + "=(SELECT " + from + " FROM " + table.name
                          + " WHERE rowid=?1) WHERE rowid=?2",
                      {other, row});
      return;
    }
    if (kind == Kind::records) {
      switch (random.below(4)) {
      case 0: database.change("DELETE FROM " + table.name + " WHERE rowid=?1", {row}); break;
      case 1: database.change(set + table.text + "=x'7b00ff' WHERE rowid=?1", {row}); break;
      case 2: database.change(set + table.text + "=17 WHERE rowid=?1", {row}); break;
      default:
        database.change(set + table.text + "=(SELECT " + table.text + " FROM " + table.name
                            + " WHERE rowid=?1) WHERE rowid=?2",
                        {other, row});
      }
      return;
    }
    auto const read =
        database.rows("SELECT " + table.text + " FROM " + table.name + " WHERE rowid=?1", {row});
    std::string text = read.empty() ? std::string{} : read[0][0];
    if (kind == Kind::members && is_whole(text))
      text = mutator.members_changed(text, false);
    else
      text = kind == Kind::lines ? mutator.lines_changed(text) : mutator.bytes_changed(std::move(text));
    database.change(set + table.text + "=?1 WHERE rowid=?2", {text, row});
  }

  std::vector<Table> tables_;
};

class OpencodeDatabase final : public DatabaseProgram {
 public:
  OpencodeDatabase()
      : DatabaseProgram("opencode (database)", sk::opencode_database_importer(),
                        {{"message", "data", {"id", "session_id", "time_created"}},
                         {"part", "data", {"id", "message_id", "session_id", "time_created"}},
                         {"part", "data", {"id", "message_id"}},
                         {"session", "", {"id", "parent_id", "directory", "title", "revert"}}}) {
    for (char const* scenario :
         {"tools", "compact", "fork", "image", "interrupt", "killstream", "killstream/afterkill", "killtool",
          "killtool/afterkill", "revert", "revert/afterkill"})
      add_database(data("interchange/opencode-1.18.33/") + scenario, "opencode.db");
  }

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    Survey survey;
    if (files.size() > 1) return read_with_log(files, subject);
    add(survey, Database(files.at(subject.file)), subject.session);
    return survey;
  }

 private:
  static void add(Survey& survey, Database&& database, std::string const& session) {
    if (database.rows("SELECT 1 FROM session WHERE id=?1", {session}).empty()) return;
    for (auto const& row : database.rows("SELECT id, data FROM message WHERE session_id=?1", {session})) {
      if (!is_whole(row[1])) survey.damaged.push_back({{}, "message " + row[0] + ": "});
      if (!is_whole(row[1])) continue;
      for (auto const& part : database.rows("SELECT id, data FROM part WHERE message_id=?1", {row[0]}))
        if (is_whole(part[1]))
          survey.records.push_back({part[0], row[1] + '\n' + part[1]});
        else
          survey.damaged.push_back({{}, "part " + part[0] + ": "});
    }
  }

  // Only of the unchanged files: SQLite puts them together on the disk.
  static Survey read_with_log(Files const& files, Subject const& subject) {
    TempDir const folder;
    for (auto const& [name, bytes] : files) write_file(folder / name, bytes);
    foreign_databases::change(folder / subject.file, "PRAGMA journal_mode=DELETE");
    Survey survey;
    add(survey, Database(read_file(folder / subject.file)), subject.session);
    return survey;
  }
};

class OpenaiAgents final : public DatabaseProgram {
 public:
  OpenaiAgents()
      : DatabaseProgram(
          "OpenAI Agents SDK", sk::openai_agents_importer(),
          {{"agent_messages", "message_data", {"id", "session_id", "created_at"}},
           {"agent_messages", "message_data", {"id", "session_id"}},
           {"message_structure", "", {"message_id", "branch_id", "sequence_number", "session_id"}},
           {"agent_sessions", "", {"session_id", "created_at"}}}) {
    add_database(data("interchange/openai-agents-0.22.0/sessions"), "conversations.db");
    add_database(data("interchange/openai-agents-0.22.0/branches"), "conversations.db");
  }

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    Survey survey;
    Database database(files.at(subject.file));
    bool const branches =
        !database.rows("SELECT 1 FROM sqlite_master WHERE name='message_structure'").empty()
        && !database.rows("SELECT 1 FROM message_structure WHERE session_id=?1", {subject.session}).empty();
    std::string sql = "SELECT id, message_data FROM agent_messages AS m WHERE session_id=?1";
    if (branches)
      sql += " AND EXISTS (SELECT 1 FROM message_structure AS s WHERE s.message_id=m.id AND s.session_id=?1)";
    for (auto const& row : database.rows(sql, {subject.session}))
      if (is_whole(row[1]))
        survey.records.push_back({row[0], row[1]});
      else
        survey.damaged.push_back({static_cast<std::uint64_t>(std::stoll(row[0])), "row " + row[0] + ": "});
    return survey;
  }
};

}

TEST_CASE("changed databases of opencode are read as far as they are good") { run(OpencodeDatabase()); }
TEST_CASE("changed databases of the OpenAI Agents SDK are read as far as they are good") {
  run(OpenaiAgents());
}
