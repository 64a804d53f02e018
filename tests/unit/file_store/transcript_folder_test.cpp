// SPDX-License-Identifier: MIT
// Directories that ai-panel, ZyHive and claw0 made are recognised and continued in their format.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/foreign_stores.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <map>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::SessionId;
using Json = nlohmann::json;
using Ids = std::vector<std::string>;

namespace {

SessionId id_of(std::string const& text) { return SessionId::parse(text).value(); }

std::shared_ptr<sk::SessionStore> open_store(std::string const& root, sk::FileStoreOptions options = {}) {
  return sk::open_file_store(root, std::move(options)).value();
}

Json index_of(std::string const& root) { return Json::parse(read_file(root + "/sessions.json")); }
Json row_of(std::string const& root, std::string const& id) { return index_of(root)["sessions"][id]; }

Ids listed(sk::SessionStore& store) {
  Ids ids;
  for (auto const& info : store.list({}).value().sessions) ids.push_back(info.id.str());
  std::sort(ids.begin(), ids.end());
  return ids;
}

sk::Session open_session(std::shared_ptr<sk::SessionStore> store, std::string const& id) {
  return sk::Session::open(std::move(store), id_of(id)).value();
}

void talk(sk::Session& session, std::string const& question, std::string const& answer) {
  auto turn = session.begin_turn();
  turn.append(sk::user(question)).value();
  turn.append(sk::assistant(answer)).value();
  turn.commit().value();
}

std::vector<std::string> types_in(std::string const& path) {
  std::vector<std::string> types;
  for (std::string const& line : split_lines(read_file(path))) types.push_back(Json::parse(line)["type"]);
  return types;
}

void rename_row(std::string const& root, std::string const& id, std::string const& title) {
  Json index = panel_rewrite(index_of(root));
  index["sessions"][id]["title"] = title;
  write_file(root + "/sessions.json", index.dump());
}

std::string text_of(Json const& row, char const* name) { return row[name].get<std::string>(); }

}

TEST_CASE("the index and the transcripts of a directory decide whose layout it is") {
  struct Row {
    char const* what;
    void (*make)(TempDir const&);
    char const* profile;
  };
  static auto const lose_index = [](TempDir const& dir) { ::unlink((dir / "sessions.json").c_str()); };
  Row const rows[] = {
      {"nothing", [](TempDir const&) {}, "native"},
      {"ai-panel's", [](TempDir const& dir) { make_panel_store(dir); }, "ai_panel"},
      {"ai-panel's without index", [](TempDir const& dir) { make_panel_store(dir), lose_index(dir); },
       "ai_panel"},
      {"ai-panel's with an empty index",
       [](TempDir const& dir) { make_panel_store(dir), write_file(dir / "sessions.json", ""); }, "ai_panel"},
      {"ai-panel's with an index of sessions that are gone",
       [](TempDir const& dir) {
         make_panel_store(dir);
         write_file(dir / "sessions.json", R"({"sessions":{"x":{"id":"x","filePath":"x.jsonl"}}})");
       },
       "ai_panel"},
      {"ai-panel's with one file of pi's",
       [](TempDir const& dir) {
         make_panel_store(dir), lose_index(dir);
         write_file(dir / "a-pi.jsonl", read_file(data("pi/simple_chat.jsonl")));
       },
       "ai_panel"},
      {"pi's with one file of ai-panel's",
       [](TempDir const& dir) {
         make_panel_store(dir), lose_index(dir);
         for (char const* name : {"/a.jsonl", "/b.jsonl", "/z.jsonl"})
           write_file(dir.path() + name, read_file(data("pi/simple_chat.jsonl")));
       },
       "native"},
      {"files without a known layout",
       [](TempDir const& dir) {
         write_file(dir / "a.jsonl", ""), write_file(dir / "b.jsonl", "{\"type\":\"sess");
         REQUIRE(::mkfifo((dir / "c.jsonl").c_str(), 0600) == 0);
       },
       "native"},
      {"claw0's", [](TempDir const& dir) { make_claw_store(dir); }, "claw0"},
      {"claw0's without index", [](TempDir const& dir) { make_claw_store(dir), lose_index(dir); }, "claw0"},
      {"claw0's with an empty index",
       [](TempDir const& dir) { make_claw_store(dir), write_file(dir / "sessions.json", ""); }, "claw0"},
      {"claw0's, just begun",
       [](TempDir const& dir) {
         REQUIRE(::mkdir((dir / "transcripts").c_str(), 0700) == 0);
         write_file(dir / "sessions.json", "{}");
       },
       "claw0"},
      {"claw0's with a stray file",
       [](TempDir const& dir) {
         make_claw_store(dir);
         write_file(dir / "stray.jsonl", read_file(data("pi/simple_chat.jsonl")));
       },
       "claw0"},
      {"pi's with a folder of that name",
       [](TempDir const& dir) {
         REQUIRE(::mkdir((dir / "transcripts").c_str(), 0700) == 0);
         write_file(dir / "a.jsonl", read_file(data("pi/simple_chat.jsonl")));
       },
       "native"},
      {"talk of a transcript_file",
       [](TempDir const& dir) {
         REQUIRE(::mkdir((dir / "transcripts").c_str(), 0700) == 0);
         write_file(dir / "a.jsonl", read_file(data("pi/simple_chat.jsonl")));
         write_file(dir / "sessions.json",
                    R"({"sessions":{"a":{"title":"\"transcript_file\":\"x.jsonl\"","filePath":"a.jsonl"}}})");
       },
       "native"},
  };
  for (Row const& row : rows) {
    TempDir dir;
    row.make(dir);
    CAPTURE(row.what);
    CHECK(open_store(dir.path())->profile().name == row.profile);
  }
}

