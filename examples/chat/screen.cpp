// SPDX-License-Identifier: MIT
#include "markdown.hpp"
#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <iostream>
#include <set>
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
  auto const styled = [&](std::string const& text, Style style) {
    return in_style(text, columns ? style : plain);
  };
  std::string all;
  for (auto const& entry : path) {
    if (auto const* const compaction = entry.as<sk::Compaction>())
      all += styled(fmt::format("[summary of earlier messages, at {} tokens]\n{}\n",
                                compaction->tokens_before, compaction->summary),
                    quiet);
    auto const* const message = entry.as<sk::Message>();
    if (message == nullptr) continue;
    if (auto const text = message->text(); !text.empty()) {
      auto const who = fmt::format("{}> ", speaker(message->role));
      bool const answers = message->role == sk::Role::assistant;
      all += styled(who, bold | (answers ? model : person));
      all += answers && columns ? as_markdown_rows(text, *columns, who.size()) : cli::neutral(text);
      all += was_interrupted(*message) ? " [interrupted]\n" : "\n";
    }
    all += styled(tool_lines(*message), quiet);
  }
  return all;
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
