// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/file_store.hpp"
#include "support/foreign_stores.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <sys/stat.h>

using namespace sessionkit_test;
namespace fs = std::filesystem;

namespace {

/// Everything below a folder: names, modes, times and bytes.
std::map<std::string, std::tuple<unsigned, std::int64_t, std::string>> tree_of(std::string const& root) {
  std::map<std::string, std::tuple<unsigned, std::int64_t, std::string>> tree;
  auto const add = [&](std::string const& path) {
    struct stat s {};
    REQUIRE(::lstat(path.c_str(), &s) == 0);
    tree[path] = {s.st_mode, s.st_mtim.tv_sec * 1'000'000'000LL + s.st_mtim.tv_nsec,
                  S_ISREG(s.st_mode) ? read_file(path) : std::string()};
  };
  add(root);
  for (auto const& entry : fs::recursive_directory_iterator(root)) add(entry.path().string());
  return tree;
}

void copy_tree(std::string const& from, std::string const& to) {
  fs::copy(from, to, fs::copy_options::recursive);
}

/// Everything that reads a store.
void read_all_of(sk::SessionStore& store) {
  for (auto const& info : store.list({}).value().sessions) {
    (void)store.info(info.id);
    (void)store.read(info.id, {});
    (void)sk::load_context(store, info.id);
  }
  sk::ListQuery query;
  query.key = "nobody's";
  (void)store.list(query);
}

}

TEST_CASE("a folder of another program is refused by its name, and nothing in it changes") {
  for (auto const& [folder, program] : {std::pair{"../bare", "ZeroClaw"},
                                        {"claude-code", "Claude Code"},
                                        {"codex", "Codex"},
                                        {"codex-index", "Codex"},
                                        {"gemini-cli", "Gemini CLI"},
                                        {"gemini-cli-json", "Gemini CLI"},
                                        {"opencode", "opencode"}}) {
    TempDir dir;
    std::string const root = dir / "folder";
    copy_tree(data("foreign/" + std::string(folder)), root);
    auto const before = tree_of(root);
    for (bool const create : {false, true})
      for (bool const chosen : {false, true}) {
        CAPTURE(folder, create, chosen);
        sk::FileStoreOptions options;
        options.create = create;
        if (chosen) options.profile = sk::profiles::native;
        auto const store = sk::open_file_store(root, options);
        REQUIRE_FALSE(store.ok());
        CHECK(store.error().code == sk::Errc::unsupported);
        CHECK(store.error().message.find(program) != std::string::npos);
        CHECK(store.error().message.find(root) != std::string::npos);
      }
    CHECK_FALSE(sk::diagnose_store(root).ok());
    CHECK(tree_of(root) == before);
  }
}

TEST_CASE("a folder of another program that a lock file of ours was left in is refused, too") {
  for (char const* const folder : {"claude-code", "codex", "gemini-cli"}) {
    TempDir dir;
    std::string const root = dir / "folder";
    copy_tree(data("foreign/" + std::string(folder)), root);
    write_file(root + "/.lock", {});
    write_file(root + "/sessions.json", R"({"sessions":{}})");
    CAPTURE(folder);
    auto const before = tree_of(root);
    for (bool const chosen : {false, true}) {
      sk::FileStoreOptions options;
      if (chosen) options.profile = sk::profiles::native;
      auto const store = sk::open_file_store(root, options);
      REQUIRE_FALSE(store.ok());
      CHECK(store.error().code == sk::Errc::unsupported);
    }
    CHECK(tree_of(root) == before);
  }
}

TEST_CASE("a store of ours whose only session was damaged is still a store") {
  TempDir dir;
  std::string const root = dir / "store";
  start(*open_store(root), "s1");
  write_file(root + "/s1.jsonl", "{\"tyqe\":\"session\",\"version\":3}\n");
  auto const store = open_store(root);
  start(*store, "s2");
  CHECK(store->info(id_of("s2")).ok());
}

TEST_CASE(
    "entries that cannot be read, and files that show nothing, make no store of another program's folder") {
  for (char const* const folder : {"claude-code", "codex", "gemini-cli", "gemini-cli-json", "opencode"})
    for (std::string const kind : {"directory", "dangling link", "pipe", "empty file", "torn file"}) {
      TempDir dir;
      std::string const root = dir / "folder", odd = root + "/a.jsonl";
      copy_tree(data("foreign/" + std::string(folder)), root);
      if (kind == "directory") fs::create_directory(odd);
      if (kind == "dangling link") fs::create_symlink("/nonexistent", odd);
      if (kind == "pipe") REQUIRE(::mkfifo(odd.c_str(), 0600) == 0);
      if (kind == "empty file") write_file(odd, {});
      if (kind == "torn file") write_file(odd, R"({"type":"mess)");
      CAPTURE(folder, kind);
      auto const before = tree_of(root);
      auto const store = sk::open_file_store(root);
      REQUIRE_FALSE(store.ok());
      CHECK(store.error().code == sk::Errc::unsupported);
      CHECK_FALSE(sk::diagnose_store(root).ok());
      CHECK(tree_of(root) == before);
    }
}

