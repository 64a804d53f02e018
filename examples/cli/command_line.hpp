// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <string>

namespace cli {

/// What a command line asks for: a command, or a text to print (help, version).
struct Request {
  Command const* command = nullptr;
  Arguments arguments = {};
  std::string text = {};
};

/// Reads a command line; `Failure` with `Exit::usage` if it makes no sense.
Request parse_command_line(int argc, char const* const* argv);

}
