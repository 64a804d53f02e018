// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/// An entry in the drawing of a tree.
struct Branch {
  std::size_t entry;  ///< in the vector that was given
  std::string indent; ///< lines that lead to it
};

/// The entries in the order in which a tree is drawn. A conversation runs straight down; children are
/// indented only where branches begin.
std::vector<Branch> branches_of(std::vector<sessionkit::Entry> const& entries);

}