TEST_CASE("transcripts of another program in a folder named as claw0's are refused, too") {
  TempDir dir;
  std::string const root = dir / "folder";
  fs::create_directories(root + "/projects");
  copy_tree(data("foreign/claude-code"), root + "/transcripts");
  auto const before = tree_of(root);
  auto const store = sk::open_file_store(root);
  REQUIRE_FALSE(store.ok());
  CHECK(store.error().message.find("Claude Code") != std::string::npos);
  CHECK(tree_of(root) == before);
}

TEST_CASE("a transcript of another program among ours is not removed") {
  TempDir dir;
  std::string const root = dir / "folder";
  copy_tree(data("foreign/claude-code"), root);
  std::string const file = fs::directory_iterator(root)->path().string();
  std::string const bytes = read_file(file), id = fs::path(file).stem().string();
  fs::copy(data("pi/simple_chat.jsonl"), root + "/ours.jsonl");
  auto const store = open_store(root);
  auto const refused = store->remove(id_of(id));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == sk::Errc::unsupported);
  CHECK(refused.error().message.find("Claude Code") != std::string::npos);
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::hours(1);
  auto const much_later = sk::parse_rfc3339("2030-01-01T00:00:00Z").value();
  auto const plan = sk::plan_retention(*store, policy, much_later).value();
  REQUIRE(plan.removals.size() == 1);
  CHECK(plan.removals[0].id.str() == "ours");
  CHECK(plan.kept == 1);
  CHECK(read_file(file) == bytes);
  CHECK(store->remove(id_of("ours")).ok());
}

TEST_CASE("a store that holds nothing but a copy of another program's transcript is a store") {
  TempDir dir;
  std::string const path = data("foreign/claude-code/5fe93d2e-1d5c-58b4-aed8-74216a851bac.jsonl");
  auto const file = sk::open_transcript(path).value();
  auto const id = file->list({}).value().sessions.at(0).id;
  REQUIRE(sk::copy_session(*file, *open_store(dir.path()), id).ok());
  CHECK(open_store(dir.path())->remove(id).ok());
}

TEST_CASE("a lock file of another program does not make reading write") {
  TempDir dir;
  std::string const root = dir / "folder";
  copy_tree(data("pi"), root);
  write_file(root + "/.lock", "1234\n");
  auto const before = tree_of(root);
  read_all_of(*open_store(root));
  CHECK(tree_of(root) == before);
}

TEST_CASE("folders above the transcripts of other programs are refused by their names") {
  for (auto const& [names, program] :
       {std::pair<std::vector<std::string>, char const*>{{"-home-dev-project", "-home-dev"}, "Claude Code"},
        {{"-home-dev-project", ".DS_Store", ".lock", "sessions.json"}, "Claude Code"},
        {{"--home-dev-project--", "--home-dev--"}, "folders of pi's projects"},
        {{"--home-dev-project--", "-home-dev"}, "Claude Code"},
        {{"2025", "2026"}, "Codex"},
        {{"2026", ".DS_Store"}, "Codex"},
        {{"10", "11"}, "Codex"},
        {{"sessions", "auth.json", "config.toml", "log"}, "Codex"},
        {{"ses_dffbe8aebffeizQ6td4pS2OUQr"}, "opencode"},
        {{"msg_01.json"}, "opencode"},
        {{"message", "part", "session", "project"}, "opencode"},
        {{"chats", "logs.json"}, "Gemini CLI"}}) {
    TempDir dir;
    for (std::string const& name : names) fs::create_directory(dir / name);
    auto const store = sk::open_file_store(dir.path());
    CAPTURE(program);
    REQUIRE_FALSE(store.ok());
    CHECK(store.error().message.find(program) != std::string::npos);
  }
}

TEST_CASE("an empty directory, and one with files of no program that is known, become stores") {
  TempDir dir;
  write_file(dir / "notes.txt", "mine");
  write_file(dir / "config.json", "{}");
  auto const store = open_store(dir.path());
  start(*store, "s1");
  CHECK(listed(*store) == Ids{"s1"});
  CHECK(read_file(dir / "notes.txt") == "mine");
}

TEST_CASE("transcripts of pi, ai-panel, claw0 and OpenClaw are read in place, and nothing there changes") {
  for (char const* const folder : {"moving/openclaw", "moving/ai-panel", "moving/claw0", "pi"})
    for (bool const broken_index : {false, true}) {
      TempDir dir;
      std::string const root = dir / "folder";
      copy_tree(data(folder), root);
      if (broken_index && fs::exists(root + "/sessions.json")) write_file(root + "/sessions.json", "{\"torn");
      CAPTURE(folder, broken_index);
      auto const before = tree_of(root);
      {
        auto const store = open_store(root);
        CHECK_FALSE(store->list({}).value().sessions.empty());
        read_all_of(*store);
      }
      CHECK(sk::diagnose_store(root).ok());
      CHECK(tree_of(root) == before);
    }
}

