// SPDX-License-Identifier: MIT
#pragma once
#include "console.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// A finding of `doctor` or `verify`, as a person reads it.
struct Seen {
  bool damage;
  std::string kind;
  std::string place;                 ///< a path relative to the store, or a session
  std::optional<std::uint64_t> line; ///< where in the file
  std::string what, action = {};     ///< sentences
};

/// Those that a person needs to read only once.
struct Alike {
  Seen first;
  std::size_t count = 1;
  std::vector<std::string> places; ///< each once, the first ones
  std::size_t more_places = 0;     ///< that are not in `places`
};

/// Damage first. Damage is alike if it is of one kind in one file, a notice if it is of one kind; the actions
/// are the same too.
std::vector<Alike> group_alike(std::vector<Seen> const& all);

/// Prints them, a paragraph each.
void write_alike(Console& console, std::vector<Seen> const& all);

}
