// SPDX-License-Identifier: MIT
#pragma once
#include "row_writer.hpp"

#include <cstddef>
#include <string_view>

namespace chat {

/// Writes the text of a line, which has whole characters, from `begin` on, with its emphasis, code and links
/// in styles. Returns the place of the first byte that is not written: of a mark whose end has not come yet,
/// if the line is not `complete`. A mark without an end in the next `most_held` bytes is text, so the rest of
/// a line never waits for long. What is written does not depend on where the calls divide the line.
std::size_t write_inline(std::string_view line, std::size_t begin, bool complete, Style style,
                         RowWriter& rows);

inline constexpr std::size_t most_held = 600;

}
