// SPDX-License-Identifier: MIT
// Databases of other programs with bad rows, bad bytes, other tables, or made to waste time.
#include "foreign_database.hpp"

using namespace foreign_databases;

TEST_CASE("a bad row of a database costs only itself and is located") {
  TempDir const folder;
  copy_files(data(agents + "sessions"), folder.path());
  copy_files(data(opencode + "tools"), folder / "oc");
  change(folder / "conversations.db", "UPDATE agent_messages SET message_data='{\"role\":' WHERE id=9");
  change(folder / "oc/opencode.db", "UPDATE part SET data='[1]' WHERE id LIKE '%TO000003%' OR rowid=2;"
                                    "UPDATE message SET data='{' WHERE rowid=7");
  auto files = sk::open_foreign_files(folder.path()).value();
  sk::ImportReport report;
  auto const sessions = sk::openai_agents_importer().list(*files, "conversations.db").value();
  auto const log =
      sk::import_log(sk::openai_agents_importer(), *files, session_named(sessions, "tools-1"), {}, &report);
  CHECK(log.value().entries.size() == 8);
  REQUIRE(report.damage.size() == 1);
  CHECK(report.damage[0].offset == 9);
  CHECK(report.damage[0].what.find("row 9") == 0);
  sk::Importer const& importer = sk::opencode_database_importer();
  auto const which = importer.list(*files, "oc/opencode.db").value().front();
  auto const rest = sk::import_log(importer, *files, which, {}, &report).value();
  REQUIRE(report.damage.size() == 2);
  CHECK(report.damage[0].what.find("part prt_") == 0);
  CHECK(report.damage[1].what.find("message msg_") == 0);
  auto const whole = lines_below(data(opencode + "tools"), importer, "opencode.db", true);
  CHECK(rest.entries.size() + 3 >= whole.size());
}

TEST_CASE("an item of the OpenAI Agents SDK that is indented, and that nobody knows, is one line here") {
  TempDir const folder;
  copy_files(data(agents + "sessions"), folder.path());
  change(folder / "conversations.db", "UPDATE agent_messages SET message_data='{\n  \"type\": "
                                      "\"new_item\",\n  \"of\": \"a  b\"\n}' WHERE id=9");
  auto const lines =
      lines_below(folder.path(), sk::openai_agents_importer(), "conversations.db", true, "tools-1");
  std::size_t found = 0;
  for (std::string const& line : lines) {
    CHECK(line.find('\n') == std::string::npos);
    found += line.find("{\"type\":\"new_item\",\"of\":\"a  b\"}") != std::string::npos ? 1U : 0U;
  }
  CHECK(found == 1);
}

TEST_CASE("a database that is encrypted, cut, of a newer schema or another program's says what to do") {
  TempDir const folder;
  copy_files(data(opencode + "tools"), folder.path());
  std::string const bytes = read_file(folder / "opencode.db");
  struct Case {
    std::string bytes, sql;
    sk::Errc code;
    std::string said;
  };
  std::string scrambled = bytes;
  for (char& c : scrambled) c = static_cast<char>(c ^ 0x5A);
  for (Case const& one :
       {Case{scrambled, "", sk::Errc::corrupt, "encrypted"},
        Case{bytes.substr(0, bytes.size() / 3), "", sk::Errc::corrupt, "sqlite3's .recover"},
        Case{bytes.substr(0, 100), "", sk::Errc::corrupt, ""},
        Case{bytes, "ALTER TABLE part RENAME COLUMN data TO body", sk::Errc::unsupported,
             "part.data is missing"},
        Case{bytes, "ALTER TABLE part RENAME TO piece; CREATE VIEW part AS SELECT * FROM piece",
             sk::Errc::unsupported, "part.id is missing"}}) {
    std::ofstream(folder / "opencode.db", std::ios::binary | std::ios::trunc) << one.bytes;
    if (!one.sql.empty()) change(folder / "opencode.db", one.sql);
    auto files = sk::open_foreign_files(folder.path()).value();
    auto const sessions = sk::opencode_database_importer().list(*files, "opencode.db");
    INFO(one.said << one.sql);
    REQUIRE_FALSE(sessions.ok());
    INFO(sessions.error().message);
    CHECK(sessions.error().code == one.code);
    CHECK(sessions.error().message.find(one.said) != std::string::npos);
    CHECK(sessions.error().message.find("opencode.db: ") == 0);
    CHECK(sessions.error().message.find("/tmp") == std::string::npos); // not the name of the copy
  }
}

