// SPDX-License-Identifier: MIT
// The expected entries of a log, found line by line with another parser and without the library's scanner.
#pragma once
#include "support/json_oracle.hpp"
#include "support/transcript.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace sessionkit_test {

/// Brackets open at once, those in strings left out.
inline std::size_t depth_of(std::string const& json) {
  std::size_t depth = 0, most = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char const c = json[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '{' || c == '['))
      most = std::max(most, ++depth);
    else if (!in_string && (c == '}' || c == ']') && depth > 0)
      --depth;
  }
  return most;
}

/// Whether a tolerant reader accepts it as one JSON object. nlohmann decides; data that it refuses by
/// policy (lone surrogates, bytes that are no UTF-8, great numbers) is fixed before.
inline bool is_object_to_others_now(std::string const& text) {
  if (text.empty() || text.front() != '{' || text.find('\0') != std::string::npos) return false;
  if (depth_of(text) > 128) return false;
  if (oracle::json::accept(text)) return true;
  return oracle::json::accept(oracle::fix(text).text);
}

/// The same, remembered: most lines of a damaged log are those of the log.
inline bool is_object_to_others(std::string const& text) {
  constexpr std::size_t most = 10'000;
  static std::unordered_map<std::string, bool> known;
  auto const found = known.find(text);
  if (found != known.end()) return found->second;
  bool const answer = is_object_to_others_now(text);
  if (known.size() < most) known.emplace(text, answer);
  return answer;
}

/// A line without blanks, carriage returns and NULs around it; `first`: nor a byte order mark.
inline std::string bare_line(std::string line, bool first) {
  if (first && line.compare(0, 3, "\xEF\xBB\xBF") == 0) line.erase(0, 3);
  std::string const around(" \t\r\0", 4);
  std::size_t const begin = line.find_first_not_of(around);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_last_not_of(around) + 1 - begin);
}

/// The lines of these bytes that are one object each, in order, bare.
inline std::vector<std::string> whole_lines(std::string const& bytes) {
  std::vector<std::string> whole;
  std::vector<std::string> const lines = split_lines(bytes);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string bare = bare_line(lines[i], i == 0);
    if (is_object_to_others(bare)) whole.push_back(std::move(bare));
  }
  return whole;
}

}
