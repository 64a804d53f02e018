// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// JSON text for a request body.
struct RequestParts {
  /// The system text in the provider's form: a JSON string, or an object for gemini. It is `null` if there is
  /// no system text, or if the text is among the messages.
  std::string system;
  std::string messages; ///< a JSON array
};

/// Writes a history in a provider's wire format. The same history always gives the same bytes. Pass the
/// `target` for which the history was rebuilt. anthropic: Messages API, `system` and `messages`. openai_chat:
/// Chat Completions, the system text as first message. openai_responses: `instructions` and `input`; a
/// `Thinking::signature` is the reasoning item as the API gave it, in JSON. gemini: `systemInstruction` and
/// `contents`; signatures are the `thoughtSignature` of the same part. native: pi's messages.
SESSIONKIT_API RequestParts encode(History const& history, Target const& target);

/// The names of the parts in the request body; empty if the body has no such member.
struct RequestMembers {
  std::string_view system, messages;
};
/// The names in the provider's documentation; `native` has none.
SESSIONKIT_API RequestMembers request_members(Provider provider) noexcept;

/// "anthropic", "openai-chat", "openai-responses", "gemini", "native", with `-` or `_`; `invalid_argument`
/// names them for anything else.
SESSIONKIT_API Result<Provider> parse_provider(std::string_view name);

}}
