// SPDX-License-Identifier: MIT
// tree: the entries of a session with their branches and labels.
#include "records.hpp"
#include "tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

Json parent_of(std::vector<sk::Entry> const& entries, std::size_t i) {
  switch (entries[i].link) {
  case sk::Parent::root: return nullptr;
  case sk::Parent::entry: return entries[i].parent.str();
  case sk::Parent::previous: break;
  }
  return i == 0 ? Json() : Json(entries[i - 1].id.str());
}

void write_json(Console& console, Records const& records, sk::SessionInfo const& info,
                std::vector<sk::Entry> const& path) {
  auto const& entries = records.log.entries;
  Json out{{"leaf", path.empty() ? Json() : Json(path.back().id.str())},
           {"labels", Json::object()},
           {"title", info.title.empty() ? Json() : Json(info.title)},
           {"path", Json::array()},
           {"tips", Json::array()},
           {"entries", Json::array()}};
  for (auto const& [entry, label] : info.labels) out["labels"][entry] = label;
  for (auto const& entry : path) out["path"].push_back(entry.id.str());
  for (auto const& tip : sk::leaves_of(records.log)) out["tips"].push_back(tip.str());
  for (std::size_t i = 0; i < entries.size(); ++i)
    out["entries"].push_back({{"id", entries[i].id.str()},
                              {"parent", parent_of(entries, i)},
                              {"type", records.types[i]},
                              {"timestamp", sk::to_rfc3339(entries[i].at)}});
  console.document("tree@1", out);
}

std::string label_of(sk::SessionInfo const& info, sk::EntryId const& id) {
  auto const found = info.labels.find(id.str());
  return found == info.labels.end() ? "" : one_line(found->second);
}

void write_lines(Console& console, Records const& records, sk::SessionInfo const& info) {
  std::vector<std::vector<std::string>> rows;
  auto const& entries = records.log.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto const parent = parent_of(entries, i);
    rows.push_back({one_line(entries[i].id.str()),
                    parent.is_null() ? "" : one_line(parent.get<std::string>()), one_line(records.types[i]),
                    sk::to_rfc3339(entries[i].at), label_of(info, entries[i].id)});
  }
  console.table({"ID", "PARENT", "TYPE", "TIME", "LABEL"}, rows);
}

/// Cuts a line to the screen: first its text, then the whole line if that is not enough.
void write_line(Console& console, std::string const& head, std::string const& text, std::string const& tail) {
  auto const taken = columns(head) + columns(tail);
  auto const room = console.width() > taken ? std::min<std::size_t>(60, console.width() - taken) : 0;
  console.write(cut(head + cut(text, room) + tail, console.width()) + "\n");
}

void draw(Console& console, Records const& records, sk::SessionInfo const& info) {
  auto const& entries = records.log.entries;
  auto const now = sk::system_now();
  for (auto const& branch : branches_of(entries)) {
    auto const& entry = entries[branch.entry];
    auto const label = label_of(info, entry.id);
    auto const who = fmt::format("{}  {}  {}  ", one_line(entry.id.str()), moment(entry.at, now),
                                 one_line(speaker_of(entry, records.types[branch.entry])));
    auto const marks = fmt::format("{}{}", label.empty() ? "" : "  [" + label + "]",
                                   entry.id == info.last ? "  <- leaf" : "");
    write_line(console, branch.indent + console.shown(who), console.shown(one_line(summary_of(entry))),
               console.shown(marks));
  }
}

}

std::vector<Branch> branches_of(std::vector<sk::Entry> const& entries) {
  auto const parents = sk::parents_of(entries);
  std::vector<std::vector<std::size_t>> children(entries.size());
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < entries.size(); ++i)
    (parents[i] == sk::no_parent ? roots : children[parents[i]]).push_back(i);

  struct Step {
    std::size_t entry;
    std::string first, rest; ///< indentation of this entry, and of the entries after it
  };
  std::vector<Step> open;
  auto const push = [&](std::vector<std::size_t> const& list, std::string const& indent) {
    for (std::size_t n = list.size(); n-- > 0;) {
      bool const last = n + 1 == list.size();
      if (list.size() == 1)
        open.push_back({list[n], indent, indent});
      else
        open.push_back({list[n], indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  ")});
    }
  };
  std::vector<Branch> drawn;
  push(roots, "");
  while (!open.empty()) {
    Step step = std::move(open.back());
    open.pop_back();
    push(children[step.entry], step.rest);
    drawn.push_back({step.entry, std::move(step.first)});
  }
  return drawn;
}

Exit tree(Console& console, Arguments const& args) {
  auto const named = find_session(console, args, *args.session);
  auto const records = read_records(named);
  auto const info = named.store->info(named.id).value();
  if (console.json())
    write_json(console, records, info, sk::load_path(*named.store, named.id).value());
  else if (console.pretty())
    draw(console, records, info);
  else
    write_lines(console, records, info);
  if (records.unlisted != 0)
    console.notice(
        fmt::format("{}: {} more line(s) of unknown types are not shown; see: sessionkit verify {}",
                    *args.session, records.unlisted, *args.session));
  notice_damage(console, *args.session, records.damaged);
  return Exit::ok;
}

}