TEST_CASE(
    "a directory of ai-panel's continues in its lines, and its index is right at the end of each turn") {
  TempDir dir;
  make_panel_store(dir);
  std::string const path = dir / panel_id + ".jsonl", before = read_file(path);
  Json const index_before = index_of(dir.path());
  auto store = open_store(dir.path());
  CHECK(listed(*store) == Ids{panel_id, panel_other});
  auto session = open_session(store, panel_id);
  talk(session, "weiter?", "ja");
  CHECK(read_file(path).substr(0, before.size()) == before);
  auto const added = split_lines(read_file(path).substr(before.size()));
  REQUIRE(added.size() == 2);
  CHECK(Json::parse(added[0])["message"]["content"][0]["text"] == "weiter?");
  CHECK(Json::parse(added[1])["timestamp"].is_number_integer());

  Json const row = row_of(dir.path(), panel_id); // the store is still open
  CHECK(row["messageCount"] == 5);
  CHECK(row["lastAt"] == Json::parse(added[1])["timestamp"]);
  CHECK(row["tokenEstimate"].get<int>() > 0);
  CHECK(row["filePath"] == std::string(panel_id) + ".jsonl");
  for (char const* kept : {"id", "agentId", "title", "createdAt", "active", "source"})
    CHECK(row[kept] == index_before["sessions"][panel_id][kept]);
  CHECK(row_of(dir.path(), panel_other) == index_before["sessions"][panel_other]); // word for word
  CHECK(index_of(dir.path())["theirs"] == index_before["theirs"]);
  CHECK(index_of(dir.path())["sessions"]["sub/agent:1"] == index_before["sessions"]["sub/agent:1"]);
}

TEST_CASE("a directory of claw0's continues in its lines, and its index is right at the end of each turn") {
  TempDir dir;
  make_claw_store(dir);
  std::string const path = dir / "transcripts/" + claw_file, before = read_file(path);
  Json const index_before = index_of(dir.path());
  auto store = open_store(dir.path());
  CHECK(listed(*store) == Ids{claw_id, claw_other});
  CHECK(sk::transcript_path(*store, id_of(claw_id)) == path);
  auto session = sk::Session::resume(store, "main:cli:user").value();
  CHECK(session.id().str() == claw_id);
  talk(session, "weiter?", "ja");
  CHECK(read_file(path).substr(0, before.size()) == before);
  CHECK(types_in(path) == std::vector<std::string>{"session", "user", "assistant", "user", "assistant"});

  Json const index = index_of(dir.path());
  Json const row = index["main:cli:user"];
  CHECK(row["session_key"] == "main:cli:user");
  CHECK(row["session_id"] == claw_id);
  CHECK(row["transcript_file"] == claw_file);
  CHECK(row["message_count"] == 2); // claw0 counts turns
  CHECK(text_of(row, "created_at").substr(0, 19) == "2026-02-24T10:00:00");
  CHECK(text_of(row, "updated_at") > "2026-02-24T10:00:00");
  CHECK(row["theirs"] == true);
  CHECK(index["main:telegram:7"] == index_before["main:telegram:7"]); // word for word
  CHECK(index["broken"] == index_before["broken"]);
  CHECK(index.size() == 3);
}

