// SPDX-License-Identifier: MIT
#include "markdown.hpp"
#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace chat {

namespace sk = sessionkit;

namespace {

char const* speaker(sk::Role role) {
  switch (role) {
  case sk::Role::user: return "you";
  case sk::Role::assistant: return "assistant";
  case sk::Role::tool: return "tool";
  case sk::Role::system: break;
  }
  return "system";
}

/// A whole answer as rows for a terminal.
std::string as_markdown_rows(std::string const& text, std::size_t columns, std::size_t used) {
  MarkdownStream rows(columns, used);
  auto all = rows.add(text);
  return all + rows.end();
}

bool was_interrupted(sk::Message const& message) {
  return message.generation && message.generation->stop == sk::StopReason::aborted;
}

std::string first_line(std::string const& text) { return cli::cut(cli::one_line(text), 72); }

/// The parts of a message that are not text, one a line.
std::string tool_lines(sk::Message const& message) {
  std::string lines;
  for (auto const& part : message.parts) {
    if (auto const* const call = std::get_if<sk::ToolUse>(&part))
      lines += fmt::format("[{} {}]\n", call->name, call->input.str());
    if (auto const* const result = std::get_if<sk::ToolResult>(&part))
      lines += fmt::format("  {} {}\n", result->is_error ? "failed:" : "->", first_line(result->text()));
  }
  return lines;
}

/// How a message that is shown whole differs from one that must fit.
struct Fitting {
  std::string (*text)(std::string const& text, std::size_t columns, std::size_t used);
  std::string (*tools)(std::string const& lines, std::size_t columns);
  std::size_t columns;
};

/// A message or a summary as it is said, harmless on a terminal; empty for other entries. With `columns`, in
/// styles.
std::string talk_of(sk::Entry const& entry, std::optional<std::size_t> columns, Fitting const& fitting) {
  auto const styled = [&](std::string const& text, Style style) {
    return in_style(text, columns ? style : plain);
  };
  if (auto const* const compaction = entry.as<sk::Compaction>())
    return styled(fmt::format("[summary of earlier messages, at {} tokens]\n{}\n", compaction->tokens_before,
                              compaction->summary),
                  quiet);
  std::string all;
  auto const* const message = entry.as<sk::Message>();
  if (message == nullptr) return all;
  if (auto const text = message->text(); !text.empty()) {
    auto const who = fmt::format("{}> ", speaker(message->role));
    bool const answers = message->role == sk::Role::assistant;
    all += styled(who, bold | (answers ? model : person));
    all += answers && columns ? as_markdown_rows(text, *columns, who.size())
                              : fitting.text(cli::neutral(text), fitting.columns, who.size());
    all += was_interrupted(*message) ? " [interrupted]\n" : "\n";
  }
  return all + styled(fitting.tools(tool_lines(*message), fitting.columns), quiet);
}

/// With lines broken between words, so that they fit; `used` columns of the first one are taken.
std::string folded(std::string const& text, std::size_t columns, std::size_t used) {
  std::string all;
  for (std::string_view rest = text; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    for (; cli::columns(line) > columns - used; used = 0) {
      auto const fits = cli::fitting(line, columns - used);
      all.append(line.substr(0, fits)) += '\n';
      line.remove_prefix(fits);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    all.append(line) += rest.empty() ? "" : "\n";
    used = 0;
  }
  return all;
}

/// Each line with at most so many columns.
std::string cut_lines(std::string const& text, std::size_t columns) {
  std::string all;
  for (std::string_view rest = text; !rest.empty();) {
    auto const end = std::min(rest.find('\n'), rest.size() - 1);
    all += cli::cut(rest.substr(0, end), columns) + '\n';
    rest.remove_prefix(end + 1);
  }
  return all;
}

/// The rows that a line takes on a screen; none for what is after the last line end and shows nothing.
std::size_t rows_of(std::string_view line, std::size_t columns) {
  bool const ends = !line.empty() && line.back() == '\n';
  if (ends) line.remove_suffix(1);
  return std::max<std::size_t>((visible_columns(line) + columns - 1) / columns, ends ? 1 : 0);
}

/// The text cut after so many rows, at the end of a line, with a note how many follow. Returns the rows that
/// it takes.
std::size_t cut_rows(std::string& text, std::size_t columns, std::size_t most) {
  std::size_t rows = 0, missing = 0, fits = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    auto const more = rows_of(std::string_view(text).substr(begin, end - begin), columns);
    if (missing == 0 && rows + more < most) {
      rows += more;
      fits = end;
    } else
      missing += more;
    begin = end;
  }
  if (missing <= 1) return rows + missing; // the note would take its place
  text.resize(fits);
  text += fmt::format("[{} more: /history]\n", cli::plural(missing, "line", "lines"));
  return rows + 1;
}

/// One line that names an entry in a tree; empty if it is not shown.
std::string in_brief(sk::Entry const& entry) {
  if (auto const* const message = entry.as<sk::Message>()) {
    if (message->role == sk::Role::tool) return {};
    auto const text = message->text();
    return fmt::format("{}> {}", speaker(message->role),
                       first_line(text.empty() ? tool_lines(*message) : text));
  }
  if (auto const* const compaction = entry.as<sk::Compaction>())
    return "compaction: " + first_line(compaction->summary);
  return {};
}

}

