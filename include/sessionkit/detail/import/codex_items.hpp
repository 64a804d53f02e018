// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/import.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What an item of Codex is in a history.
struct CodexItem {
  enum Kind { spoken, injected, interruption };
  Kind kind = spoken;
  Message message = {};
};

/// Converts a `response_item`, which is an item of OpenAI's Responses API. A message may lack its type. Items
/// of unknown types are kept as `Opaque`, and no provider is sent them.
SESSIONKIT_API CodexItem read_codex_item(std::string_view item);

}}}
