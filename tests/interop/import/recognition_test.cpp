// SPDX-License-Identifier: MIT
// Whose a file is: each file of every fixture is claimed by one importer or dialect, or by none.
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/dialect.hpp>
#include <sessionkit/import.hpp>
#include <sessionkit/sqlite/sqlite_import.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace fs = std::filesystem;
namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

constexpr std::size_t begin_bytes = std::size_t{64} << 10;

sk::Importers all_importers() {
  auto all = sk::known_importers();
  for (auto const* one : sk::known_sqlite_importers()) all.push_back(one);
  return all;
}

// The importers that claim a file by its beginning, or, if none does, by a look into it; and the dialects of
// its first lines.
std::vector<std::string> claims(std::string const& name, std::string const& bytes, std::string const& log) {
  std::map<std::string, std::string> all{{name, bytes}};
  if (!log.empty()) all[name + "-wal"] = log;
  auto const files = sk::make_foreign_files(all);
  std::string const begin = bytes.substr(0, begin_bytes);
  std::vector<std::string> found;
  for (auto const* one : all_importers())
    if (one->recognises(name, begin)) found.emplace_back(one->name);
  if (found.empty())
    for (auto const* one : all_importers())
      if (one->looks_into && one->looks_into(*files, name).value()) found.emplace_back(one->name);
  std::size_t at = 0;
  for (int line = 0; line < 16 && at < begin.size(); ++line) {
    std::size_t const end = std::min(begin.find('\n', at), begin.size());
    auto const* const dialect = sk::detect_dialect(std::string_view(begin).substr(at, end - at));
    if (dialect && std::find(found.begin(), found.end(), std::string(dialect->name)) == found.end())
      found.emplace_back(dialect->name);
    at = end + 1;
  }
  return found;
}

// `log` is the `-wal` of a database, which may have all that it says.
std::string claim(std::string const& name, std::string const& bytes, std::string const& log = {}) {
  auto const found = claims(name, bytes, log);
  CHECK(found.size() <= 1);
  return found.empty() ? "(nobody)" : found.front();
}

// The program that wrote a fixture's file, by the place where it is; empty: it is no conversation of it.
std::string owner(fs::path const& relative) {
  std::string const program = relative.begin()->string(), name = relative.filename().string();
  std::string const extension = relative.extension().string(),
                    folder = relative.parent_path().filename().string();
  if (name.rfind("resume", 0) == 0 || name == "get_items.json") return {};
  if (program.rfind("claude-code", 0) == 0) return extension == ".jsonl" ? "claude-code" : "";
  if (program.rfind("codex", 0) == 0) return name.rfind("rollout-", 0) == 0 ? "codex" : "";
  if (program.rfind("gemini-cli", 0) == 0) return name.rfind("session-", 0) == 0 ? "gemini-cli" : "";
  if (program.rfind("openai-agents", 0) == 0) return extension == ".db" ? "openai-agents" : "";
  if (program.rfind("blades", 0) == 0) return "blades";
  if (extension == ".db") return "opencode-sqlite";
  bool const in_session = relative.string().find("/storage/session/") != std::string::npos;
  return in_session && extension == ".json" ? "opencode" : "";
}

struct Fixture {
  std::string name, bytes, owner, log = {};
};

std::vector<Fixture> fixtures() {
  std::vector<Fixture> all;
  for (auto const& entry : fs::recursive_directory_iterator(data("interchange"))) {
    if (!entry.is_regular_file()) continue;
    fs::path const relative = entry.path().lexically_relative(data("interchange"));
    all.push_back({relative.string(), read_file(entry.path().string()), owner(relative)});
    std::string const log = entry.path().string() + "-wal";
    if (fs::exists(log)) all.back().log = read_file(log);
  }
  return all;
}

}

TEST_CASE("each file of the fixtures is claimed by the importer of its program, or by nobody") {
  std::map<std::string, std::size_t> counts;
  for (Fixture const& one : fixtures()) {
    INFO(one.name);
    std::string const found = claim(one.name, one.bytes, one.log);
    CHECK(found == (one.owner.empty() ? "(nobody)" : one.owner));
    ++counts[found];
  }
  for (auto const& [name, count] : counts) std::cout << name << ": " << count << " files\n";
  CHECK(counts.size()
        == all_importers().size()); // with nobody, and without ATIF: no program writes it by itself
}

TEST_CASE("a transcript of ours is claimed by no importer") {
  std::size_t files = 0;
  for (char const* folder :
       {"pi", "flat", "flat-v2", "bare", "moving", "openclaw", "seeds", "zeroclaw", "go-systems"})
    for (auto const& entry : fs::recursive_directory_iterator(data(folder))) {
      if (!entry.is_regular_file()) continue;
      INFO(entry.path());
      std::string const bytes = read_file(entry.path().string()), name = entry.path().filename().string();
      bool const theirs = std::string(folder) == "moving" && name == "blades.json"; // no transcript
      for (auto const* one : all_importers())
        CHECK(one->recognises(name, bytes.substr(0, begin_bytes))
              == (theirs && one == &sk::blades_importer()));
      ++files;
    }
  CHECK(files > 100);
}

TEST_CASE("each fixture is recognised under another name, in another folder") {
  for (Fixture const& one : fixtures()) {
    if (one.owner.empty()) continue;
    INFO(one.name);
    std::string const extension = fs::path(one.name).extension().string();
    CHECK(claim("a file" + extension, one.bytes, one.log) == one.owner);
    CHECK(claim("deep/er/2026" + extension, one.bytes, one.log) == one.owner);
  }
}

TEST_CASE(
    "a byte order mark, a first line of any kind, one line and an empty file change no owner for another") {
  std::map<std::string, std::map<std::string, std::size_t>> kept, all;
  for (Fixture const& one : fixtures()) {
    if (one.owner.empty() || fs::path(one.name).extension() == ".db") continue;
    INFO(one.name);
    auto const look = [&](char const* what, std::string const& bytes) {
      std::string const found = claim(one.name, bytes);
      CHECK((found == one.owner || found == "(nobody)"));
      kept[what][one.owner] += found == one.owner ? 1U : 0U;
      ++all[what][one.owner];
    };
    look("a byte order mark", "\xef\xbb\xbf" + one.bytes);
    look("one line", one.bytes.substr(0, one.bytes.find('\n')));
    for (char const* line :
         {"{\"type\":\"of a newer version\"}\n", "{\"a\":1}\n", "not json\n", "\n", "[]\n"})
      look("another first line", line + one.bytes);
    CHECK(claim(one.name, "") == "(nobody)");
    CHECK(claim(one.name, "\n\n") == "(nobody)");
  }
  for (auto const& [what, programs] : kept)
    for (auto const& [program, count] : programs)
      std::cout << what << ", " << program << ": " << count << " of " << all[what][program]
                << " still recognised\n";
  for (auto const& [program, count] : kept["a byte order mark"])
    CHECK(count == all["a byte order mark"][program]);
}
