// SPDX-License-Identifier: MIT
// Directories that ai-panel, ZyHive and claw0 made are recognised and continued in their format.
#include "support/catch.hpp"
#include "support/shared_folder.hpp"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using Json = nlohmann::json;

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
  Json const index_before = snapshot_of(dir.path());
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
  CHECK(snapshot_of(dir.path())["theirs"] == index_before["theirs"]);
  CHECK(snapshot_of(dir.path())["sessions"]["sub/agent:1"] == index_before["sessions"]["sub/agent:1"]);
}

TEST_CASE("a directory of claw0's continues in its lines, and its index is right at the end of each turn") {
  TempDir dir;
  make_claw_store(dir);
  std::string const path = dir / "transcripts/" + claw_file, before = read_file(path);
  Json const index_before = snapshot_of(dir.path());
  auto store = open_store(dir.path());
  CHECK(listed(*store) == Ids{claw_id, claw_other});
  CHECK(sk::transcript_path(*store, id_of(claw_id)) == path);
  auto session = sk::Session::resume(store, "main:cli:user").value();
  CHECK(session.id().str() == claw_id);
  talk(session, "weiter?", "ja");
  CHECK(read_file(path).substr(0, before.size()) == before);
  CHECK(types_in(path) == std::vector<std::string>{"session", "user", "assistant", "user", "assistant"});

  Json const index = snapshot_of(dir.path());
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
  Json const row = snapshot_of(claw.path())[about.key];
  CHECK(row["session_id"] == id);
  CHECK(row["transcript_file"] == "main_discord_ann____x_y_" + id + ".jsonl");
  CHECK(::access((claw / "transcripts/" + text_of(row, "transcript_file")).c_str(), F_OK) == 0);
  auto copy = in_claw.fork().value(); // of the same scheme, and different from its source
  CHECK(copy.id().str().size() == 12);
  Json const of_copy = snapshot_of(claw.path())["main:cli:user_" + copy.id().str()];
  CHECK(of_copy["session_id"] == copy.id().str());
  CHECK(of_copy["transcript_file"] == "main_cli_user_" + copy.id().str() + ".jsonl"); // the id once
  CHECK(sk::transcript_path(*open_store(claw.path()), copy.id())
        == claw / "transcripts/main_cli_user_" + copy.id().str() + ".jsonl");
  CHECK(snapshot_of(claw.path())[about.key]["session_id"] == id);
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
  CHECK(snapshot_of(root)[about.key]["transcript_file"] == file);
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
  CHECK(snapshot_of(dir.path())["main:cli:user"]["session_id"] == newest);
  sk::ListQuery by_key;
  by_key.key = about.key;
  CHECK(store->list(by_key).value().sessions.size() == 2);
  CHECK(listed(*open_store(dir.path())).size() == 3); // the older one is found by its file
  CHECK(sk::Session::resume(open_store(dir.path()), about.key).value().id().str() == newest);

  auto first = open_session(store, claw_id); // the older one is continued
  talk(first, "one", "1");
  CHECK(snapshot_of(dir.path())["main:cli:user"]["session_id"] == claw_id);
  REQUIRE(store->remove(id_of(claw_id)).ok());
  CHECK(::access((dir / "trash/" + claw_file).c_str(), F_OK) == 0);
  CHECK(snapshot_of(dir.path())["main:cli:user"]["session_id"] == newest);
  CHECK(sk::Session::resume(store, about.key).value().id().str() == newest);
  REQUIRE(open_store(dir.path())->remove(id_of(newest)).ok()); // by a store that never listed
  CHECK_FALSE(snapshot_of(dir.path()).contains("main:cli:user"));
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
  CHECK(snapshot_of(dir.path())["other:key"]["session_id"] == claw_id);
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
