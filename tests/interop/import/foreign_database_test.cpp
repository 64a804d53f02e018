// SPDX-License-Identifier: MIT
// What holds for databases of other programs: a live log beside them, growth, branches and recognition.
#include "foreign_database.hpp"

#include <sessionkit/foreign_store.hpp>

using namespace foreign_databases;

TEST_CASE("a database of another program is copied to a private folder and neither opened nor written") {
  TempDir const scratch, source;
  copy_files(data(opencode + "killtool/afterkill"), source.path());
  auto const state = [&] {
    std::map<std::string, std::string> found;
    for (auto const& entry : fs::directory_iterator(source.path())) {
      struct stat status {};
      ::stat(entry.path().c_str(), &status);
      found[entry.path().filename().string()] =
          read_file(entry.path().string()) + '@' + std::to_string(status.st_mtim.tv_sec) + '.'
          + std::to_string(status.st_mtim.tv_nsec) + '/' + std::to_string(status.st_mode);
    }
    return found;
  };
  auto const before = state();
  sk::ImportLimits limits;
  limits.scratch = scratch.path();
  auto files = sk::open_foreign_files(source.path(), limits).value();
  sk::Importer const& importer = sk::opencode_database_importer();
  auto const sessions = importer.list(*files, "opencode.db").value();
  REQUIRE(sessions.size() == 1); // all of it is in the `-wal`
  std::size_t entries = 0, folders = 0;
  auto const look = [&](sk::Entry&&) -> sk::Result<void> {
    ++entries;
    folders = 0;
    for (auto const& entry : fs::directory_iterator(scratch.path())) {
      ++folders;
      CHECK((fs::status(entry.path()).permissions() & fs::perms::mask) == fs::perms::owner_all);
      for (auto const& copy : fs::directory_iterator(entry.path()))
        CHECK((fs::status(copy.path()).permissions() & fs::perms::mask)
              == (fs::perms::owner_read | fs::perms::owner_write));
    }
    CHECK(folders == 1);
    return {};
  };
  REQUIRE(importer.read(*files, sessions.front(), {}, look).ok());
  CHECK(entries == 5); // the header, the prompt, the answer with two calls, a result, the title
  CHECK_FALSE(fs::is_empty(scratch.path()));
  files.reset();
  CHECK(fs::is_empty(scratch.path()));
  CHECK(state() == before);
}

TEST_CASE("a database is copied once while its files are open, and again after it has changed") {
  TempDir const scratch, source;
  copy_files(data(opencode + "fork"), source.path());
  auto const copies = [&] {
    std::vector<std::string> found;
    for (auto const& entry : fs::directory_iterator(scratch.path())) found.push_back(entry.path().string());
    return found;
  };
  sk::ForeignStoreOptions options;
  options.importers = sk::known_sqlite_importers();
  options.import.limits.scratch = scratch.path();
  auto store = sk::open_foreign(source.path(), options).value();
  auto const first = copies();
  REQUIRE(first.size() == 1);
  REQUIRE(store->conversations().size() > 1);
  for (sk::ForeignConversation const& one : store->conversations()) {
    CHECK(store->info(one.id)->messages > 0);
    CHECK(copies() == first);
  }
  change(source / "opencode.db", "UPDATE session SET title='Another'");
  CHECK(store->info(store->conversations().front().id)->title == "Another");
  REQUIRE(copies().size() == 1);
  CHECK(copies() != first);
  store.reset();
  CHECK(copies().empty());
}

TEST_CASE("a database without its `-wal` is refused, and the error names the program") {
  auto files =
      sk::make_foreign_files({{"opencode.db", read_file(data(opencode + "killtool/afterkill/opencode.db"))}});
  auto const sessions = sk::opencode_database_importer().list(*files, "opencode.db");
  REQUIRE_FALSE(sessions.ok());
  CHECK(sessions.error().code == sk::Errc::unsupported);
  CHECK(sessions.error().message.find("opencode.db: the tables of opencode") == 0);
}

