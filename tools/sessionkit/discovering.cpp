// SPDX-License-Identifier: MIT
// discover: where other programs keep conversations on this machine.
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/foreign.hpp>
#include <common/text.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

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

/// Pi's sessions are in a folder for each project. Their lines are those of this library, so no importer
/// reads them.
std::vector<std::string> folders_of_pi(std::string const& home) {
  auto base = environment("PI_CODING_AGENT_DIR");
  if (base.empty() && home.empty()) return {};
  if (base.empty()) base = home + "/.pi/agent";
  std::vector<std::string> folders;
  std::error_code failed;
  for (fs::directory_iterator one(base + "/sessions", failed), end; !failed && one != end;
       one.increment(failed))
    if (one->is_directory(failed)) folders.push_back(one->path().generic_string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::string> usual_roots() {
  auto const home = home_folder();
  std::vector<std::string> roots;
  std::error_code ignored;
  for (auto const& folder : folders_of_pi(home)) roots.push_back(folder);
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

constexpr char const* pi = "pi";

/// When the file was last written, in nanoseconds since 1970; 0 if it cannot be asked.
std::int64_t modified_ns(fs::path const& file) {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  struct stat about {};
  return ::stat(file.string().c_str(), &about) == 0 ? std::int64_t{about.st_mtime} * ns_per_second : 0;
}

/// True for a file that begins as a session of pi does.
bool is_of_pi(fs::path const& file) {
  constexpr std::string_view begin = R"({"type":"session",)";
  std::string head(begin.size(), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  return file.extension() == ".jsonl" && head == begin;
}

/// The sessions in a folder of one of pi's projects: `.../agent/sessions/--home-ada-shop--`.
std::optional<Found> found_of_pi(std::string const& root) {
  Found found;
  std::error_code failed;
  auto const name = fs::path(root).filename().string();
  bool const is_project =
      name.size() > 4 && name.substr(0, 2) == "--" && name.substr(name.size() - 2) == "--";
  if (!is_project) return std::nullopt;
  for (fs::directory_iterator one(root, failed), end; !failed && one != end; one.increment(failed)) {
    if (!is_of_pi(one->path())) continue;
    found.program = pi;
    found.place = root;
    ++found.sessions;
    std::error_code ignored;
    if (auto const bytes = fs::file_size(one->path(), ignored); !ignored) found.bytes += bytes;
    found.newest_ns = std::max(found.newest_ns, modified_ns(one->path()));
  }
  return found.sessions == 0 ? std::nullopt : std::optional(std::move(found));
}

std::vector<Found> found_at(Console& console, std::string const& root) {
  if (auto found = found_of_pi(root)) return {*std::move(found)};
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
  auto const of_pi = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](Found const& found) { return found.program == pi; }));
  if (all.empty()) console.notice("no conversation of another program was found");
  if (of_pi != all.size())
    console.notice("list them: sessionkit ls PLACE; copy them: sessionkit import PLACE");
  if (of_pi != 0) console.notice("pi's: sessionkit ls PLACE; copy them: sessionkit import PLACE/*.jsonl");
  return Exit::ok;
}

}
