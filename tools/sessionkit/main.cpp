// SPDX-License-Identifier: MIT
// sessionkit: inspects, continues and checks sessions. The commands are in command_table.cpp.
#include "command_line.hpp"
#include "console.hpp"
#include "naming.hpp"
#include "platform.hpp"

#include <sessionkit/result.hpp>

#include <new>
#include <string_view>
#include <vector>

namespace {

/// For failures before the command line is parsed.
cli::OutputStyle first_style(std::vector<std::string> const& arguments) {
  cli::OutputStyle style;
  for (std::string_view const argument : arguments) style.json = style.json || argument == "--json";
  return style;
}

cli::Exit run(cli::Console& console, cli::Request const& request) {
  try {
    if (request.command->writes) cli::require_ours(request.arguments);
    return request.command->run(console, request.arguments);
  } catch (cli::Failure const& failure) {
    console.show(failure);
    return failure.exit;
  } catch (sessionkit::Exception const& exception) {
    auto const failure = cli::failure_of(exception.error());
    console.show(failure);
    return failure.exit;
  } catch (std::bad_alloc const&) {
    console.show({cli::Exit::runtime, "out_of_memory", "out of memory"});
    return cli::Exit::runtime;
  }
}

}

int main(int argc, char** argv) {
  cli::prepare_process();
  auto const arguments = cli::arguments_of(argc, argv);
  std::vector<char const*> words;
  words.reserve(arguments.size());
  for (auto const& argument : arguments) words.push_back(argument.c_str());
  try {
    auto const request = cli::parse_command_line(static_cast<int>(words.size()), words.data());
    cli::Console console(request.arguments.style);
    if (request.command == nullptr) console.write(request.text);
    return console.finish(request.command == nullptr ? cli::Exit::ok : run(console, request));
  } catch (cli::Failure const& failure) {
    cli::Console console(first_style(arguments));
    console.show(failure);
    return console.finish(failure.exit);
  }
}