TEST_CASE("a change that the other program makes in the meantime is kept and reported") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  talk(session, "a", "b");
  std::string const other = dir / panel_other + ".jsonl"; // ai-panel answers somebody, and writes its index
  write_file(other,
             read_file(other)
                 + R"({"type":"message","message":{"role":"user","content":"new"},"timestamp":1708300200000})"
                 + "\n");
  Json theirs = panel_rewrite(index_of(dir.path()));
  theirs["sessions"][panel_other]["messageCount"] = 7;
  theirs["sessions"][panel_other]["lastAt"] = 1708300200000;
  theirs["sessions"]["ses-3"] = {{"id", "ses-3"}, {"filePath", "ses-3.jsonl"}, {"title", "third"}};
  write_file(dir / "sessions.json", theirs.dump());
  write_file(dir / "ses-3.jsonl", panel_lines("third"));
  talk(session, "c", "d");
  CHECK(row_of(dir.path(), panel_other) == theirs["sessions"][panel_other]);
  CHECK(row_of(dir.path(), "ses-3") == theirs["sessions"]["ses-3"]);
  CHECK(row_of(dir.path(), panel_id)["messageCount"] == 7);
  CHECK(store->info(id_of(panel_other)).value().messages == 2);
  CHECK(listed(*store) == Ids{panel_id, panel_other, "ses-3"});

  ::unlink(other.c_str()); // and now it deletes one
  theirs = panel_rewrite(index_of(dir.path()));
  theirs["sessions"].erase(panel_other);
  write_file(dir / "sessions.json", theirs.dump());
  talk(session, "e", "f");
  CHECK_FALSE(index_of(dir.path())["sessions"].contains(panel_other));
  CHECK(listed(*store) == Ids{panel_id, "ses-3"});
}

TEST_CASE("a session that another program deletes during our turn leaves no row") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id), deleted = open_session(store, panel_other);
  deleted.append(sk::user("on its way")).value(); // the index has to follow, at the end of a turn
  ::unlink((dir / panel_other + ".jsonl").c_str());
  Json theirs = panel_rewrite(index_of(dir.path()));
  theirs["sessions"].erase(panel_other);
  write_file(dir / "sessions.json", theirs.dump());
  talk(session, "a", "b");
  CHECK_FALSE(index_of(dir.path())["sessions"].contains(panel_other));
}

TEST_CASE("a shared index is written at the end of each turn, however many rows it has") {
  TempDir dir;
  make_panel_store(dir);
  Json index = index_of(dir.path());
  for (int i = 0; i < 3000; ++i) {
    std::string const id = "ses-" + std::to_string(i);
    index["sessions"][id] = {{"id", id}, {"filePath", id + ".jsonl"}};
  }
  write_file(dir / "sessions.json", index.dump());
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  for (int turn = 1; turn <= 3; ++turn) {
    talk(session, "a", "b");
    CHECK(row_of(dir.path(), panel_id)["messageCount"] == 3 + 2 * turn);
  }
  CHECK(index_of(dir.path())["sessions"].size() == index["sessions"].size());
}

TEST_CASE("looking at a directory of another program leaves its index unchanged") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    std::string const before = read_file(dir / "sessions.json");
    {
      auto store = open_store(dir.path());
      for (std::string const& id : listed(*store)) {
        CHECK(store->info(id_of(id)).value().messages > 0);
        CHECK(open_session(store, id).history({}).ok());
      }
    }
    CHECK(read_file(dir / "sessions.json") == before);
    CHECK(::access((dir / ".lock").c_str(), F_OK) != 0);
  }
}

