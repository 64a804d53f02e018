// SPDX-License-Identifier: MIT
// Files of other programs as a store: what it shows is what the importer gives, and nothing is ever written.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/foreign_fixtures.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/foreign_store.hpp>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include <sys/stat.h>

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

std::set<std::string> scenarios() {
  std::set<std::string> folders;
  for (auto const& program : fs::directory_iterator(data("interchange")))
    for (auto const& scenario : fs::directory_iterator(program.path()))
      folders.insert(scenario.path().string());
  return folders;
}

// Each file and folder with its kind, mode, owner, size, times and bytes. The time of reading is left out.
std::map<std::string, std::string> state_of(std::string const& root) {
  std::map<std::string, std::string> state;
  auto const add = [&](std::string const& path) {
    struct stat found = {};
    REQUIRE(::lstat(path.c_str(), &found) == 0);
    std::ostringstream text;
    text << found.st_mode << ' ' << found.st_uid << ' ' << found.st_ino << ' ' << found.st_size << ' '
         << found.st_mtim.tv_sec << '.' << found.st_mtim.tv_nsec << ' ' << found.st_ctim.tv_sec << '.'
         << found.st_ctim.tv_nsec << '\n';
    if (S_ISREG(found.st_mode)) text << read_file(path);
    state[path] = text.str();
  };
  add(root);
  for (auto const& entry : fs::recursive_directory_iterator(root)) add(entry.path().string());
  return state;
}

std::vector<std::string> lines_of(sk::Log const& log) {
  std::vector<std::string> lines;
  for (sk::Entry const& entry : log.entries)
    REQUIRE(sk::native_dialect().encode(entry, lines.emplace_back()));
  return lines;
}

std::vector<std::string> lines_in(sk::SessionStore& store, sk::SessionId const& id) {
  std::vector<std::string> lines;
  sk::ReadRange range;
  range.max_records = 7;
  for (;;) {
    auto const page = store.read(id, range);
    REQUIRE(page.ok());
    for (auto const& item : page->items()) lines.emplace_back(item.line);
    if (!page->more) return lines;
    range.from = page->next;
  }
}

// Counts what is read of each file.
class CountingFiles final : public sk::ForeignFiles {
 public:
  CountingFiles(std::unique_ptr<sk::ForeignFiles> files, std::map<std::string, std::uint64_t>& furthest)
      : files_(std::move(files)), furthest_(furthest) {}
  sk::Result<std::vector<std::string>> list(std::string const& folder) override {
    return files_->list(folder);
  }
  sk::Result<std::uint64_t> size(std::string const& file) override { return files_->size(file); }
  sk::Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    auto text = files_->read(file, offset, max);
    if (text) furthest_[file] = std::max<std::uint64_t>(furthest_[file], offset + text->size());
    return text;
  }
  sk::Result<std::int64_t> modified(std::string const& file) override { return files_->modified(file); }
  sk::ImportLimits const& limits() const noexcept override { return files_->limits(); }

 private:
  std::unique_ptr<sk::ForeignFiles> files_;
  std::map<std::string, std::uint64_t>& furthest_;
};

std::string a_talk(std::string const& session, std::string const& text) {
  return R"({"type":"user","uuid":"u1","parentUuid":null,"sessionId":")" + session
         + R"(","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/home/dev","version":"2.1.330","message":{"role":"user","content":")"
         + text + "\"}}\n";
}
std::string an_answer(std::string const& session) {
  return R"({"type":"assistant","uuid":"u2","parentUuid":"u1","sessionId":")" + session
         + R"(","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","id":"m1","model":"m","content":[{"type":"text","text":"yes"}]}})"
         + "\n";
}

}

