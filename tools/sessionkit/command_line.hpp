// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <string>

namespace cli {

/// The request of a command line: a command, or a text to print (help, version).
struct Request {
  Command const* command = nullptr;
  Arguments arguments = {};
  std::string text = {};
};

/// Parses a command line; `Failure` with `Exit::usage` if it is invalid.
Request parse_command_line(int argc, char const* const* argv);

}
