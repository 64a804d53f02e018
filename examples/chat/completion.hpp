// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace chat {

/// The files and folders whose path begins so; folders end with `/`. Hidden ones only if their dot is typed.
std::vector<std::string> files_that_begin(std::string const& begun);

/// What all words begin with; empty for no words.
std::string common_beginning(std::vector<std::string> const& words);

}
