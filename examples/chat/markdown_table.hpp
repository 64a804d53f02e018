// SPDX-License-Identifier: MIT
#pragma once
#include "row_writer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace chat {

/// True for the second line of a table, which says how its columns are aligned: `|---|:-:|`.
bool is_table_rule(std::string_view line);

/// Writes the lines of a table, whose second is its rule, in columns. Cells are broken into rows where the
/// table is wider than the terminal. A table with more columns than fit is written as its lines.
void write_table(std::vector<std::string> const& lines, RowWriter& rows);

}
