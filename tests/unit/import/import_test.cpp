// SPDX-License-Identifier: MIT
// What holds for every importer: files that grow, damage, and names that leave the root.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/exports.hpp"
#include "support/foreign_fixtures.hpp"

#include <sessionkit/foreign_store.hpp>
#include <sessionkit/import.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

TEST_CASE("a file that grows adds entries to those that were imported and changes none") {
  std::map<std::string_view, std::size_t> prefixes, held;
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    std::string const bytes = fixture.bytes();
    ForeignReader reader(fixture);
    reader.options.finished = false;
    std::vector<std::string> before;
    for (std::size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', end + 1)) {
      sk::ImportReport report;
      auto lines = reader.lines(bytes.substr(0, end + 1), &report);
      if (!lines) continue; // no line of a conversation yet
      INFO(fixture.folder << '/' << fixture.file << " up to " << end);
      REQUIRE(lines->size() >= before.size());
      REQUIRE(std::equal(before.begin(), before.end(), lines->begin()));
      before = std::move(*lines);
      ++prefixes[fixture.importer->name];
      held[fixture.importer->name] += report.held_back != 0 ? 1U : 0U;
    }
    reader.options.finished = true;
    auto const whole = reader.lines(bytes);
    REQUIRE(whole.ok());
    std::set<std::string> const all(whole->begin(), whole->end());
    for (std::string const& line : before) CHECK(all.count(line) == 1);
  }
  for (auto const& one : prefixes)
    std::cout << one.first << ": " << one.second << " prefixes, something held back in " << held[one.first]
              << '\n';
  CHECK(prefixes.size() + 3
        == sk::known_importers().size()); // opencode, ATIF and blades have their own tests
}

TEST_CASE(
    "files that a kill left, and the files that the program made of them, begin with the same entries") {
  std::map<std::string_view, std::size_t> pairs;
  for (ForeignFixture const& killed : foreign_fixtures()) {
    if (killed.file.rfind("afterkill/", 0) != 0) continue;
    std::string const name = fs::path(killed.file).filename().string();
    for (ForeignFixture const& later : foreign_fixtures()) {
      if (later.folder != killed.folder || later.file == killed.file) continue;
      if (fs::path(later.file).filename().string() != name) continue;
      INFO(killed.name());
      auto before = ForeignReader(killed).lines(killed.bytes()).value();
      auto const after = ForeignReader(later).lines(later.bytes()).value();
      before.front() = after.front(); // the killed one is in another folder, which may name the project
      REQUIRE(after.size() >= before.size());
      CHECK(std::equal(before.begin(), before.end(), after.begin()));
      ++pairs[killed.importer->name];
    }
  }
  for (auto const& one : pairs) std::cout << one.first << ": " << one.second << " pairs of files\n";
  CHECK(pairs.size() + 3 == sk::known_importers().size()); // opencode, ATIF and blades have their own tests
}

TEST_CASE("a bad line of a foreign file costs only itself and is located") {
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    std::string bytes = fixture.bytes();
    ForeignReader reader(fixture);
    std::size_t const end = bytes.find('\n') + 1;
    auto const good = reader.lines(bytes);
    bytes.insert(end, "{\"type\":\n");
    sk::ImportReport report;
    auto const lines = reader.lines(bytes, &report);
    REQUIRE((good.ok() && lines.ok()));
    CHECK(lines->size() == good->size());
    REQUIRE(report.damage.size() == 1);
    CHECK(report.damage.front().offset == end);
    CHECK(report.damage.front().kind == sk::DamageKind::bad_json);
  }
}