TEST_CASE("a fork keeps a title that is only in the index") {
  TempDir dir;
  make_panel_store(dir);
  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  auto fork = session.fork().value();
  fork.end_turn().value();
  CHECK(fork.info().value().title == session.info().value().title);
  CHECK_FALSE(fork.info().value().title.empty());
  auto const log = sk::load_log(*store, fork.id()).value();
  CHECK(log.entries.back().as<sk::TitleChange>() != nullptr);
}

TEST_CASE("titles that are only in the index are kept, and another program's new titles are accepted") {
  TempDir dir;
  make_panel_store(dir);
  std::string const title = "分析 payment.py 的并发问题";
  {
    auto store = open_store(dir.path());
    CHECK(store->info(id_of(panel_id)).value().title == title);
    auto session = open_session(store, panel_id);
    talk(session, "a", "b");
    CHECK(session.info().value().title == title);
  }
  CHECK(row_of(dir.path(), panel_id)["title"] == title);
  CHECK(sk::reindex_file_store(dir.path()).value() == 2);
  CHECK(row_of(dir.path(), panel_id)["title"] == title);
  CHECK(open_store(dir.path())->info(id_of(panel_id)).value().title == title);

  auto store = open_store(dir.path());
  auto session = open_session(store, panel_id);
  talk(session, "c", "d");
  rename_row(dir.path(), panel_id, "renamed there"); // while ours is open, and between two runs
  talk(session, "e", "f");
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed there");
  CHECK(store->info(id_of(panel_id)).value().title == "renamed there");
  session.set_title("renamed here").value();
  CHECK(store->info(id_of(panel_id)).value().title == "renamed here");
  session.end_turn().value();
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed here");
  CHECK(row_of(dir.path(), panel_id)["titleOverridden"] == true); // ZyHive's name for it
  store.reset();
  rename_row(dir.path(), panel_id, "renamed again");
  store = open_store(dir.path());
  CHECK(store->info(id_of(panel_id)).value().title == "renamed again");
  CHECK(sk::reindex_file_store(dir.path()).value() == 2);
  CHECK(row_of(dir.path(), panel_id)["title"] == "renamed again");
  ::unlink((dir / "sessions.json").c_str()); // titles in the log outlive the index
  CHECK(open_store(dir.path())->info(id_of(panel_id)).value().title == "renamed here");
}

TEST_CASE("a title set before the index was read is not replaced by the older one in it") {
  TempDir dir;
  make_panel_store(dir);
  auto session = open_session(open_store(dir.path()), panel_id); // opening reads no index
  session.set_title("ours").value();
  session.end_turn().value();
  CHECK(row_of(dir.path(), panel_id)["title"] == "ours");
  CHECK(row_of(dir.path(), panel_id)["active"] == true);
}

TEST_CASE("a session of claw0's layout has a title in its lines") {
  TempDir dir;
  make_claw_store(dir);
  {
    auto session = open_session(open_store(dir.path()), claw_id);
    session.set_title("Plan").value();
    session.end_turn().value();
  }
  CHECK(open_store(dir.path())->info(id_of(claw_id)).value().title == "Plan");
  ::unlink((dir / "sessions.json").c_str());
  CHECK(open_store(dir.path())->info(id_of(claw_id)).value().title == "Plan");
}

TEST_CASE("new sessions get ids as the other program would make them") {
  TempDir panel;
  make_panel_store(panel);
  auto in_panel = sk::Session::create(open_store(panel.path())).value();
  CHECK(in_panel.id().str().substr(0, 6) == "ses-17");
  CHECK(in_panel.id().str().size() == 17);
  CHECK(row_of(panel.path(), in_panel.id().str())["filePath"] == in_panel.id().str() + ".jsonl");
  Json const header = Json::parse(split_lines(read_file(panel / in_panel.id().str() + ".jsonl")).at(0));
  CHECK(header["version"] == 3);
  CHECK("ses-" + header["createdAt"].dump() == in_panel.id().str());

  TempDir claw;
  make_claw_store(claw);
  auto store = open_store(claw.path());
  sk::NewSession about;
  about.key = "main:discord:ann/../x y";
  auto in_claw = sk::Session::create(store, about).value();
  std::string const id = in_claw.id().str();
  CHECK(id.size() == 12);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(row_of(claw.path(), "x").is_null());
  Json const row = index_of(claw.path())[about.key];
  CHECK(row["session_id"] == id);
  CHECK(row["transcript_file"] == "main_discord_ann____x_y_" + id + ".jsonl");
  CHECK(::access((claw / "transcripts/" + text_of(row, "transcript_file")).c_str(), F_OK) == 0);
  auto copy = in_claw.fork().value(); // of the same scheme, and different from its source
  CHECK(copy.id().str().size() == 12);
  Json const of_copy = index_of(claw.path())["main:cli:user_" + copy.id().str()];
  CHECK(of_copy["session_id"] == copy.id().str());
  CHECK(of_copy["transcript_file"] == "main_cli_user_" + copy.id().str() + ".jsonl"); // the id once
  CHECK(sk::transcript_path(*open_store(claw.path()), copy.id())
        == claw / "transcripts/main_cli_user_" + copy.id().str() + ".jsonl");
  CHECK(index_of(claw.path())[about.key]["session_id"] == id);
}

