// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if two lines may be joined in this line, as happens if a writer does not check that the previous line
/// has a line end. The line then contains `{"` after its beginning, and not directly after `":`, `},` or an
/// opening `[`. False for nearly every line that is one object. Reads each byte once.
SESSIONKIT_API bool may_be_glued(std::string_view text) noexcept;

/// The content of a line that is not one object: entries, and the bytes between the entries.
struct GluedLine {
  std::vector<std::string_view> entries; ///< in order
  std::vector<std::string_view> torn;    ///< bytes that belong to no entry, in order
};

/// Splits a line on which writers collided: `{entry}{entry}`, torn bytes before an entry, or stray bytes
/// around an entry. `text` must be trimmed, and must not be one whole object. Both lists of the result are
/// empty if there is no entry.
///
/// An object inside a torn entry must not become an entry. So an object is an entry only if three conditions
/// are true. First, JSON does not allow an object after the bytes before it. Second, the line's end, another
/// object or the NULs of a crash follow it. Third, the object has a type and a time, as the entries of all
/// dialects have. Therefore an entry is not found if the torn bytes before it end where JSON allows a value:
/// after `:`, `[` or `,`.
SESSIONKIT_API GluedLine split_glued(std::string_view text);

}}}
