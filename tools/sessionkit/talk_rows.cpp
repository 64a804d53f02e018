// SPDX-License-Identifier: MIT
// The lines of the full-screen browser: a conversation, and the tree of its entries.
#include "hiding.hpp"
#include "records.hpp"
#include "talk_rows.hpp"
#include "tree.hpp"

#include <sessionkit/context.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <utility>

namespace cli {

namespace sk = sessionkit;

namespace {

Style style_of(std::string const& speaker) {
  return speaker == "user" ? Style::user : speaker == "assistant" ? Style::assistant : Style::tool;
}

/// The name of an entry that is not a message.
std::string type_of(sk::Entry const& entry) {
  if (entry.as<sk::Compaction>() != nullptr) return "compaction";
  if (entry.as<sk::BranchSummary>() != nullptr) return "summary of a branch";
  if (entry.as<sk::ModelChange>() != nullptr) return "model";
  if (entry.as<sk::TitleChange>() != nullptr) return "title";
  if (entry.as<sk::Label>() != nullptr) return "label";
  return "note";
}

void add_rows(std::vector<Row>& rows, sk::Entry const& entry, std::string& day, std::size_t columns) {
  auto const speaker = speaker_of(entry, type_of(entry));
  auto const words = words_of(entry);
  bool const says_something =
      std::any_of(words.begin(), words.end(), [](std::string const& text) { return !text.empty(); });
  if (!says_something) return;
  std::string head = one_line(neutral(speaker));
  if (entry.at != sk::Timestamp{}) {
    auto const before = std::exchange(day, date_of(entry.at));
    head += " · " + (before == day ? "" : day + " ") + time_of_day(entry.at);
  }
  if (!rows.empty()) rows.push_back({"", Style::plain, entry.id});
  rows.push_back({cut(head, columns), style_of(speaker), entry.id});
  bool const quiet = style_of(speaker) == Style::tool;
  for (auto const& text : words)
    for (auto& line : lines_of(text, columns))
      rows.push_back({std::move(line), quiet ? Style::quiet : Style::plain, entry.id});
}

}

std::vector<std::string> lines_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> out;
  std::string rest = neutral(unix_lines(text));
  std::replace(rest.begin(), rest.end(), '\t', ' ');
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  std::size_t begin = 0;
  while (begin <= rest.size() && !rest.empty()) {
    auto const end = std::min(rest.find('\n', begin), rest.size());
    std::string_view line(rest.data() + begin, end - begin);
    do {
      auto const length = fitting(line, columns);
      out.emplace_back(line.substr(0, length));
      line.remove_prefix(length);
      while (length != 0 && !line.empty() && line.front() == ' ') line.remove_prefix(1);
    } while (!line.empty());
    begin = end + 1;
  }
  return out;
}

std::vector<Row> talk_rows(sk::SessionStore& store, sk::SessionId const& id, sk::EntryId const& leaf,
                           std::size_t most, std::size_t columns) {
  std::vector<sk::Entry> entries;
  sk::walk_back(store, id, leaf, [&](sk::Entry const& entry) {
    if (entry.as<sk::Header>() == nullptr && !is_hidden(entry)) entries.push_back(entry);
    return entries.size() <= most;
  }).value();
  std::vector<Row> rows;
  if (entries.size() > most) {
    entries.pop_back();
    rows.push_back(
        {cut(fmt::format("(the {} last entries; all: sessionkit show {})", most, id.str()), columns),
         Style::quiet});
  }
  std::string day;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) add_rows(rows, *entry, day, columns);
  return rows;
}

std::vector<Row> tree_rows(sk::SessionStore& store, sk::SessionId const& id) {
  Named const named{StorePtr(&store, [](sk::SessionStore*) {}), id, {}, false};
  auto const records = read_records(named);
  auto const info = store.info(id).value();
  std::vector<Row> rows;
  for (auto const& branch : branches_of(records.log.entries)) {
    auto const& entry = records.log.entries[branch.entry];
    auto const speaker = speaker_of(entry, records.types[branch.entry]);
    auto const label = info.labels.find(entry.id.str());
    auto const text =
        fmt::format("{}{}{}  {}{}", branch.indent, one_line(neutral(in_words(speaker))),
                    label == info.labels.end() ? "" : "  [" + one_line(neutral(label->second)) + "]",
                    cut(one_line(neutral(summary_of(entry).substr(0, 1000))), 200),
                    entry.id == info.last ? "  <- leaf" : "");
    rows.push_back({text, style_of(speaker), entry.id});
  }
  return rows;
}

}
