// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/import.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// An item of Codex, as a message of a history.
struct CodexItem {
  enum Kind { spoken, injected, interruption };
  Kind kind = spoken;
  Message message = {};
};

/// Converts a `response_item`, which is an item of OpenAI's Responses API. A message may come without its
/// `type`. Items of unknown types become an `Opaque` part, which no provider receives.
SESSIONKIT_API CodexItem read_codex_item(std::string_view item);

}}}
