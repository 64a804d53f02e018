// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

namespace cli {

/// Reads all of stdin. `Failure` if it is longer than any model reads.
std::string all_of_stdin();

/// Runs a shell command with `input` on its stdin and returns its stdout. `Failure` if it
/// does not end with 0, takes longer than `most` (it is then killed, its children are not), or writes more
/// than any model reads.
std::string output_of(std::string const& command, std::string const& input, std::chrono::milliseconds most);

}
