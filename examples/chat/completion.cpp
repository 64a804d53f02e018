// SPDX-License-Identifier: MIT
// What Tab offers: pure functions but for the names of files.
#include "completion.hpp"

#include <algorithm>
#include <common/text.hpp>
#include <filesystem>
#include <system_error>

namespace chat {

namespace fs = std::filesystem;

std::vector<std::string> files_that_begin(std::string const& begun) {
  auto const slash = begun.rfind('/');
  auto const folder = slash == std::string::npos ? std::string() : begun.substr(0, slash + 1);
  auto const name = begun.substr(folder.size());
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    auto const one = it->path().filename().string();
    bool const hidden = one.front() == '.' && name.empty();
    std::error_code ignored;
    if (!hidden && one.compare(0, name.size(), name) == 0)
      found.push_back(folder + one + (it->is_directory(ignored) ? "/" : ""));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string in_columns(std::vector<std::string> const& words, std::size_t columns) {
  std::size_t widest = 1;
  for (auto const& word : words) widest = std::max(widest, cli::columns(word) + 2);
  auto const in_row = std::max<std::size_t>((columns + 2) / widest, 1);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const word = cli::cut(cli::one_line(words[i]), columns);
    bool const ends = i + 1 == words.size() || (i + 1) % in_row == 0;
    text += word + (ends ? "\n" : std::string(widest - cli::columns(word), ' '));
  }
  return text;
}

std::string common_beginning(std::vector<std::string> const& words) {
  if (words.empty()) return {};
  std::string common = words.front();
  for (auto const& word : words) {
    auto const ends = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
    common.erase(ends.first, common.end());
  }
  return common;
}

}
