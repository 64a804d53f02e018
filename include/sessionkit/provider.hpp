// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The two members of a request body that a history fills, as JSON text, and what the host should know about
/// them.
struct RequestParts {
  /// The system text: an object for gemini, and a JSON string for the others. It is `null` if there is no
  /// system text, or if the provider's API takes the system text as one of the messages.
  std::string system;
  std::string messages; ///< a JSON array
  /// True if the request must be sent without reasoning (`History::reasoning_must_be_off`).
  bool reasoning_must_be_off = false;
  /// What was changed so that the provider accepts the messages (`History::report`). `Session::request` does
  /// not report changes of messages that it did not encode again. `encode` leaves this list empty: the
  /// changes are in `History::report`.
  std::vector<Repair> report = {};
};

/// Writes a history in a provider's wire format. The same history always gives the same bytes. Pass the
/// `target` for which the history was rebuilt.
///
/// `anthropic` writes `system` and `messages` of the Messages API. `openai_chat` writes the messages of Chat
/// Completions, with the system text as the first message. `openai_responses` writes `instructions` and
/// `input`; each `Thinking::signature` is a complete reasoning item as the API gave it, in JSON. `gemini`
/// writes `systemInstruction` and `contents`; each signature becomes the `thoughtSignature` of its part.
/// `native` writes pi's messages.
SESSIONKIT_API RequestParts encode(History const& history, Target const& target);

/// The names that the two members of `RequestParts` have in a request body. A name is empty if the body has
/// no such member.
struct RequestMembers {
  std::string_view system;   ///< for example "systemInstruction"
  std::string_view messages; ///< for example "contents"
};
/// Returns the names of the two members in the provider's API. For `native`: "system" and "messages".
SESSIONKIT_API RequestMembers request_members(Provider provider) noexcept;

/// Returns the name that requests for this target use for a tool. Use this name also in the list of tools in
/// the request body. A name that the server accepts is unchanged. A byte that the server refuses becomes
/// `_xHH_`, with the byte in hexadecimal: `mcp.read` becomes `mcp_x2E_read`. If the name is then too long, it
/// is cut, and a checksum is added.
SESSIONKIT_API std::string sent_tool_name(Target const& target, std::string_view name);

/// Returns the host's name of a tool that an answer calls. The function is the inverse of `sent_tool_name`.
/// It returns a name unchanged if the name was cut, or if `sent_tool_name` did not make it. So a host with
/// names that were cut must compare `sent` with the `sent_tool_name` of each of its tools. The log may
/// contain the host's name or the sent name; the requests are the same.
SESSIONKIT_API std::string host_tool_name(Target const& target, std::string_view sent);

/// Reads the name of a provider: "anthropic", "openai-chat", "openai-responses", "gemini" or "native". In the
/// name, `-` and `_` mean the same. Fails with `invalid_argument` for any other name; the error message
/// lists the valid names.
SESSIONKIT_API Result<Provider> parse_provider(std::string_view name);

}}
