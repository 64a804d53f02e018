// SPDX-License-Identifier: MIT
// Encodes a history as pi's messages.
#pragma once
#include <sessionkit/detail/dialects/native_encode.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/detail/providers/provider_native.hpp>

#include <algorithm>
#include <variant>

// In pi's messages each tool result is a message.

namespace sessionkit { inline namespace v0 { namespace detail {

SESSIONKIT_SELDOM void encode_native_history(History const& history, Target const&, RequestParts& out) {
  if (!history.system.empty()) {
    out.system.clear();
    append_json_string(out.system, history.system);
  }
  for (Message const& message : history.messages) {
    bool const results = std::any_of(message.parts.begin(), message.parts.end(), [](Part const& part) {
      return std::holds_alternative<ToolResult>(part);
    });
    if (!results && message.role != Role::tool) {
      next_element(out.messages);
      encode_native_message(message, Timestamp{}, out.messages);
    }
    if (!results) continue;
    for (Message one : split_tool_results(message)) {
      one.metadata = message.metadata;
      next_element(out.messages);
      encode_native_message(one, Timestamp{}, out.messages);
    }
  }
}

}}}
