// SPDX-License-Identifier: MIT
#include "console.hpp"

#include <sessionkit/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <common/text.hpp>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>

namespace cli {

namespace {

std::size_t number_in(char const* variable, std::size_t otherwise) {
  auto const text = environment(variable);
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? number : otherwise;
}

bool wants_colours(std::string const& choice, bool pretty) {
  if (choice != "auto") return choice == "always";
  auto const term = environment("TERM"), forced = environment("CLICOLOR_FORCE");
  if (environment("NO_COLOR").empty() && !forced.empty() && forced != "0") return true;
  return pretty && environment("NO_COLOR").empty() && !term.empty() && term != "dumb";
}

// A terminal often shows later what a file or a pipe received: only bytes that are not UTF-8 differ.
std::string safe_for(bool terminal, std::string_view text) {
  return neutral(terminal ? std::string(text) : valid_utf8(text));
}

std::string safe_for_stderr(std::string_view text) { return safe_for(is_terminal(Stream::error), text); }

void say(std::string_view text) {
  std::string const safe = is_terminal(Stream::error) ? neutral(text) : valid_utf8(text);
  std::fwrite(safe.data(), 1, safe.size(), stderr);
}

std::size_t total_of(std::vector<std::size_t> const& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
}

/// Makes the widest columns narrower, down to their headings, until all fit; never the first, which people
/// copy into commands. False if they do not fit.
bool fit(std::vector<std::size_t>& widths, std::vector<std::string> const& heading, std::size_t most) {
  while (total_of(widths) > most) {
    std::size_t widest = 0;
    for (std::size_t i = 1; i < widths.size(); ++i)
      if (widths[i] > columns(heading[i]) && (widest == 0 || widths[i] > widths[widest])) widest = i;
    if (widest == 0) return false;
    --widths[widest];
  }
  return true;
}

Json with_schema(std::string const& schema, Json const& members) {
  Json document{{"schema", "sessionkit/" + schema}};
  document.update(members);
  return document;
}

}

Screen screen_of_stdout() {
  Screen screen = size_of_terminal();
  if (screen.columns == 0) screen.columns = number_in("COLUMNS", 80);
  if (screen.rows == 0) screen.rows = number_in("LINES", 24);
  return screen;
}

Console::Console(OutputStyle style)
    : style_(std::move(style)),
      pretty_(is_terminal(Stream::out) && !style_.plain && !style_.json),
      colours_(wants_colours(style_.color, pretty_)),
      screen_(screen_of_stdout()),
      holds_(pretty_ && !style_.no_pager) {}

void Console::put(std::string_view text) {
  if (write_error_ != 0) return;
  if (pretty_) clear_progress();
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) write_error_ = errno;
}

void Console::write(std::string_view text) {
  if (!holds_) return put(text);
  held_ += text;
  auto const lines = static_cast<std::size_t>(std::count(held_.begin(), held_.end(), '\n'));
  if (lines >= screen_.rows || held_.size() > screen_.rows * screen_.columns) release(true);
}

/// Writes the held text to the screen; later text follows it.
void Console::release(bool to_pager) {
  if (!std::exchange(holds_, false)) return;
  if (to_pager) pager_.start();
  put(std::exchange(held_, {}));
}

void Console::flush() {
  release(false);
  if (write_error_ == 0 && std::fflush(stdout) != 0) write_error_ = errno;
}

void Console::to_stderr(std::string_view text) {
  if (holds_ || pager_.runs()) {
    late_ += text;
  } else {
    clear_progress();
    say(text);
  }
}

std::string Console::shown(std::string_view text) const {
  return style_.raw ? std::string(text) : safe_for(pretty_, text);
}

void Console::document(char const* schema, Json const& members) {
  write(sessionkit::to_raw_json(with_schema(schema, members)).str() + "\n");
}

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
  if (fit(widths, heading, screen_.columns)) return write_aligned(lines, widths);
  for (std::size_t row = 1; row < lines.size(); ++row) // the screen is too narrow for a table
    for (std::size_t i = 0; i < widths.size(); ++i)
      write(fmt::format(
          "{}{} {}\n", row > 1 && i == 0 ? "\n" : "", heading[i],
          cut(lines[row][i], std::max<std::size_t>(screen_.columns, 20) - heading[i].size() - 1)));
}