TEST_CASE("OpenClaw's index gives its keys and titles, and is never written or moved aside") {
  TempDir dir;
  std::string const root = dir / "sessions";
  copy_tree(data("moving/openclaw"), root);
  std::string const index = read_file(root + "/sessions.json");
  auto const store = open_store(root);
  sk::ListQuery query;
  query.key = "agent:main:main";
  auto const found = store->list(query).value().sessions;
  REQUIRE(found.size() == 1);
  CHECK(found[0].id.str() == "simple_chat");
  CHECK(found[0].key == "agent:main:main");
  CHECK(found[0].messages > 0);
  CHECK(found[0].agent == "main");
  sk::ListQuery of_agent;
  of_agent.agent = "main";
  CHECK(store->list(of_agent).value().sessions.size() == 1);

  auto session = sk::Session::resume(store, "agent:main:main").value();
  CHECK(session.id().str() == "simple_chat");
  session.append(sk::user("one more")).value();
  CHECK(store->list(query).value().sessions.at(0).messages == found[0].messages + 1);
  auto const refused = sk::reindex_file_store(root);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == sk::Errc::unsupported);
  CHECK(read_file(root + "/sessions.json") == index);
  for (auto const& entry : fs::directory_iterator(root))
    CHECK(entry.path().filename().string().find("unreadable") == std::string::npos);
}

TEST_CASE("a store that is opened to be read only changes nothing, not even its index") {
  TempDir dir;
  std::string const root = dir / "store";
  start(*open_store(root), "s1");
  fs::remove(root + "/sessions.json");
  auto const before = tree_of(root);
  sk::FileStoreOptions options;
  options.read_only = true;
  {
    auto const store = open_store(root, options);
    CHECK(listed(*store) == Ids{"s1"});
    read_all_of(*store);
    CHECK(store->append(id_of("s2"), Batch({header_line("s2")}, {}, true)).error().code
          == sk::Errc::unsupported);
    CHECK(store->remove(id_of("s1")).error().code == sk::Errc::unsupported);
    auto const file = sk::open_transcript(root + "/s1.jsonl", options).value();
    auto session = sk::Session::open(file, id_of("s1")).value();
    CHECK(session.append(sk::user("no")).error().code == sk::Errc::unsupported);
  }
  CHECK_FALSE(sk::reindex_file_store(root, options).ok());
  CHECK(tree_of(root) == before);
  CHECK(listed(*open_store(root)) == Ids{"s1"}); // without it the index is made again
  CHECK(fs::exists(root + "/sessions.json"));
  options.create = true;
  CHECK(sk::open_file_store(dir / "none", options).error().code == sk::Errc::not_found);
}

TEST_CASE("a directory to which others may write is refused, unless that is allowed") {
  TempDir dir;
  std::string const root = dir / "store";
  start(*open_store(root), "s1");
  for (unsigned const mode : {0770U, 0707U, 0777U}) {
    CAPTURE(mode);
    REQUIRE(::chmod(root.c_str(), mode) == 0);
    auto const refused = sk::open_file_store(root);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == sk::Errc::unsafe_path);
    CHECK(refused.error().message.find("chmod go-w " + root) != std::string::npos);
    sk::FileStoreOptions options;
    options.allow_shared_directory = true;
    CHECK(listed(*open_store(root, options)) == Ids{"s1"});
    REQUIRE(::chmod(root.c_str(), mode | 01000U) == 0); // as /tmp: nobody replaces another's entries
    CHECK(sk::open_file_store(root).ok());
  }
}

TEST_CASE("the mode of an index that is replaced is kept") {
  TempDir dir;
  std::string const root = dir / "store";
  start(*open_store(root), "s1");
  std::string const index = root + "/sessions.json";
  struct stat s {};
  REQUIRE(::stat(index.c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0600);
  REQUIRE(::chmod(index.c_str(), 0640) == 0);
  CHECK(sk::reindex_file_store(root).value() == 1);
  REQUIRE(::stat(index.c_str(), &s) == 0);
  CHECK((s.st_mode & 07777U) == 0640);
}

TEST_CASE("an index that ai-panel reads holds no message, and its rows are complete without") {
  TempDir dir;
  std::string const root = dir / "store";
  std::string const said =
      "a rather long question, of which a title of sixty characters shows only the begin, not its end";
  sk::FileStoreOptions options;
  options.profile = *sk::find_profile("ai_panel");
  std::string title;
  {
    auto const store = open_store(root, options);
    auto session = sk::Session::create(store).value();
    session.append(sk::user(said)).value();
    session.append(sk::assistant("yes")).value();
    title = store->list({}).value().sessions.at(0).display_title();
  }
  CHECK(title.size() < said.size());
  std::string const index = read_file(root + "/sessions.json");
  CHECK(index.find("firstUserText") == std::string::npos);
  CHECK(index.find("not its end") == std::string::npos);
  CHECK(open_store(root, options)->list({}).value().sessions.at(0).display_title() == title);
  auto const found = sk::diagnose_store(root).value().findings;
  CHECK(std::none_of(found.begin(), found.end(), [](sk::DoctorFinding const& f) { return !f.harmless(); }));
}
