// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// False for nearly every line that is one object, and that costs one look at its bytes. True where `{"`
/// is elsewhere than after `":`, `},` or an opening `[`, as when a writer does not look whether the line
/// before has an end.
SESSIONKIT_API bool may_be_glued(std::string_view text) noexcept;

/// What is left in a line that is not one object: the entries on it, and the bytes between them.
struct GluedLine {
  std::vector<std::string_view> entries; ///< in order
  std::vector<std::string_view> torn;    ///< bytes that belong to no entry, in order
};

/// Takes a line apart where writers collided: `{entry}{entry}`, torn bytes before an entry, stray bytes
/// around one. `text` is trimmed and not one whole object. Without entries nothing was found.
///
/// An object inside a torn entry must not become an entry. So an object counts only where the grammar says
/// that none is possible (the bytes before it are no longer JSON there), with nothing but the line's end,
/// another object or the NULs of a crash after it, and if it names its type and its time, as the entries of
/// all dialects do. What follows bytes that were torn just where JSON allows a value, after `:`, `[` or `,`,
/// is therefore not found.
SESSIONKIT_API GluedLine split_glued(std::string_view text);

}}}
