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
  std::size_t first = 0;         ///< index of the first node: the place in the file
  std::size_t parent = no_unit;  ///< unit after which the entry comes
  std::size_t answers = no_unit; ///< of results: the answer with their call
  std::vector<std::size_t> results =
      {}; ///< of an answer: the units with its results, in the order of the file
  std::size_t calls = 0, answered = 0, children = 0;
};

/// The conversation as a tree of units.
struct ClaudeTree {
  std::vector<ClaudeUnit> units = {};
  std::vector<std::size_t> order = {}; ///< all units, each after its parent
  std::size_t complete = 0;            ///< how many of `order` come before the first that may still change
};

/// Joins the lines to units, and links these as the program reads them: the results of parallel calls in a
/// chain, and what follows them after the last one. Sets `ClaudeNode::unit`.
ClaudeTree make_claude_tree(ClaudeLines& lines);

}}}