bool is_said(sk::Entry const& entry) {
  auto const* const message = entry.as<sk::Message>();
  return message != nullptr && message->role == sk::Role::user;
}

void print(std::string const& text) { std::cout << cli::neutral(text) << std::flush; }

std::string as_talk(std::vector<sk::Entry> const& path, std::optional<std::size_t> columns) {
  std::string all;
  Fitting const whole{[](std::string const& text, std::size_t, std::size_t) { return text; },
                      [](std::string const& lines, std::size_t) { return lines; }, 0};
  for (auto const& entry : path) all += talk_of(entry, columns, whole);
  return all;
}

bool RecentTalk::take(sk::Entry const& entry) {
  auto text = talk_of(entry, styled_ ? std::optional(columns_) : std::nullopt, {folded, cut_lines, columns_});
  if (text.empty()) return true;
  constexpr std::size_t fewest = 3; // rows that say something
  is_full_ = left_ < fewest;
  if (is_full_) return false;
  left_ -= cut_rows(text, columns_, std::min(most_, left_));
  text_.insert(0, text);
  return true;
}

std::string RecentTalk::text() const {
  return (is_full_ ? in_style("[earlier: /history]\n", styled_ ? quiet : plain) : std::string()) + text_;
}

std::string as_markdown(sk::SessionInfo const& info, std::vector<sk::Entry> const& path) {
  std::string all = fmt::format("# {}\n\nSession {}\n", info.display_title(80), info.id.str());
  for (auto const& entry : path) {
    auto const* const message = entry.as<sk::Message>();
    if (message == nullptr) continue;
    if (auto const text = message->text(); !text.empty())
      all += fmt::format("\n## {}{}\n\n{}\n", speaker(message->role),
                         was_interrupted(*message) ? " (interrupted)" : "", text);
    if (auto const lines = tool_lines(*message); !lines.empty()) all += fmt::format("\n```\n{}```\n", lines);
  }
  return all;
}

std::string as_tree(sk::Log const& log, std::vector<sk::Entry> const& path) {
  auto const& entries = log.entries;
  std::vector<std::size_t> const parents = sk::parents_of(entries);
  std::vector<std::vector<std::size_t>> children(entries.size());
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].as<sk::Header>() == nullptr)
      (parents[i] == sk::no_parent ? roots : children[parents[i]]).push_back(i);
  std::set<sk::EntryId> current;
  for (auto const& entry : path) current.insert(entry.id);

  struct Place {
    std::size_t entry, depth;
  };
  std::vector<Place> open; // the next one is last
  auto const enter = [&open](std::vector<std::size_t> const& all, std::size_t depth) {
    for (auto child = all.rbegin(); child != all.rend(); ++child)
      open.push_back({*child, all.size() > 1 ? depth + 1 : depth});
  };
  std::string text;
  enter(roots, 0);
  while (!open.empty()) {
    auto const [i, depth] = open.back();
    open.pop_back();
    if (auto const line = in_brief(entries[i]); !line.empty())
      text += fmt::format("{} {}{}\n", current.count(entries[i].id) != 0 ? '*' : ' ',
                          std::string(2 * depth, ' '), line);
    enter(children[i], depth);
  }
  return text;
}

}
