// SPDX-License-Identifier: MIT
#pragma once
#include "row_writer.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chat {

/// An answer that streams, as styled rows for a terminal: headings, lists, quotes, code, tables, emphasis and
/// links. Each piece returns what can be written now and never changes: whole words of the open line, whole
/// lines of code, and whole tables. So nothing flickers, and the terminal may scroll or change its size. All
/// text is made harmless. The rows do not depend on how the text is divided into pieces.
class MarkdownStream {
 public:
  /// `used`: the columns of the first row that have text already.
  explicit MarkdownStream(std::size_t columns, std::size_t used = 0) : rows_(columns, used) {}

  std::string add(std::string_view piece);
  /// The rest, without the end of the last line.
  std::string end();

 private:
  struct Fence {
    char mark;
    std::size_t length;
  };

  void finish_line();
  bool is_whole_line();
  void code_line(std::string_view text);
  bool hold_for_table(std::string_view text);
  void end_table();
  void begin_line();
  void begin_block();
  void write_text(bool complete);

  RowWriter rows_;
  std::string line_ = {};               ///< the open line
  std::size_t written_ = 0;             ///< of the open line
  bool begun_ = false;                  ///< the kind of the open line is known, and its marks are written
  Style style_ = plain;                 ///< of the open line
  std::optional<Fence> fence_ = {};     ///< within a block of code
  std::vector<std::string> table_ = {}; ///< lines that may be a table; not written yet
};

}
