// SPDX-License-Identifier: MIT
// discover: where other programs keep conversations on this machine.
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/foreign.hpp>
#include <common/text.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

/// Where a program keeps its conversations: below the folder that a variable names, or else below HOME. The
/// places are those that docs/interchange.md lists.
struct Usual {
  char const* variable;
  char const* home;  ///< the folder if the variable is not set
  char const* below; ///< in either of them
};
constexpr Usual usual_places[] = {{"CLAUDE_CONFIG_DIR", ".claude", "projects"},
                                  {"CODEX_HOME", ".codex", "sessions"},
                                  {"CODEX_HOME", ".codex", "archived_sessions"},
                                  {"", ".gemini", "tmp"},
                                  {"XDG_DATA_HOME", ".local/share", "opencode/storage/session"},
                                  {"XDG_DATA_HOME", ".local/share", "opencode/opencode.db"}};

std::vector<std::string> usual_roots() {
  auto const home = home_folder();
  std::vector<std::string> roots;
  std::error_code ignored;
  for (auto const& usual : usual_places) {
    auto base = *usual.variable != '\0' ? environment(usual.variable) : std::string{};
    if (base.empty() && home.empty()) continue;
    if (base.empty()) base = home + "/" + usual.home;
    auto root = base + "/" + usual.below;
    if (fs::exists(root, ignored)) roots.push_back(std::move(root));
  }
  return roots;
}

/// The conversations of one program at one place.
struct Found {
  std::string program, place;
  std::size_t sessions = 0;
  std::uint64_t bytes = 0; ///< of their files
  std::int64_t newest_ns = 0;
  std::set<std::string> files = {};
};

std::string newest_of(Found const& found) {
  constexpr std::int64_t ns_per_ms = 1'000'000;
  return sk::to_rfc3339(sk::from_unix_ms(found.newest_ns / ns_per_ms));
}

std::vector<Found> found_at(Console& console, std::string const& root) {
  sk::ForeignStoreOptions options;
  options.on_event = [&](sk::Event const& event) { console.notice(root + "/" + event.message); };
  auto const opened = open_foreign_store(root, options);
  if (!opened && opened.error().code == sk::Errc::unsupported) return {}; // of no program
  auto const& store = opened.value();
  std::map<std::string_view, Found> programs;
  std::error_code ignored;
  bool const is_folder = fs::is_directory(root, ignored);
  for (auto const& one : store->conversations()) {
    auto& found = programs[one.importer->program];
    found.program = one.importer->program;
    found.place = root;
    ++found.sessions;
    found.newest_ns = std::max(found.newest_ns, one.modified_ns);
    if (!found.files.insert(one.session.file).second) continue;
    auto const bytes = fs::file_size(is_folder ? fs::path(root) / one.session.file : fs::path(root), ignored);
    if (!ignored) found.bytes += bytes;
  }
  std::vector<Found> all;
  all.reserve(programs.size());
  for (auto& program : programs) all.push_back(std::move(program.second));
  return all;
}

void write(Console& console, std::vector<std::string> const& roots, std::vector<Found> const& all) {
  if (console.json()) {
    Json rows = Json::array();
    for (auto const& found : all)
      rows.push_back({{"program", found.program},
                      {"sessions", found.sessions},
                      {"bytes", found.bytes},
                      {"newest", newest_of(found)},
                      {"place", found.place}});
    return console.document("discover@1", {{"roots", roots}, {"found", std::move(rows)}});
  }
  std::vector<std::vector<std::string>> rows;
  rows.reserve(all.size());
  for (auto const& found : all)
    rows.push_back({found.program, fmt::format("{}", found.sessions), fmt::format("{}", found.bytes),
                    newest_of(found), one_line(found.place)});
  console.table({"PROGRAM", "SESSIONS", "BYTES", "NEWEST", "PLACE"}, rows);
}

}

Exit discover(Console& console, Arguments const& args) {
  auto const roots = args.files.empty() ? usual_roots() : args.files;
  std::error_code ignored;
  for (auto const& root : roots)
    if (!fs::exists(root, ignored))
      throw Failure{Exit::not_found, "not_found", fmt::format("there is no file or folder '{}'", root),
                    "name files or folders, or none for the usual places"};
  std::vector<Found> all;
  for (auto const& root : roots)
    for (auto& found : found_at(console, root)) all.push_back(std::move(found));
  write(console, roots, all);
  console.notice(all.empty() ? "no conversation of another program was found"
                             : "list them: sessionkit ls PLACE; copy them: sessionkit import PLACE");
  return Exit::ok;
}

}