TEST_CASE("claw0's index and its transcripts may lie in two directories") {
  TempDir dir;
  std::string const root = dir / "index", elsewhere = dir / "somewhere/transcripts";
  sk::FileStoreOptions options;
  options.transcripts = elsewhere;
  sk::NewSession about;
  about.key = "main:cli:user";
  auto const id = [&] {
    auto session = sk::Session::create(open_store(root, options), about).value();
    talk(session, "hello", "hi");
    return session.id();
  }();
  std::string const file = "main_cli_user_" + id.str() + ".jsonl";
  CHECK(index_of(root)[about.key]["transcript_file"] == file);
  CHECK(types_in(elsewhere + "/" + file) == std::vector<std::string>{"session", "user", "assistant"});
  CHECK(::access((root + "/transcripts").c_str(), F_OK) != 0);

  REQUIRE(::unlink((root + "/sessions.json").c_str()) == 0); // the index is a cache
  auto const store = open_store(root, options);
  CHECK(listed(*store) == Ids{id.str()});
  CHECK(sk::transcript_path(*store, id) == elsewhere + "/" + file);
  store->remove(id).value();
  CHECK(listed(*store).empty());
  CHECK(::access((elsewhere + "/" + file).c_str(), F_OK) != 0);
  CHECK(::access((root + "/trash/" + file).c_str(), F_OK) == 0);

  {
    auto session = sk::Session::create(open_store(root, options), about).value();
    talk(session, "hello", "hi");
  }
  std::string const index = read_file(root + "/sessions.json");
  auto const unnamed = sk::open_file_store(root); // or else its index would be taken for a damaged one
  REQUIRE_FALSE(unnamed);
  CHECK(unnamed.error().code == Errc::invalid_argument);
  CHECK(unnamed.error().message.find("--transcript-dir") != std::string::npos);
  CHECK(read_file(root + "/sessions.json") == index);

  options.profile = sk::profiles::native;
  auto const refused = sk::open_file_store(dir / "other", options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::invalid_argument);
  REQUIRE(::chmod(elsewhere.c_str(), 0777) == 0);
  options.profile.reset();
  CHECK(sk::open_file_store(root, options).error().code == Errc::unsafe_path);
}

TEST_CASE("a key of claw0's has several sessions, and its index names the newest that exists") {
  TempDir dir;
  make_claw_store(dir);
  auto store = open_store(dir.path());
  sk::NewSession about;
  about.key = "main:cli:user";
  auto second = sk::Session::create(store, about).value();
  talk(second, "two", "2");
  std::string const newest = second.id().str();
  CHECK(index_of(dir.path())["main:cli:user"]["session_id"] == newest);
  sk::ListQuery by_key;
  by_key.key = about.key;
  CHECK(store->list(by_key).value().sessions.size() == 2);
  CHECK(listed(*open_store(dir.path())).size() == 3); // the older one is found by its file
  CHECK(sk::Session::resume(open_store(dir.path()), about.key).value().id().str() == newest);

  auto first = open_session(store, claw_id); // the older one is continued
  talk(first, "one", "1");
  CHECK(index_of(dir.path())["main:cli:user"]["session_id"] == claw_id);
  REQUIRE(store->remove(id_of(claw_id)).ok());
  CHECK(::access((dir / "trash/" + claw_file).c_str(), F_OK) == 0);
  CHECK(index_of(dir.path())["main:cli:user"]["session_id"] == newest);
  CHECK(sk::Session::resume(store, about.key).value().id().str() == newest);
  REQUIRE(open_store(dir.path())->remove(id_of(newest)).ok()); // by a store that never listed
  CHECK_FALSE(index_of(dir.path()).contains("main:cli:user"));
  CHECK(listed(*open_store(dir.path())) == Ids{claw_other});
}