void Console::write_aligned(std::vector<std::vector<std::string>> const& lines,
                            std::vector<std::size_t> const& widths) {
  for (auto const& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      auto const field = cut(line[i], widths[i]);
      text += field;
      if (i + 1 < widths.size()) text.append(widths[i] - columns(field) + 2, ' ');
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
    to_stderr(safe_for_stderr(fmt::format("sessionkit: {}\n", text)));
}

void Console::report(std::string_view line) { to_stderr(safe_for_stderr(fmt::format("{}\n", line))); }

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
  to_stderr(safe_for_stderr(fmt::format("sessionkit: {}\n", failure.message)));
  if (!failure.hint.empty()) to_stderr(safe_for_stderr(fmt::format("hint: {}\n", failure.hint)));
}

void Console::progress(std::size_t done, std::size_t total, char const* of) {
  tasks_ = {done, total, of};
  done_in_pass_.reset();
  show_progress(static_cast<double>(done), static_cast<double>(total), of);
}

void Console::progress_within(std::uint64_t done, std::uint64_t total) {
  constexpr double kilobyte = 1000;
  auto const part = static_cast<double>(done), whole = static_cast<double>(total);
  if (tasks_.done < tasks_.total && tasks_.total > 1) {
    if (done < total)
      show_progress(static_cast<double>(tasks_.done) + part / whole, static_cast<double>(tasks_.total),
                    tasks_.of);
    return;
  }
  bool const begins = !done_in_pass_ || done < *done_in_pass_;
  if (begins) begun_ = {};
  done_in_pass_ = done;
  show_progress(part / kilobyte, whole / kilobyte, "kB");
}

void Console::clear_progress() {
  if (std::exchange(shows_progress_, false)) std::fputs("\r\x1b[K", stderr);
}

void Console::show_progress(double done, double total, char const* of) {
  if (style_.quiet || style_.json || !is_terminal(Stream::error) || environment("TERM") == "dumb") return;
  constexpr std::chrono::milliseconds pause{500};
  auto const now = std::chrono::steady_clock::now();
  if (begun_ == std::chrono::steady_clock::time_point{}) begun_ = shown_ = now;
  bool const last = done >= total;
  if (last ? !shows_progress_ : now - shown_ < pause) return;
  shown_ = now;
  auto const elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_);
  if (last) begun_ = {};
  if (pager_.runs()) return; // the screen is the pager's
  std::fputs("\r\x1b[K", stderr);
  shows_progress_ = !last;
  if (!last)
    say(cut(progress_text(done, total, of, elapsed), std::max<std::size_t>(screen_.columns, 20) - 1));
  std::fflush(stderr);
}

Exit Console::finish(Exit exit) {
  flush();
  clear_progress();
  bool const left = pager_.runs() && write_error_ == EPIPE; // the person has closed the pager
  pager_.wait();
  say(std::exchange(late_, {}));
  if (write_error_ == 0 || left) return exit;
  Failure const failure = system_failure(write_error_, "cannot write to stdout");
  show(failure);
  return failure.exit;
}

JsonList::JsonList(Console& console, char const* schema, Json const& head, char const* member)
    : console_(console) {
  auto text = sessionkit::to_raw_json(with_schema(schema, head)).str();
  text.pop_back();
  console_.write(fmt::format("{},\"{}\":[", text, member));
}

void JsonList::add(Json const& item) {
  console_.write((std::exchange(first_, false) ? "" : ",") + sessionkit::to_raw_json(item).str());
}

void JsonList::finish(Json const& tail) {
  auto const text = sessionkit::to_raw_json(tail).str();
  console_.write(fmt::format("]{}{}\n", tail.empty() ? "" : ",", text.substr(1)));
}

void IdList::add(std::string const& id) {
  if (console_.json()) return ids_.push_back(id);
  console_.write(id + "\n");
  console_.flush();
}

void IdList::finish() {
  if (console_.json()) console_.document(schema_, {{member_, ids_}});
}

bool confirm(std::string const& question, std::string const& flag, std::string const& about) {
  if (!is_terminal(Stream::in) || !is_terminal(Stream::error))
    throw Failure{Exit::usage, "confirmation_needed", "there is nobody to answer: " + question,
                  "answer on the command line: " + flag};
  say(about + question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}
