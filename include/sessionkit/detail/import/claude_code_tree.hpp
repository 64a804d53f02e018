// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/claude_code_lines.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::size_t no_unit = std::numeric_limits<std::size_t>::max();

/// The lines that become one entry: the blocks of one answer, a boundary and its summary, or one line.
struct ClaudeUnit {
  std::vector<std::size_t> nodes = {};
  std::size_t first = 0;         ///< index of the first node; units are ordered by it
  std::size_t parent = no_unit;  ///< the unit after which the entry comes
  std::size_t answers = no_unit; ///< for a result: the answer that has its call
  std::vector<std::size_t> results =
      {}; ///< for an answer: the units with the results of its calls, in the order of the file
  std::size_t calls = 0, answered = 0, children = 0;
};

/// The conversation as a tree of units.
struct ClaudeTree {
  std::vector<ClaudeUnit> units = {};
  std::vector<std::size_t> order = {}; ///< all units, each after its parent
  std::size_t complete = 0;            ///< how many units of `order` precede the first that may still change
};

/// Joins the lines to units, and links the units as the program links the lines when it reads them. The
/// results of parallel calls form a chain, and what follows these results is linked to the last of them. Sets
/// `ClaudeNode::unit`.
ClaudeTree make_claude_tree(ClaudeLines& lines);

}}}
