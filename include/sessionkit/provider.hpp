// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string>

namespace sessionkit { inline namespace v0 {

/// JSON text for a request body.
struct RequestParts {
  std::string system; ///< a JSON string; `null` where there is none or the provider has it among the messages
  std::string messages; ///< a JSON array
};

/// Writes a history in a provider's wire format, canonical: the same history gives the same bytes. `target`
/// is the one the history was rebuilt for. anthropic: Messages API, `system` and `messages`. openai_chat:
/// Chat Completions, the system text as first message. native: pi's messages.
SESSIONKIT_API RequestParts encode(History const& history, Target const& target);

/// "anthropic", "openai-chat", "native"; `invalid_argument` names them for anything else.
SESSIONKIT_API Result<Provider> parse_provider(std::string_view name);

}}
