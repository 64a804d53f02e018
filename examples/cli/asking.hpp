// SPDX-License-Identifier: MIT
#pragma once
#include <chrono>
#include <string>

namespace cli {

/// All of stdin. `Failure` where it is more than any model reads.
std::string all_of_stdin();

/// Runs a shell command with `input` on its stdin and answers what it writes to stdout. `Failure` where it
/// does not end with 0, takes longer than `most` (it is killed then; what it started is not), or writes more
/// than any model reads.
std::string output_of(std::string const& command, std::string const& input, std::chrono::milliseconds most);

}