TEST_CASE("sessions are found by their files, whatever their ids and names") {
  TempDir dir;
  make_claw_store(dir);
  auto const lines = [](std::string const& id) { return claw_lines("k", id, "hi"); };
  write_file(dir / "transcripts/k_my_own_id.jsonl", lines("my_own_id"));
  write_file(dir / "transcripts/plain.jsonl", lines("plain"));
  write_file(dir / "transcripts/two_words.jsonl", "{\"type\":\"user\",\"content\":\"no header\"}\n");
  write_file(dir / "transcripts/copy_" + std::string(claw_id) + ".jsonl", lines(claw_id)); // of one id
  write_file(dir / "transcripts/notes.txt", "x");
  auto store = open_store(dir.path());
  Ids const expected{claw_id, "copy_" + std::string(claw_id), claw_other, "my_own_id", "plain", "two_words"};
  auto sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  CHECK(listed(*store) == sorted);
  CHECK(sk::transcript_path(*store, id_of(claw_id)) == dir / "transcripts/" + claw_file); // the index says so
  auto session = open_session(store, "my_own_id");
  talk(session, "a", "b");
  CHECK(types_in(dir / "transcripts/k_my_own_id.jsonl").size() == 5);
  CHECK(store->append(id_of("my_own_id"), Batch({claw_header("other:key", "my_own_id")})).error().code
        == Errc::already_exists); // whatever its key
}

TEST_CASE("an id is taken whatever its key, and free under any key once its session is removed") {
  TempDir dir;
  make_claw_store(dir);
  ::unlink((dir / "sessions.json").c_str()); // so that only the file decides
  auto store = open_store(dir.path());
  Batch const again({claw_header("other:key", claw_id)}, {}, true);
  CHECK(store->append(id_of(claw_id), again).error().code == Errc::already_exists);
  REQUIRE(store->remove(id_of(claw_id)).ok());
  REQUIRE(store->append(id_of(claw_id), again).ok());
  CHECK(sk::transcript_path(*store, id_of(claw_id))
        == dir / "transcripts/other_key_" + std::string(claw_id) + ".jsonl");
  CHECK(index_of(dir.path())["other:key"]["session_id"] == claw_id);
}

TEST_CASE("a profile given by the caller overrides the detected one, but not another layout") {
  TempDir dir;
  make_panel_store(dir);
  sk::FileStoreOptions options;
  options.profile = sk::profiles::native;
  {
    auto store = open_store(dir.path(), options);
    CHECK(store->profile().name == "native");
    auto fresh = sk::Session::create(store).value();
    fresh.append(sk::user("x")).value();
    CHECK(fresh.id().str().size() == 36);
    auto old = open_session(store, panel_id); // a file stays in its own lines
    talk(old, "a", "b");
    CHECK(types_in(dir / panel_id + ".jsonl").back() == "message");
    CHECK(Json::parse(split_lines(read_file(dir / panel_id + ".jsonl")).back()).contains("timestamp"));
  }
  std::string const before = read_file(dir / "sessions.json");
  options.profile = sk::profiles::claw0;
  CHECK(sk::open_file_store(dir.path(), options).error().code == Errc::invalid_argument);
  CHECK(::access((dir / "transcripts").c_str(), F_OK) != 0);
  CHECK(read_file(dir / "sessions.json") == before);

  TempDir claw;
  make_claw_store(claw);
  for (auto const& profile : {sk::profiles::native, sk::profiles::ai_panel, sk::profiles::zeroclaw}) {
    options.profile = profile;
    auto const refused = sk::open_file_store(claw.path(), options);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Errc::invalid_argument);
    CHECK(refused.error().message.find(claw.path()) != std::string::npos);
  }
}