TEST_CASE("a folder of another program is a store with what its importer gives, and stays as it is") {
  std::map<std::string_view, std::size_t> sessions;
  for (std::string const& folder : scenarios()) {
    INFO(folder);
    auto const before = state_of(folder);
    auto const opened = sk::open_foreign(folder);
    if (!opened) { // it has databases only
      CHECK(opened.error().code == sk::Errc::unsupported);
      continue;
    }
    sk::ForeignStore& store = **opened;
    auto files = sk::open_foreign_files(folder).value();
    for (sk::ForeignConversation const& one : store.conversations()) {
      sk::ImportReport report;
      sk::Log log = sk::import_log(*one.importer, *files, one.session, {}, &report).value();
      std::get<sk::Header>(log.entries.front().body).id = one.id.str();
      CHECK(lines_in(store, one.id) == lines_of(log));
      CHECK(store.report(one.id)->passed_over == report.passed_over);
      sk::SessionInfo const info = store.info(one.id).value();
      CHECK(info.entries + 1 == log.entries.size());
      CHECK(info.damaged == 0);
      ++sessions[one.importer->name];
    }
    CHECK(store.list({})->sessions.size() == std::min<std::size_t>(50, store.conversations().size()));
    CHECK(state_of(folder) == before);
  }
  for (auto const& one : sessions) std::cout << one.first << ": " << one.second << " sessions\n";
  CHECK(sessions.size() + 1 == sk::known_importers().size()); // no fixture is of ATIF
}

TEST_CASE("a foreign store refuses every change, says whose the session is, and names import") {
  TempDir const folder;
  write_file(folder.path() + "/s1.jsonl", a_talk("s1", "hello") + an_answer("s1"));
  auto const before = state_of(folder.path());
  auto const store = sk::open_foreign(folder.path()).value();
  auto const id = sk::SessionId::parse("s1").value();
  std::string const line =
      R"({"type":"message","id":"x","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z"})";
  sk::Append batch;
  batch.records.push_back({"x", "message", line, sk::Parent::root, {}});
  for (auto const& named : {id, sk::SessionId::parse("another").value()}) {
    auto const appended = store->append(named, batch);
    REQUIRE_FALSE(appended.ok());
    CHECK(appended.error().code == sk::Errc::unsupported);
    CHECK_THAT(appended.error().message, Catch::Contains("belongs to Claude Code"));
    CHECK_THAT(appended.error().message, Catch::Contains("sessionkit import " + folder.path()));
  }
  auto const removed = store->remove(id);
  REQUIRE_FALSE(removed.ok());
  CHECK(removed.error().code == sk::Errc::unsupported);
  CHECK_THAT(removed.error().message, Catch::Contains("belongs to Claude Code"));
  CHECK(store->remove(sk::SessionId::parse("another").value()).error().code == sk::Errc::not_found);
  CHECK(state_of(folder.path()) == before);
}

TEST_CASE("the list of a foreign store reads at most the beginning of each file, and counts nothing") {
  std::string talk = a_talk("s1", "hello there") + an_answer("s1");
  for (int i = 0; i < 4000; ++i)
    talk +=
        R"({"type":"mode","mode":"default","sessionId":"s1","filler":"0123456789012345678901234567890123456789"})"
        "\n";
  REQUIRE(talk.size() > std::size_t{3} << 16);
  std::map<std::string, std::uint64_t> furthest;
  auto const store =
      sk::open_foreign(
          std::make_unique<CountingFiles>(
              sk::make_foreign_files({{"p/s1.jsonl", talk}, {"notes.txt", "not a conversation"}}), furthest),
          "memory")
          .value();
  auto const page = store->list({}).value();
  REQUIRE(page.sessions.size() == 1);
  CHECK(page.sessions.front().display_title() == "hello there");
  CHECK(page.sessions.front().cwd == "/home/dev");
  CHECK(page.sessions.front().messages == 0);
  CHECK_FALSE(page.sessions.front().tokens.has_value());
  CHECK(furthest["p/s1.jsonl"] == std::uint64_t{1} << 16);
  CHECK(store->info(page.sessions.front().id)->messages == 2);
  CHECK(furthest["p/s1.jsonl"] == talk.size());
}

