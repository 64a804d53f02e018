// SPDX-License-Identifier: MIT
// cp: sessions from one store into another.
#include "copying.hpp"
#include "recognising.hpp"

#include <sessionkit/memory_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/foreign.hpp>
#include <common/text.hpp>
#include <filesystem>
#include <map>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

Side open_source(Console& console, Arguments const& args) {
  auto const address = parse_address(args.source);
  auto const options = open_options(console, args);
  std::error_code ignored;
  bool const is_file = address.is_files() && std::filesystem::is_regular_file(address.place, ignored);
  if (is_file && !program_of_store(address)) {
    refuse_database(address.place);
    require_transcript(console, address.place);
    return {open_transcript(options, address.place), address.place};
  }
  auto store = open_store(address, options);
  if (!store && store.error().code == sk::Errc::not_found)
    throw Failure{Exit::not_found, "not_found", fmt::format("there is no store in '{}'", shown(address)),
                  "name the store first, then the new one, then its sessions: sessionkit cp SRC DST SESSION"};
  return {std::move(store).value(), shown(address)};
}

/// Each session once, even if it is given several times or by several names.
std::vector<sk::SessionInfo> sessions_to_copy(Arguments const& args, Side const& from) {
  if (args.sessions.empty()) return oldest_first(*from.store);
  std::vector<sk::SessionInfo> all;
  for (auto const& name : args.sessions) {
    auto const id = find_in_store(*from.store, name, from.name);
    bool const again = std::any_of(all.begin(), all.end(), [&](auto const& one) { return one.id == id; });
    if (!again) all.push_back(from.store->info(id).value());
  }
  return all;
}

char const* result_of(sk::CopyState before, bool dry_run) {
  if (dry_run) return to_string(before);
  switch (before) {
  case sk::CopyState::missing: return "copied";
  case sk::CopyState::behind: return "completed";
  case sk::CopyState::same: return "same";
  case sk::CopyState::ahead: return "ahead";
  case sk::CopyState::different: return "different";
  }
  return "";
}

sk::CopiedLog compared(Side const& from, Side const& to, sk::SessionId const& id,
                       sk::CopyProgress const& progress) {
  auto const both = sk::compare_logs(*from.store, *to.store, id, {}, progress).value();
  sk::CopiedLog log;
  log.before = log.after = both.state;
  log.lines = both.lines;
  return log;
}

}

Side open_target(Console& console, Arguments const& args, StoreAddress const& address) {
  if (auto const program = program_of_store(address))
    throw failure_of(refusal_to_write(address.place, *program));
  auto store = open_store(address, open_options(console, args, !args.dry_run));
  bool const to_be_made = args.dry_run && !store && store.error().code == sk::Errc::not_found;
  return {to_be_made ? sk::make_memory_store() : std::move(store).value(), shown(address)};
}

Copy copy_one(Arguments const& args, Side const& from, Side const& to, sk::SessionId const& id,
              sk::CopyProgress const& progress) {
  Copy copy{id, "failed"};
  try {
    copy.log = args.dry_run ? compared(from, to, id, progress)
                            : sk::copy_session(*from.store, *to.store, id, progress).value();
    copy.result = result_of(copy.log.before, args.dry_run);
  } catch (sk::Exception const& exception) { copy.failure = failure_of(exception.error()); }
  return copy;
}

void notice(Console& console, Copy const& copy, Side const& to) {
  auto const& log = copy.log;
  auto const tell = [&](std::string const& what) { console.notice(copy.id.str() + ": " + what); };
  if (copy.failure) console.show(*copy.failure);
  if (copy.result == "ahead") tell(fmt::format("'{}' has more lines; it stays unchanged", to.name));
  if (copy.result == "different")
    tell(fmt::format("'{}' has another session of this name, from line {} on; it stays unchanged", to.name,
                     log.lines + 1));
  if (log.damaged != 0)
    tell(fmt::format("{} damaged place(s) are not copied; see: sessionkit verify", log.damaged));
  if (!log.losses.empty())
    tell(fmt::format("the copy's {} differ(s): the source has it only in an index",
                     fmt::join(log.losses, ", ")));
  if (log.written != 0 && log.after == sk::CopyState::behind)
    tell("somebody wrote to it in the meantime; run the command again");
}

std::vector<std::string> row_of(Copy const& copy) {
  return {copy.id.str(), copy.result, fmt::format("{}", copy.log.lines), fmt::format("{}", copy.log.written)};
}

Json json_of(Copy const& copy) {
  return {{"id", copy.id.str()},         {"result", copy.result},       {"lines", copy.log.lines},
          {"written", copy.log.written}, {"damaged", copy.log.damaged}, {"losses", copy.log.losses}};
}

std::string summary_of(std::vector<Copy> const& copies, bool dry_run) {
  std::map<std::string, std::size_t> counts;
  for (auto const& copy : copies) ++counts[copy.result];
  std::string text = fmt::format("{} session(s)", copies.size());
  for (auto const& [result, count] : counts) text += fmt::format(", {} {}", count, result);
  return text + (dry_run ? "; nothing was copied" : "");
}

Exit exit_of(std::vector<Copy> const& copies) {
  auto exit = Exit::ok;
  for (auto const& copy : copies) {
    if (copy.failure) return copy.failure->exit;
    if (copy.result == "different")
      exit = Exit::conflict;
    else if (exit == Exit::ok && (copy.log.damaged != 0 || !copy.log.losses.empty()))
      exit = Exit::damage;
  }
  return exit;
}

namespace {

void write(Console& console, Arguments const& args, Side const& from, Side const& to,
           std::vector<Copy> const& copies) {
  if (!console.json()) {
    std::vector<std::vector<std::string>> rows;
    rows.reserve(copies.size());
    for (auto const& copy : copies) rows.push_back(row_of(copy));
    return console.table({"SESSION", "RESULT", "LINES", "WRITTEN"}, rows);
  }
  Json list = Json::array();
  for (auto const& copy : copies) list.push_back(json_of(copy));
  console.document(
      "cp@1",
      {{"from", from.name}, {"to", to.name}, {"dry_run", args.dry_run}, {"sessions", std::move(list)}});
}

}

Exit copy(Console& console, Arguments const& args) {
  auto const from = open_source(console, args);
  auto const sessions = sessions_to_copy(args, from); // found before the target is created
  auto const to = open_target(console, args, parse_address(args.target));
  std::size_t done = 0, total = 0;
  for (auto const& info : sessions) total += info.entries + 1; // its header
  auto const progress = [&](std::uint64_t lines) {
    done = std::min(total - 1, done + lines); // the end is shown once, when it is reached
    console.progress(done, total, "lines");
  };
  std::vector<Copy> copies;
  copies.reserve(sessions.size());
  for (auto const& info : sessions) copies.push_back(copy_one(args, from, to, info.id, progress));
  console.progress(total, total, "lines");
  for (auto const& one : copies) notice(console, one, to);
  write(console, args, from, to, copies);
  console.notice(summary_of(copies, args.dry_run));
  return exit_of(copies);
}

}
