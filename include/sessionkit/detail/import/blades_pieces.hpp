// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The parts of a document of go-kratos/blades, as far as they can be found in a damaged one. Views are into
/// the document. Each value is one JSON value that was checked.
struct BladesPieces {
  std::vector<std::pair<std::string_view, std::string_view>>
      members;                         ///< escaped names, and values; no history
  std::vector<std::string_view> items; ///< of the history
  std::vector<Damage> damage;          ///< what is none of these; offsets in the document
  bool has_history = false;
  bool complete = false; ///< the document has its end
};

/// Finds the parts of a document. Its time is proportional to the length of the text.
BladesPieces blades_pieces(std::string_view document);

/// True if a file begins like such a document: its members have the names and types that blades writes, and
/// its items are messages. `stem` is the file's name without the extension; it must be the session's id only
/// if the beginning ends before the history. `id`, unless null, receives the id if it is in the beginning.
bool begins_blades(std::string_view begin, std::string_view stem, std::string* id = nullptr);

}}}
