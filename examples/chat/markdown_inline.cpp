// SPDX-License-Identifier: MIT
// Marks within a line of Markdown. Answers stream, so this reads forward once and keeps no tree of a
// document.
#include "markdown_inline.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace chat {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_punctuation(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0; }

std::size_t run_length(std::string_view text, std::size_t at) {
  auto const end = text.find_first_not_of(text[at], at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

/// The part of a line that decides what a mark means.
struct Window {
  std::string_view text;
  bool complete; ///< nothing that follows can change the meaning

  char before(std::size_t at) const { return at == 0 ? ' ' : text[at - 1]; }
  char at(std::size_t place) const { return place < text.size() ? text[place] : ' '; }
};

/// Where a mark ends; `unknown`: that is not known before more of the line has come.
struct Place {
  std::size_t at = std::string_view::npos;
  bool unknown = false;
};

/// The next run of exactly so many backticks.
Place code_end(Window const& in, std::size_t from, std::size_t length) {
  for (auto at = in.text.find('`', from); at != std::string_view::npos;) {
    auto const run = run_length(in.text, at);
    if (at + run == in.text.size() && !in.complete) return {std::string_view::npos, true};
    if (run == length) return {at};
    at = in.text.find('`', at + run);
  }
  return {std::string_view::npos, !in.complete};
}

bool opens(Window const& in, std::size_t at, std::size_t length) {
  char const before = in.before(at), after = in.at(at + length);
  if (is_space(after) || (in.text[at] == '_' && is_word(before))) return false;
  return !is_punctuation(after) || after == '`' || is_space(before) || is_punctuation(before);
}

bool closes(Window const& in, std::size_t at, std::size_t length) {
  return !is_space(in.before(at)) && !(in.text[at] == '_' && is_word(in.at(at + length)));
}

/// The end of emphasis by so many marks. Code and escaped characters within it are not looked at.
Place emphasis_end(Window const& in, std::size_t from, char mark, std::size_t length) {
  for (std::size_t at = from; at < in.text.size();) {
    char const c = in.text[at];
    if (c == '\\') {
      at += 2;
      continue;
    }
    if (c != '`' && c != mark) {
      ++at;
      continue;
    }
    auto const run = run_length(in.text, at);
    if (at + run == in.text.size() && !in.complete) return {std::string_view::npos, true};
    if (c == '`') {
      auto const end = code_end(in, at + run, run);
      if (end.unknown) return end;
      at = end.at == std::string_view::npos ? at + run : end.at + run;
      continue;
    }
    bool const fits = run == length || (run == 3 && length < 3); // the rest of three ends what is within
    if (fits && at > from && closes(in, at, run)) return {at + run - length};
    at += run;
  }
  return {std::string_view::npos, !in.complete};
}

struct Link {
  std::string_view label, target;
  std::size_t end = std::string_view::npos; ///< npos: no link
  bool unknown = false;
};

Link link_at(Window const& in, std::size_t at) {
  auto const close = in.text.find(']', at);
  if (close == std::string_view::npos || (close + 1 == in.text.size() && !in.complete))
    return {{}, {}, std::string_view::npos, !in.complete};
  if (in.at(close + 1) != '(') return {};
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i < in.text.size(); ++i) {
    if (in.text[i] == '(') ++depth;
    if (in.text[i] == ')' && --depth == 0) {
      auto target = in.text.substr(close + 2, i - close - 2);
      return {in.text.substr(at + 1, close - at - 1), target.substr(0, target.find(" \"")), i + 1};
    }
  }
  return {{}, {}, std::string_view::npos, !in.complete};
}

class Inline {
 public:
  Inline(std::string_view line, bool complete, Style style, RowWriter& rows)
      : line_(line), complete_(complete), style_(style), rows_(rows) {}

  std::size_t write_from(std::size_t begin) {
    at_ = begin;
    while (at_ < line_.size() && step()) {}
    return at_;
  }

 private:
  // Each returns false if it must wait for more of the line.
  bool step() {
    switch (line_[at_]) {
    case '\\': return escaped();
    case '`': return code_span();
    case '*':
    case '_': return emphasis();
    case '~': return strike();
    case '[': return link(0);
    case '!': return picture();
    case '<': return address();
    default: return text();
    }
  }

  Window window() const {
    auto const begin = at_ == 0 ? 0 : at_ - 1; // the byte before decides, too
    auto const end = std::min(line_.size(), at_ + most_held);
    return {line_.substr(begin, end - begin), complete_ || end == at_ + most_held};
  }
  std::size_t here() const { return at_ == 0 ? 0 : 1; } ///< in the window
  bool is_last() const { return at_ + 1 == line_.size() && !complete_; }

  bool as_text(std::size_t length) {
    rows_.put(line_.substr(at_, length), style_);
    at_ += length;
    return true;
  }

  bool escaped() {
    if (is_last()) return false;
    if (at_ + 1 < line_.size() && is_punctuation(line_[at_ + 1])) ++at_;
    return as_text(1);
  }

  bool code_span() {
    auto const in = window();
    auto const run = run_length(in.text, here());
    auto const end = code_end(in, here() + run, run);
    if (end.unknown) return false;
    if (end.at == std::string_view::npos) return as_text(run);
    auto inside = in.text.substr(here() + run, end.at - here() - run);
    if (inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ')
      inside = inside.substr(1, inside.size() - 2);
    rows_.put(inside, style_ | code);
    at_ += end.at + run - here();
    return true;
  }

  bool emphasis() {
    constexpr Style styles[] = {plain, italic, bold, bold | italic};
    auto const run = run_length(window().text, here());
    if (run > 3) return as_text(run);
    return marked(run, styles[run]);
  }

  bool strike() {
    auto const run = run_length(window().text, here());
    if (run == 1 && is_last()) return false;
    return run == 2 ? marked(run, struck) : as_text(run);
  }

  bool marked(std::size_t run, Style how) {
    auto const in = window();
    if (here() + run == in.text.size() && !in.complete) return false;
    if (!opens(in, here(), run)) return as_text(run);
    auto const end = emphasis_end(in, here() + run, line_[at_], run);
    if (end.unknown) return false;
    if (end.at == std::string_view::npos) return as_text(run);
    nested(in.text.substr(here() + run, end.at - here() - run), how);
    at_ += end.at + run - here();
    return true;
  }

  void nested(std::string_view inside, Style how) { write_inline(inside, 0, true, style_ | how, rows_); }

  bool link(std::size_t mark) {
    auto const in = window();
    auto const found = link_at(in, here() + mark);
    if (found.unknown) return false;
    if (found.end == std::string_view::npos) return as_text(mark + 1);
    if (mark != 0) rows_.put("image: ", style_ | quiet);
    nested(found.label, underlined);
    if (found.label != found.target) rows_.put(" (" + std::string(found.target) + ")", style_ | quiet);
    at_ += found.end - here();
    return true;
  }

  bool picture() {
    if (is_last()) return false;
    return at_ + 1 < line_.size() && line_[at_ + 1] == '[' ? link(1) : as_text(1);
  }

  bool address() {
    auto const in = window();
    auto const end = in.text.find_first_of(" >", here());
    if (end == std::string_view::npos && !in.complete) return false;
    auto const inside =
        end == std::string_view::npos ? std::string_view() : in.text.substr(here() + 1, end - here() - 1);
    if (inside.find(':') == std::string_view::npos || in.at(end) != '>') return as_text(1);
    rows_.put(inside, style_ | underlined);
    at_ += inside.size() + 2;
    return true;
  }

  bool text() {
    auto const end = std::min(line_.find_first_of("\\`*_~[!<", at_), line_.size());
    return as_text(end - at_);
  }

  std::string_view line_;
  bool complete_;
  Style style_;
  RowWriter& rows_;
  std::size_t at_ = 0;
};

}

std::size_t write_inline(std::string_view line, std::size_t begin, bool complete, Style style,
                         RowWriter& rows) {
  return Inline(line, complete, style, rows).write_from(begin);
}

}
