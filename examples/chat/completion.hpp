// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace chat {

/// What Tab offers for a line.
struct Completions {
  std::size_t from = 0;                ///< the words replace the line from this byte on
  std::vector<std::string> words = {}; ///< sorted
};

/// The files and folders whose path begins so; folders end with `/`. Hidden ones only if their dot is typed.
std::vector<std::string> files_that_begin(std::string const& begun);

/// The words in rows of at most so many columns, as `ls` shows files; each row ends.
std::string in_columns(std::vector<std::string> const& words, std::size_t columns);

/// What all words begin with; empty for no words.
std::string common_beginning(std::vector<std::string> const& words);

}
