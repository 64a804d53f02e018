// SPDX-License-Identifier: MIT
// The texts of --help, made from the table of commands, and what a person may have meant.
#include "helping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <common/text.hpp>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace {

struct Title {
  Group group;
  char const* text;
};
constexpr Title titles[] = {
    {Group::find, "Find and read"},           {Group::request, "What a model is sent"},
    {Group::change, "Continue and change"},   {Group::move, "Copy and convert"},
    {Group::keep, "Clean, check and repair"}, {Group::shell, "Set up the shell"}};

constexpr char const* notes =
    "A SESSION is an id, its first characters, a key, a title, @last, @-2 or a file.\n"
    "@last is the session with the newest entry, or a fork made after it; @-2 is\n"
    "the one before.\n"
    "An ENTRY is named by its id. Entries in claw0's and ai-panel's lines have none:\n"
    "@246 is the one whose line ends at byte 246 of the file, as tree and\n"
    "history --explain print it.\n"
    "Data goes to stdout, everything else to stderr.\n"
    "Exit codes: 0 done, 1 failed (diff: they differ; search: not found), 2 usage,\n"
    "3 not found, 4 locked or changed, 5 damage, no session in the file, or\n"
    "(convert, cp, import) something left out, 6 forbidden, 7 no space,\n"
    "8 unreachable, 9 outcome unknown.\n"
    "More about a command: sessionkit COMMAND --help\n";

/// A row of a table of help: a name, and what it means.
using Row = std::pair<std::string, std::string>;

std::string table_of(std::string const& title, std::vector<Row> const& rows, std::size_t columns) {
  if (rows.empty()) return {};
  constexpr std::size_t widest = 24; // a longer name has a line of its own
  std::size_t width = 0;
  for (auto const& [name, text] : rows)
    if (name.size() <= widest) width = std::max(width, name.size());
  std::string out = title + ":\n";
  std::size_t const indent = width + 4;
  for (auto const& [name, text] : rows) {
    out += "  " + name;
    out += name.size() > width ? "\n" + std::string(indent, ' ') : std::string(width - name.size() + 2, ' ');
    out += wrapped(text, indent, columns) + "\n";
  }
  return out + "\n";
}

std::string name_of(Option const& option) {
  auto const [names, value] = spelling_of(option);
  auto const all = fmt::format("{}", fmt::join(names, ", "));
  return all + (all.empty() || value.empty() ? "" : " ") + value;
}

/// The help of an option; its choices too, unless the text names them.
std::string text_of(Option const& option) {
  std::string text = option.help;
  bool const says_them = std::all_of(option.choices.begin(), option.choices.end(), [&](auto const& choice) {
    return text.find(choice) != std::string::npos;
  });
  return says_them ? text : fmt::format("{} ({})", text, fmt::join(option.choices, ", "));
}

std::vector<Row> rows_of(std::vector<Option> const& options, bool positional) {
  std::vector<Row> rows;
  for (auto const& option : options)
    if (spelling_of(option).names.empty() == positional) rows.emplace_back(name_of(option), text_of(option));
  return rows;
}

std::string usage_of(Command const& command) {
  std::string usage = fmt::format("Usage: sessionkit {} [OPTIONS]", command.name);
  for (auto const& option : command.options) {
    if (!spelling_of(option).names.empty()) continue;
    auto const word = spelling_of(option).value + (is_list(option) ? "..." : "");
    usage += option.required ? " " + word : " [" + word + "]";
  }
  return usage + "\n";
}

std::vector<Option> options_of(Command const* command) {
  auto all = common_options();
  if (command != nullptr) all.insert(all.begin(), command->options.begin(), command->options.end());
  return all;
}

}

std::string help_of_program(std::size_t columns) {
  std::string out = "Inspect, continue and check the sessions of agent hosts\n"
                    "Usage: sessionkit COMMAND [OPTIONS]\n\n";
  for (auto const& title : titles) {
    std::vector<Row> rows;
    for (auto const& command : command_table())
      if (command.group == title.group) rows.emplace_back(command.name, command.summary);
    out += table_of(title.text, rows, columns);
  }
  auto options = rows_of(common_options(), false);
  options.emplace_back("-h, --help", "print this text; after a command, the help of the command");
  options.emplace_back("--version", "print the version");
  return out + table_of("Options of all commands", options, columns) + notes;
}

std::string help_of(Command const& command, std::size_t columns) {
  auto options = rows_of(command.options, false);
  options.emplace_back("-h, --help", "print this text");
  return wrapped(command.summary, 0, columns) + "\n" + usage_of(command) + "\n"
         + table_of("Arguments", rows_of(command.options, true), columns)
         + table_of("Options", options, columns) + "Examples:\n" + command.examples
         + "\n\nOptions of all commands: sessionkit --help\n";
}

std::string nearest_command(std::string const& word) {
  constexpr std::pair<char const*, char const*> elsewhere[] = {
      {"list", "ls"},     {"cat", "show"},     {"view", "show"},  {"mv", "cp"},       {"move", "cp"},
      {"undo", "rewind"}, {"delete", "rm"},    {"remove", "rm"},  {"grep", "search"}, {"find", "search"},
      {"cost", "stats"},  {"share", "export"}, {"send", "export"}};
  for (auto const& [other, ours] : elsewhere)
    if (word == other) return ours;
  auto const& table = command_table();
  auto const distance = [&](Command const& command) { return edit_distance(word, command.name); };
  auto const nearest = std::min_element(
      table.begin(), table.end(), [&](auto const& a, auto const& b) { return distance(a) < distance(b); });
  return distance(*nearest) <= 2 ? nearest->name : "";
}

std::string nearest_option(Command const* command, std::string const& word) {
  auto const all = options_of(command);
  std::vector<std::string> names;
  std::map<std::string, std::string> usages;
  for (auto const& option : all) {
    auto const spelling = spelling_of(option);
    for (auto const& name : spelling.names) {
      names.push_back(name);
      usages.emplace(name, spelling.value.empty() ? name : fmt::format("{} {}", name, spelling.value));
    }
  }
  if (auto const found = nearest_option(word, names); !found.empty()) return usages.at(found);
  auto const bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  for (auto const& option : all) // the value of an option, written as an option
    for (auto const& choice : option.choices)
      if (auto const its = spelling_of(option).names; choice == bare && !its.empty())
        return its.back() + " " + choice;
  return {};
}

}
