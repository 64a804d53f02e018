// SPDX-License-Identifier: MIT
// verify, reindex: check that all data exists and can be found.
#include "alike.hpp"
#include "naming.hpp"
#include "recognising.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <common/text.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

struct Finding {
  std::string file;   ///< or the session
  std::uint64_t line; ///< 1 is the first; 0: not in a file
  sk::Damage damage;
};

std::vector<std::string> transcripts_in(std::string const& root) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".jsonl") paths.push_back(it->path().generic_string());
  if (error == std::errc::no_such_file_or_directory)
    throw Failure{Exit::not_found, "not_found", fmt::format("there is no store in '{}'", root),
                  "name one: --store DIR"};
  if (error) throw system_failure(error, fmt::format("cannot read the directory '{}'", root));
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A subject of the check: a file, or the log of a session that has no file of its own.
struct Subject {
  std::string name; ///< for a file its path
  StorePtr store = nullptr;
  std::optional<sk::SessionId> id = {};
};

std::vector<Subject> files_in(std::string const& root) {
  std::vector<Subject> all;
  for (auto& path : transcripts_in(root)) all.push_back({std::move(path)});
  return all;
}

std::vector<Subject> logs_in(StorePtr const& store) {
  std::vector<Subject> all;
  for (auto const& info : oldest_first(*store)) all.push_back({info.id.str(), store, info.id});
  return all;
}

std::vector<Subject> conversations_in(std::shared_ptr<sk::ForeignStore> const& store) {
  std::vector<Subject> all;
  for (auto const& one : store->conversations()) all.push_back({one.session.file, store, one.id});
  return all;
}

std::vector<Subject> subjects_of(Console& console, Arguments const& args) {
  if (args.session) {
    auto const place = find_place(console, args, *args.session);
    if (!place.path.empty()) return {{place.path}};
    return {{place.id->str(), place.store, place.id}};
  }
  auto const address = store_address(args);
  std::error_code ignored;
  if (!address.chosen && !fs::exists(address.place, ignored)) return {};
  auto const store = open_store(console, args);
  if (auto const theirs = std::dynamic_pointer_cast<sk::ForeignStore>(store ? *store : nullptr))
    return conversations_in(theirs);
  if (!address.is_files()) {
    if (!store && store.error().code == sk::Errc::not_found) fail_no_store(shown(address));
    return logs_in(store.value());
  }
  bool const in_folder = store && (*store)->profile().layout == sk::StoreLayout::transcripts_folder;
  return files_in(in_folder ? address.place + "/transcripts" : address.place);
}

/// Numbers the lines in which the findings begin. They are in file order.
void count_lines(std::string const& path, std::vector<Finding>& findings) {
  if (findings.empty()) return;
  std::ifstream file(fs::path(path), std::ios::binary);
  if (!file) throw system_failure(errno, fmt::format("cannot read '{}'", path));
  std::vector<char> buffer(1 << 18);
  std::uint64_t offset = 0, line = 1;
  auto next = findings.begin();
  while (next != findings.end()) {
    auto const n = static_cast<std::size_t>(
        file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())).gcount());
    for (std::size_t i = 0; i < n && next != findings.end(); ++i, ++offset) {
      while (next != findings.end() && next->damage.offset <= offset) (next++)->line = line;
      if (buffer[i] == '\n') ++line;
    }
    if (n == 0)
      while (next != findings.end()) (next++)->line = line;
  }
}

std::ptrdiff_t count_damage(std::vector<Finding> const& findings) {
  return std::count_if(findings.begin(), findings.end(),
                       [](Finding const& finding) { return is_damage(finding.damage.kind); });
}

/// The findings in one subject.
struct Examined {
  std::vector<Finding> findings = {};
  sk::UnknownLines unknown = {};
};

Examined check_file(Console& console, std::string const& path) {
  auto reader = sk::TranscriptReader::open(path).value();
  refuse_foreign(path); // it would be one finding a line
  Examined seen;
  auto& findings = seen.findings;
  auto const progress = [&](std::uint64_t done, std::uint64_t total) {
    console.progress_within(done, total);
  };
  for (auto& damage : reader.verify(progress, &seen.unknown).value())
    findings.push_back({path, 0, std::move(damage)});
  if (count_damage(findings) == 0) require_transcript(console, path);
  std::stable_sort(findings.begin(), findings.end(),
                   [](Finding const& a, Finding const& b) { return a.damage.offset < b.damage.offset; });
  count_lines(path, findings);
  return seen;
}

/// An engine keeps its rows intact; the check is of their content.
Examined check_log(Subject const& subject) {
  Examined seen;
  auto log = sk::load_log(*subject.store, *subject.id).value();
  for (auto& damage : log.damage) seen.findings.push_back({subject.name, 0, std::move(damage)});
  auto& types = seen.unknown.types;
  for (auto const& entry : log.entries) {
    auto const* unknown = entry.as<sk::Unknown>();
    if (unknown == nullptr) continue;
    ++seen.unknown.count;
    if (std::find(types.begin(), types.end(), unknown->type) == types.end()) types.push_back(unknown->type);
  }
  return seen;
}

template <class F> std::optional<Failure> failure_in(F&& f) {
  try {
    f();
  } catch (Failure const& failure) { return failure; } catch (sk::Exception const& exception) {
    return failure_of(exception.error());
  }
  return std::nullopt;
}

Json json_of(Finding const& finding) {
  return {{"file", finding.file},
          {"line", finding.line},
          {"offset", finding.damage.offset},
          {"length", finding.damage.length},
          {"kind", to_string(finding.damage.kind)},
          {"what", finding.damage.what}};
}

