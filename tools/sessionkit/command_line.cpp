// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include <sessionkit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/text.hpp>

namespace cli {

namespace {

/// Members of `OutputStyle` live one level deeper.
template <class T> T& member(Arguments& args, T Arguments::*target) { return args.*target; }
template <class T> T& member(Arguments& args, T OutputStyle::*target) { return args.style.*target; }

/// Names may be written with `-` or `_`; a value becomes the choice as it is spelled in the table.
std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// CLI11 would read -1 as the largest number.
CLI::Validator whole_number(std::size_t least) {
  auto const why_not = [least](std::string& text) {
    std::size_t number = 0;
    char const* const end = text.data() + text.size();
    auto const [stopped, error] = std::from_chars(text.data(), end, number);
    bool const good = error == std::errc() && stopped == end && number >= least;
    return good ? std::string{} : fmt::format("'{}' is not a whole number of at least {}", text, least);
  };
  return {why_not, ""};
}

void add_option(CLI::App& app, Arguments& args, Option const& option) {
  std::visit(
      [&](auto target) {
        auto& value = member(args, target);
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          app.add_flag(option.spelling, value, option.help);
        } else {
          auto const choices =
              option.choices.empty() ? "" : fmt::format(": {}", fmt::join(option.choices, ", "));
          auto* const added = app.add_option(option.spelling, value, option.help);
          added->required(option.required)->type_name("");
          if (option.spelling[0] == '-') added->allow_extra_args(false); // one value each time it is given
          if constexpr (std::is_same_v<Value, std::size_t>) added->check(whole_number(0));
          if constexpr (std::is_same_v<Value, std::optional<std::size_t>>) added->check(whole_number(1));
          if (!option.choices.empty())
            added->transform(CLI::IsMember(option.choices, hyphenated).description(""));
        }
      },
      option.target);
}

void add_command(CLI::App& app, Arguments& args, Command const& command) {
  auto* const verb = app.add_subcommand(command.name, command.summary);
  for (Option const& option : command.options) add_option(*verb, args, option);
  verb->footer(fmt::format("Examples:\n{}", command.examples));
}

/// The first word that is not a flag, if no command has this name.
std::string unknown_verb(CLI::App const& app) {
  if (!app.get_subcommands().empty()) return {};
  for (auto const& word : app.remaining())
    if (!word.empty() && word.front() != '-') return word;
  return {};
}

std::string nearest_verb(std::string const& word) {
  auto const& table = command_table();
  auto const distance = [&](Command const& command) { return edit_distance(word, command.name); };
  auto const nearest = std::min_element(
      table.begin(), table.end(), [&](auto const& a, auto const& b) { return distance(a) < distance(b); });
  return distance(*nearest) <= 2 ? nearest->name : "";
}

Failure usage_failure(CLI::App const& app, CLI::ParseError const& error) {
  auto const verbs = app.get_subcommands();
  if (auto const word = unknown_verb(app); !word.empty()) {
    auto const nearest = nearest_verb(word);
    return {Exit::usage, "usage", fmt::format("there is no command '{}'", word),
            nearest.empty() ? "see all commands: sessionkit --help"
                            : fmt::format("did you mean: sessionkit {}", nearest)};
  }
  return {Exit::usage, "usage", error.what(),
          verbs.empty() ? "see: sessionkit --help"
                        : fmt::format("see: sessionkit {} --help", verbs.front()->get_name())};
}

}

Request parse_command_line(int argc, char const* const* argv) {
  Request request;
  CLI::App app("Inspect, continue and check the sessions of agent hosts", "sessionkit");
  app.set_version_flag("--version", "sessionkit " SESSIONKIT_VERSION, "print the version");
  app.require_subcommand(1, 1);
  app.fallthrough(); // common options are legal after the command too
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  for (Option const& option : common_options()) add_option(app, request.arguments, option);
  for (Command const& command : command_table()) add_command(app, request.arguments, command);
  app.footer(
      "A SESSION is an id, its first characters, a key, a title, @last, @-2 or a file. Data goes to stdout, "
      "everything else to stderr.\n"
      "@last is the session with the newest entry, or a fork made after it; @-2 is the one before.\n"
      "An ENTRY is named by its id. Entries in claw0's and ai-panel's lines have none: @246 is the "
      "one whose line "
      "ends\n"
      "at byte 246 of the file, as tree and history --explain print it.\n"
      "Exit codes: 0 done, 1 failed (diff: they differ; search: not found), 2 usage, 3 not found, 4 "
      "locked or changed,\n"
      "5 damage, no session in the file, or (convert, cp, import) something left out,\n"
      "6 forbidden, 7 no space, 8 unreachable, 9 outcome unknown. More: sessionkit COMMAND --help");
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    auto const verbs = app.get_subcommands();
    request.text = verbs.empty() ? app.help() : verbs.front()->help("sessionkit");
    return request;
  } catch (CLI::CallForVersion const& version) {
    request.text = std::string(version.what()) + "\n";
    return request;
  } catch (CLI::ParseError const& error) { throw usage_failure(app, error); }
  if (request.arguments.server) request.arguments.provider = "openai-chat";
  auto const name = app.get_subcommands().front()->get_name();
  auto const& table = command_table();
  request.command = &*std::find_if(table.begin(), table.end(),
                                   [&](Command const& command) { return command.name == name; });
  return request;
}

}
