// SPDX-License-Identifier: MIT
#include "markdown_inline.hpp"
#include "markdown_table.hpp"

#include <algorithm>
#include <numeric>

namespace chat {

namespace {

constexpr std::size_t separator = 3; // columns between two cells
constexpr std::size_t narrowest_column = 4;

using Cells = std::vector<std::string>;

std::string without_margins(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

/// The cells of a line; `\|` and a bar within code separate nothing.
Cells cells_of(std::string_view line) {
  Cells cells(1);
  bool in_code = false;
  auto const inside = without_margins(line);
  for (std::size_t i = inside.front() == '|' ? 1 : 0; i < inside.size(); ++i) {
    if (inside[i] == '`') in_code = !in_code;
    bool const escaped = inside[i] == '\\' && i + 1 < inside.size() && inside[i + 1] == '|';
    if (escaped) ++i;
    if (inside[i] != '|' || escaped || in_code)
      cells.back() += inside[i];
    else if (i + 1 < inside.size())
      cells.emplace_back();
  }
  for (auto& cell : cells) cell = without_margins(cell);
  return cells;
}

enum class Align { left, right, middle };

std::vector<Align> alignments(std::string_view rule) {
  std::vector<Align> all;
  for (auto const& cell : cells_of(rule)) {
    bool const right = !cell.empty() && cell.back() == ':', left = !cell.empty() && cell.front() == ':';
    all.push_back(!right ? Align::left : left ? Align::middle : Align::right);
  }
  return all;
}

/// A cell as rows of at most `columns`.
std::vector<std::string> rows_of(std::string const& cell, std::size_t columns, Style style) {
  RowWriter rows(columns);
  write_inline(cell, 0, true, style, rows);
  rows.end_line();
  auto const text = rows.take();
  std::vector<std::string> all;
  for (std::size_t begin = 0;;) {
    auto const end = text.find('\n', begin);
    all.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return all;
    begin = end + 1;
  }
}

std::size_t natural_width(std::string const& cell) {
  constexpr std::size_t no_limit = 100000;
  return visible_columns(rows_of(cell, no_limit, plain).front());
}

/// The width of each column: the widest are made narrower until all fit. Empty if they cannot.
std::vector<std::size_t> widths_of(std::vector<Cells> const& table, std::size_t columns) {
  std::vector<std::size_t> widths(table.front().size(), 1);
  for (auto const& cells : table)
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], natural_width(cells[i]));
  auto total = std::accumulate(widths.begin(), widths.end(), separator * (widths.size() - 1));
  for (; total > columns; --total) {
    auto const widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= narrowest_column) return {};
    --*widest;
  }
  return widths;
}

std::string aligned(std::string const& text, std::size_t width, Align how) {
  auto const used = visible_columns(text);
  auto const space = width > used ? width - used : 0;
  auto const before = how == Align::right ? space : how == Align::middle ? space / 2 : 0;
  return std::string(before, ' ') + text + std::string(space - before, ' ');
}

struct Look {
  std::vector<std::size_t> widths;
  std::vector<Align> aligns;
};

void write_cells(Cells const& cells, Look const& look, Style style, RowWriter& rows) {
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    parts.push_back(rows_of(cells[i], look.widths[i], style));
    height = std::max(height, parts.back().size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) rows.put_whole(" │ ", quiet);
      rows.put_styled(aligned(row < parts[i].size() ? parts[i][row] : "", look.widths[i], look.aligns[i]));
    }
    rows.end_line();
  }
}

void write_rule(Look const& look, RowWriter& rows) {
  std::string rule;
  for (std::size_t i = 0; i < look.widths.size(); ++i) {
    if (i != 0) rule += "─┼─";
    for (std::size_t column = 0; column < look.widths[i]; ++column) rule += "─";
  }
  rows.put_whole(rule, quiet);
  rows.end_line();
}

}

bool is_table_rule(std::string_view line) {
  auto const text = without_margins(line);
  return text.size() > 1 && text.front() == '|' && text.find('-') != std::string::npos
         && text.find_first_not_of("|-: \t") == std::string::npos;
}

void write_table(std::vector<std::string> const& lines, RowWriter& rows) {
  std::vector<Cells> table;
  Look look{{}, alignments(lines[1])};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == 1) continue;
    table.push_back(cells_of(lines[i]));
    table.back().resize(std::max(table.front().size(), std::size_t{1}));
  }
  look.aligns.resize(table.front().size(), Align::left);
  look.widths = widths_of(table, rows.columns());
  if (look.widths.empty()) {
    for (auto const& line : lines) {
      rows.put(line, plain);
      rows.end_line();
    }
    return;
  }
  write_cells(table.front(), look, bold, rows);
  write_rule(look, rows);
  for (std::size_t i = 1; i < table.size(); ++i) write_cells(table[i], look, plain, rows);
}

}
