// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/native_dialect.hpp>
#include <sessionkit/detail/provider_encoders.hpp>

#include <variant>

// pi's messages: each tool result is a message.

namespace sessionkit { inline namespace v0 { namespace detail {

void encode_native_history(History const& history, Target const&, RequestParts& out) {
  if (!history.system.empty()) {
    out.system.clear();
    append_json_string(out.system, history.system);
  }
  for (Message const& message : history.messages) {
    if (message.role != Role::tool) {
      next_element(out.messages);
      encode_native_message(message, Timestamp{}, out.messages);
      continue;
    }
    for (Part const& part : message.parts) {
      if (!std::holds_alternative<ToolResult>(part)) continue;
      Message one;
      one.role = Role::tool;
      one.parts.push_back(part);
      one.metadata = message.metadata;
      next_element(out.messages);
      encode_native_message(one, Timestamp{}, out.messages);
    }
  }
}

}}}