TEST_CASE("conversations that share an id have ids of their own, the same each time") {
  std::map<std::string, std::string> const files{{"a/s1.jsonl", a_talk("s1", "short")},
                                                 {"b/s1.jsonl", a_talk("s1", "longer") + an_answer("s1")},
                                                 {"c/a session.jsonl", a_talk("a session", "odd")}};
  std::vector<std::string> first;
  for (int again = 0; again < 2; ++again) {
    auto const store = sk::open_foreign(sk::make_foreign_files(files), "memory").value();
    REQUIRE(store->conversations().size() == 3);
    std::vector<std::string> ids;
    for (auto const& one : store->conversations()) ids.push_back(one.id.str());
    CHECK(ids[1] == "s1"); // the larger file
    CHECK(ids[0].rfind("s1-", 0) == 0);
    CHECK(ids[2].rfind("id-a-session-", 0) == 0);
    CHECK(store->conversations()[0].shares_id);
    CHECK_FALSE(store->conversations()[1].shares_id);
    CHECK_FALSE(store->conversations()[2].shares_id);
    if (again == 0) first = ids;
    CHECK(ids == first);
    for (auto const& one : store->conversations())
      CHECK(lines_in(*store, one.id).front().find("\"id\":\"" + one.id.str() + '"') != std::string::npos);
  }
}

TEST_CASE("a foreign conversation that grew is imported again, and its new name is in its header") {
  TempDir const folder;
  std::string const file = folder.path() + "/s1.jsonl";
  write_file(file, a_talk("s1", "hello"));
  auto const store = sk::open_foreign(file).value();
  auto const id = sk::SessionId::parse("s1").value(), other = sk::SessionId::parse("s2").value();
  CHECK(store->info(id)->messages == 1);
  sk::ReadRange behind;
  behind.from = store->read(id, {})->log_end;
  CHECK(store->read(id, behind)->items().empty());
  write_file(file, a_talk("s1", "hello") + an_answer("s1"));
  CHECK(store->read(id, behind)->items().size() == 1); // as a follower reads it
  CHECK(store->info(id)->messages == 2);
  CHECK(store->rename(other, id).error().code == sk::Errc::not_found);
  REQUIRE(store->rename(id, other).ok());
  CHECK(store->info(id).error().code == sk::Errc::not_found);
  CHECK(store->info(other)->id == other);
  CHECK(lines_in(*store, other).front().find("\"id\":\"s2\"") != std::string::npos);
  CHECK(store->list({})->sessions.front().id == other);
  fs::remove(file);
  CHECK(store->info(other).error().code == sk::Errc::not_found);
}

TEST_CASE("damage of a foreign file is on the first page, from either end, and in the summary") {
  std::string const talk = a_talk("s1", "hello") + "{\"torn\n" + an_answer("s1");
  auto const store = sk::open_foreign(sk::make_foreign_files({{"s1.jsonl", talk}}), "memory").value();
  auto const id = sk::SessionId::parse("s1").value();
  CHECK(store->info(id)->damaged == 1);
  auto const log = sk::load_log(*store, id).value();
  REQUIRE(log.damage.size() == 1);
  CHECK(log.damage.front().offset == a_talk("s1", "hello").size());
  sk::ReadRange newest;
  newest.order = sk::ReadRange::newest_first;
  CHECK(store->read(id, newest)->damage.size() == 1);
  newest.max_records = 1;
  CHECK(store->read(id, newest)->damage.empty());
}