namespace {

// Files that a program changes between any two looks.
class RestlessFiles final : public sk::ForeignFiles {
 public:
  RestlessFiles(std::unique_ptr<sk::ForeignFiles> files, int changes)
      : files_(std::move(files)), changes_(changes) {}
  sk::Result<std::vector<std::string>> list(std::string const& folder) override {
    return files_->list(folder);
  }
  sk::Result<std::uint64_t> size(std::string const& file) override { return files_->size(file); }
  sk::Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    return files_->read(file, offset, max);
  }
  sk::Result<std::int64_t> modified(std::string const& /*file*/) override {
    return std::int64_t{changes_ > 0 ? changes_-- : 0};
  }
  sk::ImportLimits const& limits() const noexcept override { return files_->limits(); }

 private:
  std::unique_ptr<sk::ForeignFiles> files_;
  int changes_;
};

}

TEST_CASE("a database that changes while it is copied is copied again, and refused if it never rests") {
  std::string const bytes = read_file(data(agents + "sessions/conversations.db"));
  RestlessFiles some(sk::make_foreign_files({{"c.db", bytes}}), 5);
  CHECK(sk::openai_agents_importer().list(some, "c.db").value().size() == 3);
  RestlessFiles always(sk::make_foreign_files({{"c.db", bytes}}), 1'000'000);
  auto const refused = sk::openai_agents_importer().list(always, "c.db");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == sk::Errc::timed_out);
  CHECK(refused.error().message.find("OpenAI Agents SDK does not stop writing") != std::string::npos);
}