TEST_CASE("an encrypted session of the OpenAI Agents SDK is refused with the fix") {
  TempDir const folder;
  copy_files(data(agents + "sessions"), folder.path());
  change(folder / "conversations.db",
         "UPDATE agent_messages SET message_data='{\"__enc__\":1,\"v\":1,\"kid\":\"k\",\"payload\":\"x\"}' "
         "WHERE "
         "session_id='tools-1'");
  auto files = sk::open_foreign_files(folder.path()).value();
  auto const sessions = sk::openai_agents_importer().list(*files, "conversations.db").value();
  auto const log = sk::import_log(sk::openai_agents_importer(), *files, session_named(sessions, "tools-1"));
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().code == sk::Errc::unsupported);
  CHECK(log.error().message.find("EncryptedSession") != std::string::npos);
}

TEST_CASE("a database whose bytes are damaged is imported as far as it is good, or refused by name") {
  std::mt19937 random(20261124);
  std::size_t runs = 0, refused = 0, found = 0;
  struct Fixture {
    std::string path, name;
    sk::Importer const* importer;
  };
  for (Fixture const& fixture :
       {Fixture{opencode + "tools/opencode.db", "opencode.db", &sk::opencode_database_importer()},
        Fixture{agents + "branches/conversations.db", "c.db", &sk::openai_agents_importer()}}) {
    std::string const good = read_file(data(fixture.path));
    for (int i = 0; i < 250; ++i) {
      std::string bytes = good;
      auto const below = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
      };
      if (i % 5 == 0)
        bytes.resize(below(bytes.size()));
      else
        for (std::size_t n = 1 + below(20); n > 0; --n)
          bytes[below(bytes.size())] = static_cast<char>(below(256));
      auto files = sk::make_foreign_files({{fixture.name, bytes}});
      auto const sessions = fixture.importer->list(*files, fixture.name);
      ++runs;
      if (!sessions) {
        ++refused;
        CHECK(sessions.error().message.find(fixture.name + ": ") == 0);
        continue;
      }
      for (sk::ForeignSession const& which : *sessions) {
        sk::ImportReport report;
        auto const lines = lines_of(*fixture.importer, *files, which, i % 2 == 0, &report);
        if (!lines) CHECK(lines.error().message.find(fixture.name + ": ") == 0);
        found += report.damage.empty() ? 0U : 1U;
      }
    }
  }
  std::cout << "databases: " << runs << " runs, " << refused << " refused, damage located in " << found
            << '\n';
}

TEST_CASE("a database that was made to waste time is given up") {
  TempDir const folder;
  copy_files(data(opencode + "tools"), folder.path());
  // Without its index, the parts of each message are found by reading all.
  change(folder / "opencode.db",
         "DROP INDEX IF EXISTS part_message_id_id_idx; DROP INDEX IF EXISTS part_message_idx;"
         "DROP INDEX IF EXISTS part_session_idx;"
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
         "INSERT INTO message SELECT 'm'||i,(SELECT id FROM session),i,i,'{\"role\":\"user\"}' FROM n;"
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20000)"
         "INSERT INTO part SELECT 'p'||i,'x','x',i,i,'{}' FROM n;");
  auto files = sk::open_foreign_files(folder.path()).value();
  auto const which = sk::opencode_database_importer().list(*files, "opencode.db").value().front();
  sk::ImportReport report;
  auto const log = sk::import_log(sk::opencode_database_importer(), *files, which, {}, &report);
  CHECK((!log.ok() || !report.damage.empty()));
}