TEST_CASE("a file that is opened alone is read with the files of its program that it names") {
  std::size_t forks = 0;
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    std::string const path = fixture.folder + '/' + fixture.file;
    INFO(path);
    auto const store = sk::open_foreign(path).value();
    REQUIRE(store->conversations().size() == 1);
    auto const& one = store->conversations().front();
    CHECK(store->report(one.id)->damage.empty());
    auto files = sk::open_foreign_files(fixture.folder).value();
    auto const whole = fixture.importer->list(*files, fixture.file).value().front();
    CHECK(one.session.parent == whole.parent);
    sk::Log log = sk::import_log(*fixture.importer, *files, whole).value();
    CHECK(store->info(one.id)->entries + 1 == log.entries.size());
    CHECK(store->info(one.id)->cwd == std::get<sk::Header>(log.entries.front().body).cwd);
    forks += one.importer == &sk::codex_importer() && !store->info(one.id)->parent_session.empty() ? 1U : 0U;
  }
  CHECK(forks > 0);
}

TEST_CASE("what cannot be opened as a foreign store is an error that names the place and the programs") {
  TempDir const folder;
  std::string const& path = folder.path();
  CHECK(sk::open_foreign(path + "/nothing").error().code == sk::Errc::not_found);
  auto const empty = sk::open_foreign(path).error();
  CHECK(empty.code == sk::Errc::unsupported);
  CHECK_THAT(empty.message,
             Catch::Contains(path) && Catch::Contains("Claude Code, Codex, Gemini CLI, opencode"));
  write_file(path + "/notes.jsonl", "{\"type\":\"session\",\"version\":3}\n");
  CHECK(sk::open_foreign(path + "/notes.jsonl").error().code == sk::Errc::unsupported);
  write_file(path + "/s1.jsonl", a_talk("s1", "hello"));
  fs::create_symlink(path + "/s1.jsonl", path + "/link.jsonl");
  CHECK(sk::open_foreign(path + "/link.jsonl").error().code == sk::Errc::unsafe_path);
  CHECK(sk::open_foreign(path).value()->conversations().size() == 1);
  CHECK(sk::open_foreign(path + "//").value()->conversations().size() == 1);
  std::vector<std::string> left_out;
  sk::ForeignStoreOptions options;
  options.on_event = [&](sk::Event const& event) { left_out.push_back(event.message); };
  options.import.limits.max_file = 8;
  CHECK(sk::open_foreign(path, options).error().code == sk::Errc::unsupported);
  CHECK(left_out.size() == 2);
}

TEST_CASE("a file is opened by a relative path as by an absolute one") {
  TempDir const folder;
  fs::create_directories(folder / "projects/p");
  write_file(folder / "projects/p/s1.jsonl", a_talk("s1", "hello"));
  fs::path const before = fs::current_path();
  for (char const* const at : {"", "projects", "projects/p"}) {
    std::string const path = std::string("projects/p/s1.jsonl").substr(*at == '\0' ? 0 : std::strlen(at) + 1);
    INFO(path);
    fs::current_path(folder.path() + "/" + at);
    auto const store = sk::open_foreign(path);
    fs::current_path(before);
    REQUIRE(store.ok());
    REQUIRE((*store)->conversations().size() == 1);
    CHECK((*store)->conversations().front().id.str() == "s1");
  }
}

TEST_CASE("settings and credentials beside conversations are not opened") {
  std::map<std::string, std::string> files{{"projects/p/s1.jsonl", a_talk("s1", "hello")}};
  for (char const* name :
       {".credentials.json", "auth.json", "oauth_creds.json", "settings.local.json", "config.toml",
        "google_accounts.json", "mcp-OAuth-Tokens.json", ".env", "projects/p/api_key.json"})
    files[name] = "{\"secret\":1}";
  std::map<std::string, std::uint64_t> furthest;
  auto const store =
      sk::open_foreign(std::make_unique<CountingFiles>(sk::make_foreign_files(files), furthest), "memory")
          .value();
  CHECK(store->list({})->sessions.size() == 1);
  CHECK(store->info(store->conversations().front().id)->messages == 1);
  CHECK(furthest.size() == 1);
  CHECK(sk::may_be_conversation("auth-refactoring.jsonl"));
}