TEST_CASE("a database that another process has locked is imported all the same") {
  TempDir const folder;
  copy_files(data(agents + "sessions"), folder.path());
  sqlite3* owner = nullptr;
  REQUIRE(sqlite3_open((folder / "conversations.db").c_str(), &owner) == SQLITE_OK);
  REQUIRE(sqlite3_exec(owner, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(lines_below(folder.path(), sk::openai_agents_importer(), "conversations.db", true, "tools-1").size()
        == 9);
  sqlite3_close(owner);
}

TEST_CASE("an opencode session that goes on after a kill or a revert adds entries and changes none") {
  sk::Importer const& importer = sk::opencode_database_importer();
  for (std::string const scenario : {"killstream", "killtool", "revert"})
    for (bool const finished : {false, true}) {
      if (scenario == "revert" && finished) continue; // the program deletes what was imported
      auto const before = lines_below(data(opencode + scenario), importer, "afterkill/opencode.db", finished);
      auto const after = lines_below(data(opencode + scenario), importer, "opencode.db", true);
      INFO(scenario << ' ' << finished);
      CHECK(before.size() > 1);
      CHECK(before.size() < after.size());
      CHECK(begins_with(after, before));
    }
}

TEST_CASE("a reverted opencode session goes on before what is reverted, which stays in the log") {
  auto files = sk::open_foreign_files(data(opencode + "revert")).value();
  sk::Importer const& importer = sk::opencode_database_importer();
  auto const which = importer.list(*files, "afterkill/opencode.db").value().front();
  auto const log = sk::import_log(importer, *files, which).value();
  REQUIRE(log.entries.back().as<sk::Custom>());
  CHECK(log.entries.back().as<sk::Custom>()->type == "opencode.reverted");
  CHECK(log.entries.back().parent.str() == "msg_2003fac1b001GMAwCY26sFejHN");
  CHECK(std::count_if(log.entries.begin(), log.entries.end(),
                      [](sk::Entry const& entry) { return entry.as<sk::Message>() != nullptr; })
        == 6);
  sk::ImportOptions options;
  options.finished = false;
  sk::ImportReport report;
  auto const live = sk::import_log(importer, *files, which, options, &report).value();
  CHECK(report.held_back == 4);
  CHECK(live.entries.back().id.str() != "revert");
}

TEST_CASE("each row of an opencode database that is added later adds entries and changes none") {
  std::size_t states = 0, held = 0;
  for (std::string const scenario : {"tools", "compact", "interrupt"}) {
    TempDir const folder;
    copy_files(data(opencode + scenario), folder.path());
    std::string const whole = folder / "opencode.db";
    // As the program writes: an answer is open until its last part is there.
    auto const rows = numbers(whole, "SELECT rowid FROM part ORDER BY message_id, id");
    std::vector<std::string> before;
    for (std::int64_t const row : rows) {
      std::string const state = folder / "state.db", last = std::to_string(row);
      fs::copy_file(whole, state, fs::copy_options::overwrite_existing);
      std::string const at = "(SELECT message_id FROM part WHERE rowid=" + last + ")";
      change(state,
             "UPDATE message SET data=json_remove(data,'$.time.completed','$.finish','$.error') WHERE id="
                 + at + " AND EXISTS(SELECT 1 FROM part WHERE message_id=" + at
                 + " AND id>(SELECT id FROM part WHERE rowid=" + last + "));"
                 + "DELETE FROM message WHERE id>" + at + ";DELETE FROM part WHERE message_id>" + at
                 + " OR (message_id=" + at + " AND id>(SELECT id FROM part WHERE rowid=" + last + "));");
      auto files = sk::open_foreign_files(folder.path()).value();
      auto const sessions = sk::opencode_database_importer().list(*files, "state.db").value();
      sk::ImportReport report;
      auto const lines =
          lines_of(sk::opencode_database_importer(), *files, sessions.front(), false, &report).value();
      INFO(scenario << " up to part " << row);
      CHECK(begins_with(lines, before));
      before = lines;
      ++states;
      held += report.held_back > 0 ? 1U : 0U;
    }
    CHECK(begins_with(lines_below(folder.path(), sk::opencode_database_importer(), "opencode.db", true),
                      before));
  }
  std::cout << "opencode (database): " << states << " states, something held back in " << held << '\n';
  CHECK(held > 0);
}

TEST_CASE("each row of the OpenAI Agents SDK that is added later adds entries and changes none") {
  std::size_t states = 0;
  for (std::string const session : {"trip", "other"}) {
    TempDir const folder;
    copy_files(data(agents + "branches"), folder.path());
    std::vector<std::string> before;
    for (std::int64_t const row :
         numbers(folder / "conversations.db", "SELECT id FROM message_structure WHERE "
                                              "session_id='"
                                                  + session + "' ORDER BY id")) {
      fs::copy_file(folder / "conversations.db", folder / "state.db", fs::copy_options::overwrite_existing);
      change(folder / "state.db",
             "DELETE FROM message_structure WHERE id>" + std::to_string(row)
                 + ";DELETE FROM agent_messages WHERE id NOT IN (SELECT message_id FROM message_structure)");
      auto const lines = lines_below(folder.path(), sk::openai_agents_importer(), "state.db", false, session);
      CHECK(begins_with(lines, before));
      before = lines;
      ++states;
    }
    CHECK(begins_with(
        lines_below(folder.path(), sk::openai_agents_importer(), "conversations.db", true, session), before));
  }
  std::cout << "OpenAI Agents SDK: " << states << " states\n";
}

TEST_CASE("all branches of a session of the OpenAI Agents SDK are imported, and what they share once") {
  auto const branches = nlohmann::json::parse(std::ifstream(data(agents + "branches/get_items.json")));
  auto files = sk::open_foreign_files(data(agents + "branches")).value();
  sk::Importer const& importer = sk::openai_agents_importer();
  auto const sessions = importer.list(*files, "conversations.db").value();
  auto const log = sk::import_log(importer, *files, session_named(sessions, "trip")).value();
  std::map<std::string, sk::Entry const*> by_id;
  std::set<std::string> parents;
  for (sk::Entry const& entry : log.entries) {
    by_id[entry.id.str()] = &entry;
    parents.insert(entry.parent.str());
  }
  // The path to each entry that nothing follows, as the texts of its messages.
  std::multiset<std::string> paths;
  for (sk::Entry const& leaf : log.entries) {
    if (leaf.as<sk::Header>() || parents.count(leaf.id.str()) != 0) continue;
    std::string path;
    for (sk::Entry const* at = &leaf;; at = by_id.at(at->parent.str())) {
      if (auto const* const message = at->as<sk::Message>()) path = message->text() + '|' + path;
      if (at->link != sk::Parent::entry) break;
    }
    paths.insert(path);
  }
  std::multiset<std::string> expected;
  for (auto const& branch : branches) {
    std::string path;
    for (auto const& item : branch) {
      auto const content = item.value("content", nlohmann::json(""));
      path +=
          (content.is_string() ? content.get<std::string>() : content[0]["text"].get<std::string>()) + '|';
    }
    expected.insert(path);
  }
  CHECK(paths == expected);
  CHECK(log.entries.size() == 1 + 8 + 2 + 2 + 1); // header, main, what plane and rome add, the mark
}

TEST_CASE("tables of the OpenAI Agents SDK are found under any name") {
  TempDir const folder;
  copy_files(data(agents + "tables"), folder.path());
  std::string const path = folder / "conversations.db";
  auto const lines = lines_below(folder.path(), sk::openai_agents_importer(), "conversations.db", true);
  CHECK(lines.size() == 5);
  change(path, "ALTER TABLE chat_items RENAME TO \"an \"\"odd\"\" name; --\"");
  CHECK(lines_below(folder.path(), sk::openai_agents_importer(), "conversations.db", true) == lines);
  change(path, "CREATE TABLE more(id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT);"
               "INSERT INTO more VALUES(1,'support/7','{\"role\":\"user\",\"content\":\"Hi.\"}')");
  auto files = sk::open_foreign_files(folder.path()).value();
  auto const sessions = sk::openai_agents_importer().list(*files, "conversations.db").value();
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].table != sessions[1].table);
  CHECK(sk::import_log(sk::openai_agents_importer(), *files, sessions[1]).value().entries.size() == 2);
  CHECK(sk::import_log(sk::openai_agents_importer(), *files, sessions[0]).value().entries.size() == 5);
}

