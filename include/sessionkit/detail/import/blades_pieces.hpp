// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/import.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members and items that were found in a document of go-kratos/blades, which may be damaged. All views
/// point into the document. Each value is one JSON value that was checked.
struct BladesPieces {
  std::vector<std::pair<std::string_view, std::string_view>>
      members;                         ///< names (still escaped) and values, without the history
  std::vector<std::string_view> items; ///< the items of the history
  std::vector<Damage> damage;          ///< all text that is none of these; offsets count in the document
  bool has_history = false;
  bool complete = false; ///< the closing bracket of the document was found
};

/// Finds the members and items of a document, in time proportional to its length.
BladesPieces blades_pieces(std::string_view document);

/// True if a file begins like such a document: its members have the names and types that blades writes, and
/// its items are messages. `stem` is the file's name without the extension. If `begin` ends before the
/// history, `stem` must be the session's id. If `id` is not null, it receives the id, or an empty text if
/// `begin` has no id.
bool begins_blades(std::string_view begin, std::string_view stem, std::string* id = nullptr);

}}}
