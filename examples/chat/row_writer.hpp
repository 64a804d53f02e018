// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chat {

/// How text looks on a terminal; combine with `|`.
enum Style : unsigned {
  plain = 0,
  bold = 1,
  italic = 2,
  underlined = 4,
  struck = 8,
  code = 16,
  quiet = 32,
  person = 64,
  model = 128,
};
constexpr Style operator|(Style a, Style b) {
  return static_cast<Style>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// The text in a style, made harmless (`cli::neutral`): only our own sequences reach the terminal.
std::string in_style(std::string_view text, Style style);

/// The columns that a text with our own sequences takes.
std::size_t visible_columns(std::string_view styled);

/// Breaks styled text into rows between words, or after a wide character. A word is written when it is
/// complete, so that nothing that was written changes.
class RowWriter {
 public:
  /// `used`: the columns of the first row that have text already.
  explicit RowWriter(std::size_t columns, std::size_t used = 0) : columns_(columns), column_(used) {}

  /// The beginning of the rows that follow the first row of a line.
  void indent(std::string text, Style style);
  /// Text without line ends. It is made harmless.
  void put(std::string_view text, Style style);
  /// Text that is never broken, for example code: it is made harmless.
  void put_whole(std::string_view text, Style style);
  /// Text that has our own sequences, which end in it.
  void put_styled(std::string_view text);
  /// Ends the row, and the indentation. The line end is written with the text that follows it.
  void end_line();
  /// Writes the word that is not complete.
  void end_word();
  /// Takes what was written.
  std::string take();

  std::size_t columns() const noexcept { return columns_; }
  bool row_is_empty() const noexcept { return column_ == 0 && word_.empty(); }

 private:
  struct Piece {
    std::string text;
    Style style;
  };

  void write(std::string_view text, Style style);
  void change_to(Style style);
  void break_row();
  void break_long_word();

  std::size_t columns_;
  std::size_t column_;
  Piece indent_{{}, plain};
  std::vector<Piece> word_ = {};
  std::size_t word_columns_ = 0;
  Piece spaces_{{}, plain}; ///< before the word; dropped where a row ends
  Style written_ = plain;   ///< of the last text
  std::size_t ends_ = 0;    ///< line ends that are not written yet
  std::string out_ = {};
};

}
