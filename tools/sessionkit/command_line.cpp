// SPDX-License-Identifier: MIT
#include "command_line.hpp"
#include "helping.hpp"

#include <sessionkit/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

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
  auto const [names, word] = spelling_of(option);
  auto const spelling = names.empty() ? word : fmt::format("{}", fmt::join(names, ","));
  std::visit(
      [&, &names = names](auto target) {
        auto& value = member(args, target);
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          app.add_flag(spelling, value, option.help);
        } else {
          auto* const added = app.add_option(spelling, value, option.help);
          added->required(option.required)->type_name("");
          if (!names.empty()) added->allow_extra_args(false); // one value each time it is given
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
}

Command const* find_command(std::string const& name) {
  auto const& table = command_table();
  auto const found =
      std::find_if(table.begin(), table.end(), [&](Command const& command) { return command.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// The chosen command, as far as the line could be read.
Command const* chosen_command(CLI::App const& app) {
  auto const verbs = app.get_subcommands();
  return verbs.empty() ? nullptr : find_command(verbs.front()->get_name());
}

/// The first word that nothing takes and that is, or is not, an option; empty if there is none.
std::string unknown_word(CLI::App const& app, bool is_option) {
  for (auto const& word : app.remaining(true))
    if (!word.empty() && (word.front() == '-' && word.size() > 1) == is_option) return word;
  return {};
}

std::string see_help(Command const* command) {
  return command == nullptr ? "sessionkit --help" : fmt::format("sessionkit {} --help", command->name);
}

Failure unknown_option(Command const* command, std::string const& word) {
  auto const name = word.substr(0, word.find('='));
  auto const nearest = nearest_option(command, name);
  auto const where =
      command == nullptr ? std::string("sessionkit") : fmt::format("the command '{}'", command->name);
  return {Exit::usage, "usage", fmt::format("{} has no option '{}'", where, name),
          nearest.empty() ? "see all options: " + see_help(command)
                          : fmt::format("did you mean: {} (all options: {})", nearest, see_help(command))};
}

Failure unknown_command(std::string const& word) {
  auto const nearest = nearest_command(word);
  return {Exit::usage, "usage", fmt::format("there is no command '{}'", word),
          nearest.empty() ? "see all commands: sessionkit --help"
                          : fmt::format("did you mean: sessionkit {}", nearest)};
}

Failure usage_failure(CLI::App const& app, CLI::ParseError const& error) {
  auto const* const command = chosen_command(app);
  auto const word = unknown_word(app, false);
  if (command == nullptr && !word.empty()) return unknown_command(word);
  if (auto const option = unknown_word(app, true); !option.empty()) return unknown_option(command, option);
  if (command != nullptr && !word.empty())
    return {Exit::usage, "usage",
            fmt::format("the command '{}' takes no further argument '{}'", command->name, word),
            "see: " + see_help(command)};
  if (command == nullptr)
    return {Exit::usage, "usage", "a command is missing",
            "list the sessions: sessionkit ls; browse them: sessionkit ui; all commands: sessionkit --help"};
  return {Exit::usage, "usage", error.what(), "see: " + see_help(command)};
}

/// `help` and `help COMMAND`, as other programs have it.
std::optional<std::string> asked_for_help(int argc, char const* const* argv, std::size_t columns) {
  if (argc < 2 || argc > 3 || std::string_view(argv[1]) != "help") return std::nullopt;
  if (argc == 2) return help_of_program(columns);
  auto const* const command = find_command(argv[2]);
  if (command == nullptr) throw unknown_command(argv[2]);
  return help_of(*command, columns);
}

}

Request parse_command_line(int argc, char const* const* argv) {
  Request request;
  std::size_t const columns = std::clamp<std::size_t>(screen_of_stdout().columns, 40, 100);
  if (auto text = asked_for_help(argc, argv, columns)) {
    request.text = std::move(*text);
    return request;
  }
  CLI::App app("Inspect, continue and check the sessions of agent hosts", "sessionkit");
  app.set_version_flag("--version", "sessionkit " SESSIONKIT_VERSION, "print the version");
  app.require_subcommand(1, 1);
  app.fallthrough(); // common options are legal after the command too
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  for (Option const& option : common_options()) add_option(app, request.arguments, option);
  for (Command const& command : command_table()) add_command(app, request.arguments, command);
  try {
    app.parse(argc, argv);
  } catch (CLI::CallForHelp const&) {
    auto const* const command = chosen_command(app);
    request.text = command == nullptr ? help_of_program(columns) : help_of(*command, columns);
    return request;
  } catch (CLI::CallForVersion const& version) {
    request.text = std::string(version.what()) + "\n";
    return request;
  } catch (CLI::ParseError const& error) { throw usage_failure(app, error); }
  if (request.arguments.server) request.arguments.provider = "openai-chat";
  request.command = chosen_command(app);
  return request;
}

}
