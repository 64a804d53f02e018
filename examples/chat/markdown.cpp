// SPDX-License-Identifier: MIT
// Blocks of Markdown, line by line. A parser of whole documents (md4c) cannot be used: it reads an answer
// when it is complete, and a person reads it while it arrives.
#include "markdown.hpp"
#include "markdown_inline.hpp"
#include "markdown_table.hpp"

#include <algorithm>

namespace chat {

namespace {

constexpr std::size_t most_table_lines = 500; // held until the table is complete

std::string_view without_indent(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

bool is_blank(std::string_view text) { return without_indent(text).empty(); }

/// True for marks that are a rule if there are three: "---", "* * *".
bool is_rule_so_far(std::string_view text) {
  auto const inside = without_indent(text);
  if (inside.empty() || std::string_view("-*_").find(inside.front()) == std::string_view::npos) return false;
  return std::all_of(inside.begin(), inside.end(),
                     [&](char c) { return c == inside.front() || c == ' ' || c == '\t'; });
}

bool is_rule(std::string_view text) {
  return is_rule_so_far(text) && std::count(text.begin(), text.end(), without_indent(text).front()) >= 3;
}

bool begins_fence(std::string_view text) { return text.substr(0, 3) == "```" || text.substr(0, 3) == "~~~"; }

/// The marks at the beginning of a line.
struct Marks {
  std::size_t text = 0;    ///< where the text begins
  std::size_t quotes = 0;  ///< `>`
  std::size_t indent = 0;  ///< spaces
  std::size_t heading = 0; ///< the level; 0: none
  std::string item = {};   ///< what a list shows before an item
};

std::size_t spaces_at(std::string_view text, std::size_t at) {
  auto const end = text.find_first_not_of(" \t", at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

bool ends_word(std::string_view text, std::size_t at) { return at == text.size() || text[at] == ' '; }

void read_item(std::string_view text, Marks& marks) {
  auto at = marks.text;
  if (at < text.size() && std::string_view("-*+").find(text[at]) != std::string_view::npos) {
    if (ends_word(text, at + 1)) marks.item = "• ";
    ++at;
  } else {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    bool const numbered = at != marks.text && at < text.size() && (text[at] == '.' || text[at] == ')');
    ++at;
    if (numbered && ends_word(text, at))
      marks.item = std::string(text.substr(marks.text, at - marks.text)) + ' ';
  }
  if (!marks.item.empty()) marks.text = at + spaces_at(text, at);
}

Marks marks_of(std::string_view text) {
  Marks marks;
  auto const skip = [&] {
    auto const spaces = spaces_at(text, marks.text);
    marks.text += spaces;
    return spaces;
  };
  marks.indent = skip();
  while (marks.text < text.size() && text[marks.text] == '>') {
    ++marks.quotes;
    ++marks.text;
    marks.indent = skip();
    marks.indent -= std::min<std::size_t>(marks.indent, 1);
  }
  constexpr std::size_t levels = 6;
  auto const level = std::min(text.find_first_not_of('#', marks.text), text.size()) - marks.text;
  if (level != 0 && level <= levels && ends_word(text, marks.text + level)) {
    marks.heading = level;
    marks.text += level;
    skip();
  } else {
    read_item(text, marks);
  }
  return marks;
}

/// True if nothing that follows can change what kind of line this is.
bool kind_is_known(std::string_view text) {
  auto rest = without_indent(text);
  while (!rest.empty() && rest.front() == '>') rest = without_indent(rest.substr(1));
  if (rest.empty() || rest.front() == '|' || begins_fence(rest) || is_rule_so_far(rest)) return false;
  if (std::string_view("#-*+`~_0123456789").find(rest.front()) == std::string_view::npos) return true;
  auto const word = rest.find(' ');
  return word != std::string_view::npos && !is_blank(rest.substr(word));
}

}

std::string MarkdownStream::add(std::string_view piece) {
  while (!piece.empty()) {
    auto const end = piece.find('\n');
    line_ += piece.substr(0, end);
    if (end == std::string_view::npos) break;
    finish_line();
    piece.remove_prefix(end + 1);
  }
  if (!fence_ && (begun_ || kind_is_known(line_))) write_text(false);
  return rows_.take();
}

std::string MarkdownStream::end() {
  if (!line_.empty()) finish_line();
  end_table();
  rows_.end_line();
  return rows_.take();
}

void MarkdownStream::finish_line() {
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  if (begun_ || !is_whole_line()) {
    write_text(true);
    rows_.end_line();
  }
  line_.clear();
  written_ = 0;
  begun_ = false;
  style_ = plain;
}

/// Writes the line, or keeps it, if it is of a kind that only a whole line shows.
bool MarkdownStream::is_whole_line() {
  auto const inside = without_indent(line_);
  if (fence_) {
    code_line(inside);
    return true;
  }
  if (!inside.empty() && inside.front() == '|' && hold_for_table(inside)) return true;
  end_table();
  if (begins_fence(inside) && inside.find('`', inside.find_first_not_of('`')) == std::string_view::npos) {
    fence_ = Fence{inside.front(), std::min(inside.find_first_not_of(inside.front()), inside.size())};
    begin_block();
    rows_.put_whole(line_, quiet);
  } else if (is_rule(line_)) {
    begin_block();
    constexpr std::size_t longest = 40;
    std::string rule;
    for (std::size_t i = 0; i < std::min(rows_.columns(), longest); ++i) rule += "─";
    rows_.put_whole(rule, quiet);
  } else if (!inside.empty()) {
    return false;
  }
  rows_.end_line();
  return true;
}

// The terminal breaks a long line of code, so that a copy of it is the line.
void MarkdownStream::code_line(std::string_view text) {
  auto const run = std::min(text.find_first_not_of(fence_->mark), text.size());
  bool const closes = run >= fence_->length && is_blank(text.substr(run));
  rows_.put_whole(line_, closes ? quiet : code);
  if (closes) fence_.reset();
  rows_.end_line();
}

bool MarkdownStream::hold_for_table(std::string_view text) {
  if (table_.size() == 1 && !is_table_rule(text)) return false;
  if (table_.size() >= most_table_lines) return false;
  table_.emplace_back(text);
  return true;
}

void MarkdownStream::end_table() {
  if (table_.size() > 1) {
    begin_block();
    write_table(table_, rows_);
  } else if (!table_.empty()) {
    write_inline(table_.front(), 0, true, plain, rows_);
    rows_.end_line();
  }
  table_.clear();
}

void MarkdownStream::begin_block() {
  if (!rows_.row_is_empty()) rows_.end_line();
}

void MarkdownStream::begin_line() {
  end_table();
  begun_ = true;
  auto const marks = marks_of(line_);
  written_ = marks.text;
  if (marks.quotes != 0 || marks.heading != 0 || !marks.item.empty()) begin_block();
  std::string before;
  for (std::size_t i = 0; i < marks.quotes; ++i) before += "│ ";
  before += std::string(2 * marks.indent < rows_.columns() ? marks.indent : 0, ' ');
  rows_.put_whole(before, quiet);
  rows_.put_whole(marks.item, plain);
  rows_.indent(before + std::string(visible_columns(marks.item), ' '), quiet);
  if (marks.heading != 0) style_ = marks.heading == 1 ? bold | underlined : bold;
}

void MarkdownStream::write_text(bool complete) {
  if (!begun_) begin_line();
  written_ = write_inline(line_, written_, complete, style_, rows_);
}

}
