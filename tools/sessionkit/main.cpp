// SPDX-License-Identifier: MIT
// sessionkit: inspects, continues and checks sessions. The commands are in command_table.cpp.
#include "command_line.hpp"
#include "console.hpp"
#include "naming.hpp"

#include <sessionkit/result.hpp>

#include <csignal>
#include <new>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace {

/// If stdin, stdout or stderr is closed, the next opened file would take its place.
void fill_standard_descriptors() {
  for (int fd = 0; fd >= 0 && fd <= 2;) {
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd > 2) close(fd);
  }
}

/// For failures before the command line is parsed.
cli::OutputStyle first_style(int argc, char** argv) {
  cli::OutputStyle style;
  for (int i = 1; i < argc; ++i) style.json = style.json || std::string_view(argv[i]) == "--json";
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
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN); // a reader that ends must not stop a write to the store half-way
  std::signal(SIGXFSZ, SIG_IGN); // a file size limit is an error like a full disk
  try {
    auto const request = cli::parse_command_line(argc, argv);
    cli::Console console(request.arguments.style);
    if (request.command == nullptr) console.write(request.text);
    return console.finish(request.command == nullptr ? cli::Exit::ok : run(console, request));
  } catch (cli::Failure const& failure) {
    cli::Console console(first_style(argc, argv));
    console.show(failure);
    return console.finish(failure.exit);
  }
}