TEST_CASE("without an index the transcripts keep a profile of the other layout out") {
  sk::FileStoreOptions options;
  options.profile = sk::profiles::claw0;
  TempDir dir;
  auto session = sk::Session::create(open_store(dir.path())).value();
  talk(session, "hello", "hi");
  REQUIRE(::unlink((dir / "sessions.json").c_str()) == 0);
  CHECK(sk::open_file_store(dir.path(), options).error().code == Errc::invalid_argument);
  CHECK(listed(*open_store(dir.path())) == Ids{session.id().str()});

  TempDir openclaw;
  std::string const root = openclaw / "sessions";
  std::filesystem::copy(data("moving/openclaw"), root, std::filesystem::copy_options::recursive);
  std::string const index = read_file(root + "/sessions.json");
  CHECK(sk::open_file_store(root, options).error().code == Errc::invalid_argument);
  CHECK(read_file(root + "/sessions.json") == index);

  TempDir claw;
  make_claw_store(claw);
  REQUIRE(::unlink((claw / "sessions.json").c_str()) == 0);
  options.profile = sk::profiles::native;
  CHECK(sk::open_file_store(claw.path(), options).error().code == Errc::invalid_argument);
}

TEST_CASE("a directory created with a profile is recognised later") {
  for (char const* name : {"native", "ai_panel", "zyhive", "claw0", "zeroclaw"}) {
    CAPTURE(name);
    TempDir dir;
    sk::FileStoreOptions options;
    options.profile = *sk::find_profile(name);
    mode_t const umask_before = ::umask(0);
    std::string id;
    {
      auto session = sk::Session::resume(open_store(dir / "s", options), "main:cli:user").value();
      talk(session, "a", "b");
      id = session.id().str();
    }
    ::umask(umask_before);
    auto store = open_store(dir / "s");
    CHECK(store->profile().dialect == options.profile->dialect);
    CHECK(store->profile().layout == options.profile->layout);
    CHECK(sk::Session::resume(store, "main:cli:user").value().id().str() == id);
    CHECK(store->info(id_of(id)).value().messages == 2);
    struct stat s;
    if (options.profile->layout != sk::StoreLayout::transcripts_folder) continue;
    REQUIRE(::stat((dir / "s/transcripts").c_str(), &s) == 0);
    CHECK((s.st_mode & 07777U) == 0700);
  }
}

TEST_CASE("an index of either layout that is cut anywhere is rebuilt, never an empty store") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir whole;
    make(whole);
    auto const expected = listed(*open_store(whole.path()));
    CHECK(sk::reindex_file_store(whole.path()).value() == 2); // with our own members in it
    std::string const index = read_file(whole / "sessions.json");
    std::size_t rebuilt = 0, cuts = 0;
    for (std::size_t cut = 0; cut + 1 < index.size(); cut += 37, ++cuts) {
      TempDir dir;
      make(dir);
      write_file(dir / "sessions.json", index.substr(0, cut));
      write_file(dir / ".lock", {}); // we have written to it
      sk::FileStoreOptions options;
      options.durability = sk::Durability::os;
      options.on_event = [&](sk::Event const& event) {
        rebuilt += event.kind == sk::Event::index_rebuilt ? 1U : 0U;
      };
      FaultyFileOps ops; // its pauses take no time
      auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
      REQUIRE(listed(*store) == expected);
      Json const now = index_of(dir.path());
      REQUIRE((now.contains("sessions") ? now["sessions"].size() : now.size()) == 2);
    }
    CHECK(rebuilt == cuts);
    CHECK(cuts > 20);
  }
}

TEST_CASE("an index that another program is writing in place is read again until it is complete") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    std::string const whole = read_file(dir / "sessions.json");
    write_file(dir / "sessions.json", whole.substr(0, whole.size() / 2));
    FaultyFileOps ops;
    std::vector<sk::Event> events;
    sk::FileStoreOptions options;
    options.on_event = [&](sk::Event const& event) { events.push_back(event); };
    ops.on_pause = [&] { write_file(dir / "sessions.json", whole); };
    {
      auto store = sk::detail::open_file_store(ops, dir.path(), options).value();
      CHECK(listed(*store).size() == 2);
    }
    CHECK(events.empty());
    CHECK(read_file(dir / "sessions.json") == whole);
    for (auto const& entry : std::filesystem::directory_iterator(dir.path()))
      CHECK(entry.path().filename().string().find("unreadable") == std::string::npos);
  }
}

