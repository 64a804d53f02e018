// SPDX-License-Identifier: MIT
#include "console.hpp"
#include "text.hpp"

#include <sessionkit/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <unistd.h>

namespace cli {

namespace {

bool wants_colours(std::string const& choice, bool pretty) {
  if (choice != "auto") return choice == "always";
  auto const term = environment("TERM");
  return pretty && environment("NO_COLOR").empty() && !term.empty() && term != "dumb";
}

void to_stderr(std::string_view text) {
  std::string const safe = isatty(STDERR_FILENO) != 0 ? neutral(text) : mended(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

}

std::string environment(char const* variable) {
  char const* const value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr ? "" : value;
}

Console::Console(OutputStyle style)
    : style_(std::move(style)),
      pretty_(isatty(STDOUT_FILENO) != 0 && !style_.plain && !style_.json),
      colours_(wants_colours(style_.color, pretty_)) {}

void Console::write(std::string_view text) {
  if (write_error_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) write_error_ = errno;
}

void Console::flush() {
  if (write_error_ == 0 && std::fflush(stdout) != 0) write_error_ = errno;
}

void Console::content(std::string_view text) {
  write(style_.raw ? std::string(text) : pretty_ ? neutral(text) : mended(text));
}

void Console::document(Json const& json) { write(sessionkit::to_raw_json(json).str() + "\n"); }

void Console::table(std::vector<std::string> const& heading,
                    std::vector<std::vector<std::string>> const& rows) {
  if (!pretty_) {
    for (auto const& row : rows) content(fmt::format("{}\n", fmt::join(row, "\t")));
    return;
  }
  if (rows.empty()) return;
  std::vector<std::size_t> widths(heading.size());
  std::vector<std::vector<std::string>> lines{heading};
  for (auto const& row : rows) {
    auto& line = lines.emplace_back();
    for (auto const& field : row) line.push_back(style_.raw ? field : neutral(field));
  }
  for (auto const& line : lines)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns(line[i]));
  for (auto const& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      text += line[i];
      if (i + 1 < widths.size()) text.append(widths[i] - columns(line[i]) + 2, ' ');
    }
    write(text + "\n");
  }
}

std::string Console::coloured(int colour, std::string_view text) const {
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : std::string(text);
}

void Console::notice(std::string_view text) {
  if (style_.quiet) return;
  if (style_.json)
    report_json(Json{{"notice", text}});
  else
    to_stderr(fmt::format("sessionkit: {}\n", text));
}

void Console::report(std::string_view line) { to_stderr(fmt::format("{}\n", line)); }

void Console::report_json(Json const& json) { to_stderr(sessionkit::to_raw_json(json).str() + "\n"); }

void Console::show(Failure const& failure) {
  if (failure.exit == Exit::broken_pipe) return;
  if (style_.json) {
    Json error{
        {"code", failure.code}, {"exit", static_cast<int>(failure.exit)}, {"message", failure.message}};
    if (!failure.hint.empty()) error["hint"] = failure.hint;
    report_json(Json{{"error", error}});
    return;
  }
  to_stderr(fmt::format("sessionkit: {}\n", failure.message));
  if (!failure.hint.empty()) to_stderr(fmt::format("hint: {}\n", failure.hint));
}

void Console::progress(std::size_t done, std::size_t total, char const* of) {
  if (style_.quiet || style_.json || isatty(STDERR_FILENO) == 0) return;
  constexpr std::chrono::milliseconds pause{500};
  auto const now = std::chrono::steady_clock::now();
  if (told_ == std::chrono::steady_clock::time_point{}) told_ = now;
  bool const last = done == total;
  if (last ? !tells_progress_ : now - told_ < pause) return;
  told_ = now;
  tells_progress_ = !last;
  to_stderr(last ? std::string() : fmt::format("{} of {} {}", done, total, of));
  std::fwrite(last ? "\r\x1b[K" : "\r", 1, last ? 4 : 1, stderr);
}

Exit Console::finish(Exit exit) {
  flush();
  if (write_error_ == 0) return exit;
  Failure const failure = system_failure(write_error_, "cannot write to stdout");
  show(failure);
  return failure.exit;
}

bool confirm(std::string const& question, std::string const& flag, std::string const& about) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0)
    throw Failure{Exit::usage, "confirmation_needed", "nobody is there to answer: " + question,
                  "say so on the command line: " + flag};
  to_stderr(about + question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}