TEST_CASE("each conversation of the fixtures is recognised by exactly one importer, under another name too") {
  std::map<std::string_view, std::size_t> claimed;
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    if (!entry.is_regular_file()) continue;
    std::string const name = entry.path().filename().string(), bytes = read_file(entry.path().string());
    std::string const path = entry.path().generic_string();
    bool const beside = path.find("/storage/") != std::string::npos // opencode's messages and parts
                        && path.find("/storage/session/") == std::string::npos;
    bool const database = name.find(".db") != std::string::npos; // of the SQLite component
    bool const conversation = name.rfind("resume", 0) != 0 && name != "session_index.jsonl"
                              && name.find(".meta.") == std::string::npos && name != "get_items.json"
                              && !beside && !database;
    for (std::string const& as : {name, "other" + entry.path().extension().string()})
      for (std::string const& begin : {bytes.substr(0, 65536), "\xEF\xBB\xBF" + bytes.substr(0, 65000)}) {
        std::size_t count = 0;
        for (sk::Importer const* importer : sk::known_importers())
          if (importer->recognises(as, begin)) ++count, ++claimed[importer->name];
        INFO(entry.path() << " as " << as);
        CHECK(count == (conversation ? 1U : 0U));
      }
  }
  for (auto const& one : claimed) std::cout << one.first << ": " << one.second / 4 << " files recognised\n";
  for (sk::Importer const* importer : sk::known_importers())
    for (char const* begin : {"", "{}", "{", "\xEF\xBB\xBF", "text\n", "[]\n", "{\"sessionId\":1}\n"})
      for (char const* name : {"a.jsonl", "a.json", "a"}) CHECK_FALSE(importer->recognises(name, begin));
}

TEST_CASE("foreign files are read only below their root and never through a symbolic link") {
  TempDir const folder;
  fs::create_directories(folder / "root/sub");
  write_file(folder / "secret", "s");
  write_file(folder / "root/sub/a", "abc");
  fs::create_symlink(folder / "secret", folder / "root/link");
  fs::create_directory_symlink(folder.path(), folder / "root/up");
  auto const files = sk::open_foreign_files(folder / "root").value();
  CHECK(files->list("").value() == std::vector<std::string>{"sub/"});
  CHECK(files->read("sub/a", 1, 10).value() == "bc");
  CHECK_FALSE(files->read("link", 0, 10).ok());
  CHECK_FALSE(files->read("up/secret", 0, 10).ok());
  for (char const* name : {"../secret", "sub/../../secret", "/etc/passwd", "", "sub//a", "./sub/a"})
    CHECK(files->read(name, 0, 10).error().code == sk::Errc::unsafe_path);
  CHECK(files->size("none").error().code == sk::Errc::not_found);
  CHECK_FALSE(sk::open_foreign_files(folder / "root/up").ok());
  sk::ImportLimits limits;
  limits.max_file = 2;
  CHECK(sk::open_foreign_files(folder / "root", limits).value()->size("sub/a").error().code
        == sk::Errc::unsupported);
}

TEST_CASE("a Codex fork that names itself or a thread that is not there is read without it, and says so") {
  std::string const id = "01a20036-abb4-7112-b58a-d0227eaf4c36";
  for (std::string const& base : {id, std::string("../../../etc/passwd"), std::string("x")}) {
    auto files = sk::make_foreign_files(
        {{"s/rollout-1-" + id + ".jsonl",
          R"({"timestamp":"2026-11-21T22:25:12.645Z","type":"session_meta","payload":{"id":")" + id
              + R"(","history_base":{"thread_id":")" + base
              + R"(","end_ordinal_exclusive":9}}})"
                "\n"
              + R"({"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}})"
                "\n"}});
    auto const sessions = sk::codex_importer().list(*files, "s/rollout-1-" + id + ".jsonl").value();
    auto const log = sk::import_log(sk::codex_importer(), *files, sessions.front()).value();
    CHECK(log.entries.size() == 2);
    REQUIRE(log.damage.size() == 1);
    CHECK(log.damage.front().kind == sk::DamageKind::missing_parent);
  }
}

