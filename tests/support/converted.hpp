// SPDX-License-Identifier: MIT
// Logs that are converted, and the lines of the result.
#pragma once
#include "catch.hpp"
#include "logs.hpp"

#include <sessionkit/context.hpp>
#include <sessionkit/convert.hpp>

#include <deque>
#include <string>
#include <vector>

namespace sessionkit_test {

inline std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  REQUIRE(at == text.size());
  return lines;
}

/// A log of these lines, as read from a file.
inline sk::Log log_of(std::vector<std::string> const& lines, sk::Dialect const& dialect) {
  sk::Log log;
  std::size_t end = 0;
  for (std::string const& line : lines) {
    end += line.size();
    std::deque<std::string> scratch;
    sk::RecordView view;
    REQUIRE(dialect.head(line, view, scratch));
    std::string const derived = "@" + std::to_string(end++);
    if (view.id.empty()) view.id = derived;
    log.entries.push_back(dialect.decode(view).value());
  }
  return log;
}
inline sk::Log log_of(std::string const& text, sk::Dialect const& dialect) {
  return log_of(lines_of(text), dialect);
}

inline sk::Converted convert(sk::Log const& log, sk::Dialect const& from, sk::Dialect const& to) {
  return sk::convert_log(log, from, to, sid("named")).value();
}

}