TEST_CASE("each system call on another program's directory fails once and always: nothing is lost") {
  struct Layout {
    void (*make)(TempDir const&);
    char const* id;
    std::string file, kept_key;
  };
  Layout const layouts[] = {
      {make_panel_store, panel_id, std::string(panel_id) + ".jsonl", panel_other},
      {make_claw_store, claw_id, "transcripts/" + std::string(claw_file), "main:telegram:7"}};
  int runs = 0;
  for (Layout const& layout : layouts) {
    for (bool const sticky : {false, true}) {
      for (std::int64_t at = 0; at < 400; at += 1 + at / 20, ++runs) {
        TempDir dir;
        layout.make(dir);
        std::string const before = read_file(dir / layout.file);
        bool acked = false, removed = false;
        std::string made;
        FaultyFileOps ops;
        ops.fault = {at, EIO, sticky, false};
        if (auto store = sk::detail::open_file_store(ops, dir.path(), {})) {
          if (auto session = sk::Session::open(*store, id_of(layout.id))) {
            auto turn = session->begin_turn();
            bool const said = turn.append(sk::user("q")).ok() && turn.append(sk::assistant("acked")).ok();
            acked = said && turn.commit().ok();
          }
          if (auto fresh = sk::Session::create(*store)) made = fresh->id().str();
          (void)(*store)->list({});
          if (!made.empty() && (*store)->profile().name != "native")
            removed = (*store)->remove(id_of(made)).ok();
        }
        bool const done = ops.fired == 0;
        CAPTURE(layout.file, sticky, at);
        std::string const after = read_file(dir / layout.file);
        REQUIRE(after.substr(0, before.size()) == before);
        if (acked) REQUIRE(after.find("acked") != std::string::npos);
        auto store = open_store(dir.path());
        REQUIRE(store->info(id_of(layout.id)).value().messages >= (acked ? 4U : 2U));
        if (removed) REQUIRE(store->info(id_of(made)).error().code == Errc::not_found);
        if (::access((dir / "sessions.json").c_str(), F_OK) == 0) {
          Json const index = index_of(dir.path()); // complete, whatever failed
          REQUIRE((index.contains("sessions") ? index["sessions"] : index).contains(layout.kept_key));
        }
        REQUIRE(listed(*store).size() >= 2);
        if (done) break;
      }
    }
  }
  CHECK(runs > 100);
}

TEST_CASE("a process killed at any time leaves a complete index and all sessions") {
  for (auto const make : {make_panel_store, make_claw_store}) {
    TempDir dir;
    make(dir);
    for (int round = 0; round < 6; ++round) {
      int pipe[2];
      REQUIRE(::pipe(pipe) == 0);
      pid_t const child = ::fork();
      if (child == 0) {
        auto store = sk::open_file_store(dir.path());
        auto session = sk::Session::create(*store);
        for (;;) {
          auto turn = session->begin_turn();
          bool const said = turn.append(sk::user("q")).ok() && turn.append(sk::assistant("a")).ok();
          if (!said || !turn.commit() || ::write(pipe[1], "x", 1) != 1) ::_exit(1);
        }
      }
      REQUIRE(child > 0); // else the signal would go to all processes
      ::close(pipe[1]);
      char ack = 0;
      int acks = 0;
      while (acks < 3 + round && ::read(pipe[0], &ack, 1) == 1) ++acks;
      ::usleep(static_cast<useconds_t>(300 * round));
      ::kill(child, SIGKILL);
      while (::read(pipe[0], &ack, 1) == 1) ++acks;
      ::close(pipe[0]);
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(WIFSIGNALED(status));
      Json const index = index_of(dir.path());
      auto const sessions = open_store(dir.path())->list({}).value().sessions;
      REQUIRE(sessions.size() == static_cast<std::size_t>(3 + round));
      CHECK(sessions.front().turns >= static_cast<std::uint64_t>(acks));
    }
  }
}
