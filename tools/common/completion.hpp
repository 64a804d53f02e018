// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// An option of a program without verbs, as its help describes it.
struct HelpedOption {
  std::vector<std::string> names; ///< "-c", "--continue"
  bool takes_value = false;
  std::string help = {};
};

/// The options that the text of a program's `--help` lists: lines that begin with spaces and a name, for
/// example "  -r, --resume [ID]  continue this session", or as CLI11 writes them. The help is that of the
/// first line.
std::vector<HelpedOption> options_in_help(std::string_view help);

/// The script with which a shell (bash, zsh or fish) completes the options of a program, and files as their
/// values. Absent for another shell.
std::optional<std::string> completion_script(std::string_view shell, std::string const& program,
                                             std::vector<HelpedOption> const& options);

}