TEST_CASE("a thread of Codex has the last name that a person gave it") {
  std::string const id = "01a20036-abb4-7112-b58a-d0227eaf4c36";
  std::string const file = "sessions/2026/11/21/rollout-1-" + id + ".jsonl";
  auto const name = [](std::string const& thread, std::string const& text) {
    return R"({"id":")" + thread + R"(","thread_name":")" + text + R"(","updated_at":"2026-11-21T22:25:12Z"})"
           + '\n';
  };
  auto files = sk::make_foreign_files(
      {{file,
        R"({"timestamp":"2026-11-21T22:25:12.645Z","type":"session_meta","payload":{"id":")" + id
            + R"(","cwd":"/w"}})"
              "\n"
            + R"({"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}})"
              "\n"},
       {"session_index.jsonl",
        name(id, "first") + name("another", "x") + "no JSON\n" + name(id, "the walk")}});
  auto const session = sk::codex_importer().list(*files, file).value().front();
  CHECK(session.title == "the walk");
  auto const log = sk::import_log(sk::codex_importer(), *files, session).value();
  CHECK(log.damage.empty());
  REQUIRE(log.entries.back().as<sk::TitleChange>());
  CHECK(log.entries.back().as<sk::TitleChange>()->title == "the walk");
  CHECK(log.entries.back().as<sk::TitleChange>()->by_person);
  CHECK(log.entries.back().parent == log.entries[1].id); // which stays the end of the path
  sk::ImportOptions growing;
  growing.finished = false; // a later name would change the entry
  CHECK(sk::import_log(sk::codex_importer(), *files, session, growing)->entries.size()
        == log.entries.size() - 1);

  auto const store = sk::open_foreign(std::move(files), "memory").value();
  auto const row = store->list({}).value().sessions.at(0);
  CHECK(row.title == "the walk");
  CHECK(row.cwd == "/w");
}

namespace {

// The longest run of characters of base64: as a provider writes it, and never a word of a text.
std::string opaque_part(std::string const& signature) {
  constexpr char const* base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=";
  std::string longest;
  for (std::size_t at = 0; at < signature.size();) {
    std::size_t const end = std::min(signature.find_first_not_of(base64, at), signature.size());
    if (end - at > longest.size()) longest = signature.substr(at, end - at);
    at = end + 1;
  }
  return longest;
}

struct Signed {
  std::string opaque, model, api;
};

std::vector<Signed> signatures_in(sk::Context const& context) {
  std::vector<Signed> found;
  for (sk::Entry const& entry : context.entries) {
    auto const* const message = entry.as<sk::Message>();
    if (!message || !message->generation) continue;
    for (sk::Part const& part : message->parts) {
      std::string signature;
      if (auto const* const thinking = std::get_if<sk::Thinking>(&part)) signature = thinking->signature;
      if (auto const* const text = std::get_if<sk::Text>(&part)) signature = text->signature;
      if (auto const* const call = std::get_if<sk::ToolUse>(&part)) signature = call->signature;
      if (std::string opaque = opaque_part(signature); opaque.size() >= 8)
        found.push_back({std::move(opaque), message->generation->model, message->generation->api});
    }
  }
  return found;
}

bool sends(sk::Context const& context, sk::Provider provider, Signed const& one, std::string const& model) {
  sk::Target target;
  target.provider = provider;
  target.model = model;
  sk::RequestParts const request = sk::encode(sk::HistoryRebuilder(target).rebuild(context), target);
  return (request.system + request.messages).find(one.opaque) != std::string::npos;
}

}

TEST_CASE("a signature and encrypted reasoning are sent to the provider and model that made them only") {
  constexpr sk::Provider providers[] = {sk::Provider::anthropic, sk::Provider::openai_chat,
                                        sk::Provider::openai_responses, sk::Provider::gemini};
  std::map<std::string, std::size_t> at_home, seen;
  for (StoredSession const& session : imported_sessions()) {
    sk::Context const context = sk::load_context(*session.store, session.id).value();
    for (Signed const& one : signatures_in(context)) {
      CAPTURE(session.name, one.opaque, one.model, one.api);
      ++seen[session.program];
      std::size_t homes = 0;
      for (sk::Provider const provider : providers) {
        CHECK_FALSE(sends(context, provider, one, "another-model"));
        homes += sends(context, provider, one, one.model) ? 1U : 0U;
      }
      CHECK(homes <= 1);
      at_home[session.program] += homes;
    }
  }
  for (auto const& [program, count] : seen)
    std::cout << program << ": " << count << " signatures, " << at_home[program]
              << " of them are sent to their own model, 0 elsewhere\n";
  for (char const* program : {"claude-code", "codex", "opencode"}) CHECK(at_home[program] >= 4);
}
