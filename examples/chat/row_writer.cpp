// SPDX-License-Identifier: MIT
#include "row_writer.hpp"

#include <common/text.hpp>
#include <utility>

namespace chat {

namespace {

/// Selects a style on a terminal. The eight basic colours only, so that they fit any background.
std::string sequence(Style style) {
  struct Code {
    Style style;
    char const* number;
  };
  constexpr Code codes[] = {{bold, "1"},   {quiet, "2"}, {italic, "3"},  {underlined, "4"},
                            {struck, "9"}, {code, "36"}, {person, "32"}, {model, "35"}};
  std::string numbers = "0";
  for (auto const& [one, number] : codes)
    if ((style & one) != 0) numbers += std::string(";") + number;
  return "\x1b[" + numbers + "m";
}

/// The bytes of the first character of valid UTF-8.
std::size_t first_length(std::string_view text) {
  auto const first = static_cast<unsigned char>(text.front());
  return first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
}

}

std::string in_style(std::string_view text, Style style) {
  return style == plain || text.empty() ? cli::neutral(text)
                                        : sequence(style) + cli::neutral(text) + sequence(plain);
}

std::size_t visible_columns(std::string_view styled) {
  std::string text;
  for (std::size_t i = 0; i < styled.size(); ++i)
    if (styled[i] == '\x1b')
      i = styled.find('m', i);
    else
      text += styled[i];
  return cli::columns(text);
}

void RowWriter::indent(std::string text, Style style) {
  bool const fits = 2 * cli::columns(text) < columns_;
  indent_ = {fits ? std::move(text) : std::string(), style};
}

void RowWriter::put(std::string_view text, Style style) {
  auto const harmless = cli::neutral(text);
  for (std::string_view rest = harmless; !rest.empty();) {
    auto const one = rest.substr(0, first_length(rest));
    rest.remove_prefix(one.size());
    auto const width = cli::columns(one);
    bool const is_space = one == " " || one == "\t";
    if (is_space || width > 1) end_word();
    if (is_space) {
      spaces_.text += ' ';
      spaces_.style = style;
      continue;
    }
    if (word_.empty() || word_.back().style != style) word_.push_back({{}, style});
    word_.back().text += one;
    word_columns_ += width;
    if (width > 1) end_word();
  }
}

void RowWriter::put_whole(std::string_view text, Style style) {
  end_word();
  write(cli::neutral(text), style);
  column_ += cli::columns(text);
}

void RowWriter::end_word() {
  if (word_.empty()) return;
  if (column_ + spaces_.text.size() + word_columns_ > columns_ && column_ > cli::columns(indent_.text))
    break_row();
  write(spaces_.text, spaces_.style);
  column_ += spaces_.text.size();
  spaces_.text.clear();
  if (column_ + word_columns_ > columns_) break_long_word();
  for (auto const& piece : word_) write(piece.text, piece.style);
  column_ += word_columns_;
  word_.clear();
  word_columns_ = 0;
}

// A word that is longer than a row: all but its end is written.
void RowWriter::break_long_word() {
  for (auto& piece : word_)
    while (column_ + cli::columns(piece.text) > columns_) {
      if (column_ >= columns_) break_row();
      auto const length = cli::fitting(piece.text, columns_ - column_);
      auto const width = cli::columns(std::string_view(piece.text).substr(0, length));
      write(std::string_view(piece.text).substr(0, length), piece.style);
      piece.text.erase(0, length);
      column_ += width;
      word_columns_ -= width;
      if (!piece.text.empty()) break_row();
    }
}

void RowWriter::break_row() {
  spaces_.text.clear();
  write("\n", plain);
  write(indent_.text, indent_.style);
  column_ = cli::columns(indent_.text);
}

void RowWriter::put_styled(std::string_view text) {
  end_word();
  if (text.empty()) return;
  change_to(plain);
  write(text, plain);
  column_ += visible_columns(text);
}

// A row that is not full never ends in a style: the terminal would colour the rest of it.
void RowWriter::end_line() {
  end_word();
  spaces_.text.clear();
  indent_ = {{}, plain};
  change_to(plain);
  ++ends_;
  column_ = 0;
}

std::string RowWriter::take() { return std::exchange(out_, {}); }

void RowWriter::change_to(Style style) {
  if (style != written_) out_ += sequence(style);
  written_ = style;
}

void RowWriter::write(std::string_view text, Style style) {
  if (text.empty()) return;
  if (ends_ != 0) change_to(plain);
  out_.append(std::exchange(ends_, 0), '\n');
  change_to(style);
  out_ += text;
}

}
