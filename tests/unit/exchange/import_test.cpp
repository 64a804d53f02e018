// SPDX-License-Identifier: MIT
// What holds for every importer: files that grow, damage, and names that leave the root.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>

#include <filesystem>
#include <iostream>
#include <map>
#include <random>
#include <set>

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

struct Fixture {
  sk::Importer const* importer;
  std::string folder, file; ///< the file's name below the folder
};

// The logs of all fixtures, those that a kill left too.
std::vector<Fixture> fixtures() {
  std::vector<Fixture> found;
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    if (!entry.is_regular_file()) continue;
    auto const relative = entry.path().lexically_relative(data("interchange"));
    auto const part = relative.begin();
    fs::path const scenario = *part / *std::next(part);
    std::string const folder = data("interchange") + "/" + scenario.string();
    std::string const file = relative.lexically_relative(scenario).string();
    auto files = sk::open_foreign_files(folder).value();
    auto const importer = sk::find_importer(sk::known_importers(), *files, file).value();
    if (importer) found.push_back({importer, folder, file});
  }
  return found;
}

// All files of a scenario in memory, the log with other bytes.
std::map<std::string, std::string> files_with(Fixture const& fixture, std::string bytes) {
  std::map<std::string, std::string> files;
  for (auto const& entry : fs::recursive_directory_iterator(fixture.folder))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl")
      files[entry.path().lexically_relative(fixture.folder).string()] = read_file(entry.path().string());
  files[fixture.file] = std::move(bytes);
  return files;
}

sk::Result<std::vector<std::string>> lines_of(Fixture const& fixture, std::string bytes, bool finished,
                                              sk::ImportReport* report = nullptr) {
  auto files = sk::make_foreign_files(files_with(fixture, std::move(bytes)));
  auto const sessions = fixture.importer->list(*files, fixture.file);
  if (!sessions) return sessions.error();
  sk::ImportOptions options;
  options.finished = finished;
  auto const log = sk::import_log(*fixture.importer, *files, sessions->front(), options, report);
  if (!log) return log.error();
  std::vector<std::string> lines;
  std::set<std::string> ids;
  for (sk::Entry const& entry : log->entries) {
    CHECK((entry.link != sk::Parent::entry || ids.count(entry.parent.str()) == 1)); // each after its parent
    if (!entry.as<sk::Header>()) CHECK(ids.insert(entry.id.str()).second);
    auto const encoded = sk::native_dialect().encode(entry, lines.emplace_back());
    CHECK(encoded.ok());
  }
  return lines;
}

std::string mutated(std::string bytes, std::mt19937& random) {
  auto const below = [&](std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    std::size_t const at = below(bytes.size());
    std::size_t const line = bytes.rfind('\n', at) + 1,
                      end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    switch (below(6)) {
    case 0: bytes[at] = static_cast<char>(below(256)); break;
    case 1: bytes.erase(at, below(40)); break;
    case 2: bytes.insert(at, std::string(1 + below(5), "\"{}[]:,0\\n"[below(9)])); break;
    case 3: bytes.erase(line, end - line); break;
    case 4: bytes.insert(line, bytes.substr(line, end - line)); break;
    case 5:
      bytes.insert(below(bytes.size()), bytes.substr(line, std::min<std::size_t>(end - line, 60)));
      break;
    }
    if (bytes.empty()) break;
  }
  return bytes;
}

}

TEST_CASE("a file that grows adds entries to those that were imported and changes none") {
  std::map<std::string_view, std::size_t> prefixes, held;
  for (Fixture const& fixture : fixtures()) {
    std::string const bytes = read_file(fixture.folder + "/" + fixture.file);
    std::vector<std::string> before;
    for (std::size_t end = bytes.find('\n'); end != std::string::npos; end = bytes.find('\n', end + 1)) {
      sk::ImportReport report;
      auto lines = lines_of(fixture, bytes.substr(0, end + 1), false, &report);
      if (!lines) continue; // no line of a conversation yet
      INFO(fixture.folder << '/' << fixture.file << " up to " << end);
      REQUIRE(lines->size() >= before.size());
      REQUIRE(std::equal(before.begin(), before.end(), lines->begin()));
      before = std::move(*lines);
      ++prefixes[fixture.importer->name];
      held[fixture.importer->name] += report.held_back != 0 ? 1U : 0U;
    }
    auto const whole = lines_of(fixture, bytes, true);
    REQUIRE(whole.ok());
    std::vector<std::string> rest;
    std::set<std::string> const all(whole->begin(), whole->end());
    for (std::string const& line : before) CHECK(all.count(line) == 1);
  }
  for (auto const& one : prefixes)
    std::cout << one.first << ": " << one.second << " prefixes, something held back in " << held[one.first]
              << '\n';
  CHECK(prefixes.size() == sk::known_importers().size());
}

TEST_CASE("a conversation that is cut or mutated is imported as far as it is good, or refused") {
  std::mt19937 random(20261124);
  std::map<std::string_view, std::size_t> runs, refused, refound;
  auto const all = fixtures();
  for (std::size_t i = 0; i < 1500; ++i) {
    Fixture const& fixture = all[i % all.size()];
    std::string bytes = read_file(fixture.folder + "/" + fixture.file);
    if (i % 3 == 0)
      bytes.resize(std::uniform_int_distribution<std::size_t>(0, bytes.size())(random));
    else
      bytes = mutated(std::move(bytes), random);
    sk::ImportReport report;
    auto const lines = lines_of(fixture, bytes, i % 2 == 0, &report);
    ++runs[fixture.importer->name];
    if (!lines) {
      ++refused[fixture.importer->name];
      CHECK(lines.error().message.find(fixture.file) != std::string::npos);
    }
    for (sk::Damage const& one : report.damage) CHECK(one.offset <= bytes.size());
  }
  for (auto const& one : runs)
    std::cout << one.first << ": " << one.second << " runs, " << refused[one.first] << " refused\n";
}

TEST_CASE("a bad line of a foreign file costs only itself and is located") {
  for (Fixture const& fixture : fixtures()) {
    std::string bytes = read_file(fixture.folder + "/" + fixture.file);
    std::size_t const end = bytes.find('\n') + 1;
    auto const good = lines_of(fixture, bytes, true);
    bytes.insert(end, "{\"type\":\n");
    sk::ImportReport report;
    auto const lines = lines_of(fixture, bytes, true, &report);
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
    bool const conversation = name.rfind("resume", 0) != 0 && name != "session_index.jsonl"
                              && name.find(".meta.") == std::string::npos;
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
