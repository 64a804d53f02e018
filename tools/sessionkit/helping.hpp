// SPDX-License-Identifier: MIT
#pragma once
#include "command.hpp"

#include <cstddef>
#include <string>

namespace cli {

/// The help of the program: all commands in groups, and the options that all of them have. Lines have at most
/// `columns` columns where words allow it.
std::string help_of_program(std::size_t columns);

/// The help of one command: its arguments, its options, examples.
std::string help_of(Command const& command, std::size_t columns);

/// Commands and options as they could have been meant, for a person who mistyped one; empty if none is near.
std::string nearest_command(std::string const& word);
/// `--limit N` for `--limitt`, `--to html` for `--html`. `command`: absent before the verb.
std::string nearest_option(Command const* command, std::string const& word);

}