/// The files that were checked, with the result of each.
struct Verdict {
  std::size_t checked = 0, unchecked = 0, damaged = 0, findings = 0; ///< files and places
  std::uint64_t unknown = 0;                                         ///< lines
};

std::string in_store(Arguments const& args, std::string const& file) {
  auto const root = args.session ? std::nullopt : known_store_root(args);
  auto const relative = root ? fs::path(file).lexically_relative(*root).generic_string() : std::string();
  return relative.empty() || relative.substr(0, 2) == ".." ? file : relative;
}

void write_for_people(Console& console, Arguments const& args, std::vector<Finding> const& all) {
  std::vector<Seen> seen;
  for (auto const& finding : all) {
    bool const is_in_file = finding.line != 0;
    seen.push_back({is_damage(finding.damage.kind), to_string(finding.damage.kind),
                    is_in_file ? in_store(args, finding.file) : finding.file,
                    is_in_file ? std::optional(finding.line) : std::nullopt, finding.damage.what});
  }
  write_alike(console, seen);
}

void write(Console& console, Arguments const& args, std::vector<Finding> const& all, Verdict const& verdict) {
  if (console.json()) {
    Json findings = Json::array(), notices = Json::array();
    for (auto const& finding : all)
      (is_damage(finding.damage.kind) ? findings : notices).push_back(json_of(finding));
    console.document("verify@1", {{"files", verdict.checked},
                                  {"unchecked", verdict.unchecked},
                                  {"damaged", verdict.damaged},
                                  {"unknown_lines", verdict.unknown},
                                  {"findings", std::move(findings)},
                                  {"notices", std::move(notices)}});
    return;
  }
  if (console.pretty()) return write_for_people(console, args, all);
  std::vector<std::vector<std::string>> rows;
  rows.reserve(all.size());
  for (auto const& finding : all)
    rows.push_back({is_damage(finding.damage.kind) ? "damage" : "notice", one_line(finding.file),
                    fmt::format("{}", finding.line), fmt::format("{}", finding.damage.offset),
                    fmt::format("{}", finding.damage.length), to_string(finding.damage.kind),
                    one_line(finding.damage.what)});
  console.table({"LEVEL", "FILE", "LINE", "OFFSET", "LENGTH", "KIND", "WHAT"}, rows);
}

/// Complete lines of unknown types are not damage, but they must be reported.
void notice_unknown(Console& console, std::string const& name, sk::UnknownLines const& unknown) {
  if (unknown.count == 0) return;
  std::vector<std::string> types;
  for (auto const& type : unknown.types)
    if (types.size() < 3)
      types.push_back(type.empty() ? "none" : cut(one_line(neutral(std::string(type))), 40));
  console.notice(fmt::format("{}: {} line(s) are of no type that its format has ({}); they are kept and "
                             "never sent",
                             name, unknown.count, fmt::join(types, ", ")));
}

std::string summary_of(Verdict const& verdict, char const* subjects) {
  auto const rest =
      verdict.unchecked == 0 ? std::string{} : fmt::format("; {} could not be checked", verdict.unchecked);
  if (verdict.findings != 0)
    return fmt::format("{} finding(s) in {} of {} {}; nothing was changed{}", verdict.findings,
                       verdict.damaged, verdict.checked, subjects, rest);
  if (verdict.checked == 0 && verdict.unchecked != 0) return "nothing could be checked";
  return fmt::format("{} {} checked, no damage{}", verdict.checked, subjects, rest);
}

}

Exit verify(Console& console, Arguments const& given) {
  Arguments const args = with_foreign_store(given);
  auto const subjects = subjects_of(console, args);
  std::vector<Finding> all;
  Verdict verdict;
  std::optional<Exit> unreadable;
  bool const logs = !subjects.empty() && subjects.front().store;
  std::size_t begun = 0;
  for (auto const& subject : subjects) {
    console.progress(begun++, subjects.size(), logs ? "sessions" : "files");
    Examined seen;
    auto const look = [&] {
      seen = subject.store ? check_log(subject) : check_file(console, subject.name);
      notice_unknown(console, subject.name, seen.unknown);
    };
    if (auto const failure = failure_in(look)) {
      console.show(*failure);
      unreadable = failure->exit;
      ++verdict.unchecked;
      continue; // the others are still checked
    }
    auto& found = seen.findings;
    verdict.unknown += seen.unknown.count;
    auto const count = static_cast<std::size_t>(count_damage(found));
    ++verdict.checked;
    verdict.findings += count;
    verdict.damaged += count != 0 ? 1 : 0;
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  console.progress(subjects.size(), subjects.size());
  std::stable_partition(all.begin(), all.end(), [](auto const& one) { return is_damage(one.damage.kind); });
  write(console, args, all, verdict);
  console.notice(summary_of(verdict, logs ? "session(s)" : "file(s)"));
  return verdict.findings != 0 ? Exit::damage : unreadable.value_or(Exit::ok);
}

Exit reindex(Console& console, Arguments const& args) {
  auto const address = store_address(args);
  auto const progress = [&](std::size_t done, std::size_t total) { console.progress(done, total); };
  auto const reindexed = reindex_store(address, open_options(console, args, false), progress);
  if (!reindexed && reindexed.error().code == sk::Errc::not_found) fail_no_store(shown(address));
  auto const sessions = reindexed.value();
  if (console.json())
    console.document("reindex@1", {{"sessions", sessions}});
  else
    console.write(fmt::format("{}\n", sessions));
  return Exit::ok;
}

}