TEST_CASE("each database of the fixtures is recognised by exactly one importer, under another name too") {
  std::size_t claimed = 0;
  sk::Importers all = sk::known_importers();
  for (sk::Importer const* importer : sk::known_sqlite_importers()) all.push_back(importer);
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    if (!entry.is_regular_file()) continue;
    std::string const name = entry.path().filename().string(), bytes = read_file(entry.path().string());
    std::string const log = entry.path().string() + "-wal";
    bool const database = entry.path().extension() == ".db";
    claimed += database ? 1U : 0U;
    for (std::string const& as : {name, "other" + entry.path().extension().string()}) {
      std::map<std::string, std::string> bare{{as, bytes}};
      if (fs::exists(log)) bare[as + "-wal"] = read_file(log);
      auto files = sk::make_foreign_files(bare);
      std::size_t begins = 0, inside = 0;
      for (sk::Importer const* importer : all) {
        bool const begin = importer->recognises(as, bytes.substr(0, 65536));
        bool const found = importer->looks_into && importer->looks_into(*files, as).value();
        begins += begin ? 1U : 0U;
        inside += found ? 1U : 0U;
        if (importer->looks_into) CHECK((database || !(begin || found)));
      }
      INFO(entry.path() << " as " << as);
      CHECK(begins <= 1);
      CHECK(inside == (database ? 1U : 0U));
    }
  }
  CHECK(claimed == 14);
  for (sk::Importer const* importer : sk::known_sqlite_importers())
    for (char const* begin : {"", "{}", "SQLite format 3", "message_data session_id"}) {
      CHECK_FALSE(importer->recognises("opencode.db", begin));
      auto files = sk::make_foreign_files({{"a.db", begin}});
      CHECK_FALSE(importer->looks_into(*files, "a.db").value());
    }
}
