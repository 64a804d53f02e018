// SPDX-License-Identifier: MIT
#include "llama_messages.hpp"

#include <utility>
#include <variant>

namespace adapters {

namespace sk = sessionkit;

namespace {

common_chat_msg tool_message(sk::ToolResult const& result) {
  common_chat_msg out;
  out.role = "tool";
  out.tool_name = result.tool_name;
  out.tool_call_id = result.tool_use_id;
  out.content = result.text();
  return out;
}

common_chat_msg spoken_message(sk::Message const& message) {
  common_chat_msg out;
  out.role = message.role == sk::Role::assistant ? "assistant" : "user";
  out.content = message.text();
  for (sk::Part const& part : message.parts)
    if (auto const* const thinking = std::get_if<sk::Thinking>(&part))
      out.reasoning_content += thinking->text;
  for (sk::ToolUse const* call : message.tool_uses())
    out.tool_calls.push_back({call->name, call->input.str(), call->id});
  return out;
}

sk::Role role_of(std::string const& role) {
  if (role == "system") return sk::Role::system;
  if (role == "assistant") return sk::Role::assistant;
  return role == "tool" ? sk::Role::tool : sk::Role::user;
}

}

sk::Message from_llama(common_chat_msg const& message) {
  sk::Message out;
  out.role = role_of(message.role);
  if (out.role == sk::Role::tool) {
    out.parts.emplace_back(
        sk::ToolResult{message.tool_call_id, message.tool_name, {sk::Text{message.content}}});
    return out;
  }
  if (!message.reasoning_content.empty()) out.parts.emplace_back(sk::Thinking{message.reasoning_content});
  if (!message.content.empty()) out.parts.emplace_back(sk::Text{message.content});
  for (auto const& part : message.content_parts)
    if (part.type == "text") out.parts.emplace_back(sk::Text{part.text});
  for (auto const& call : message.tool_calls) {
    std::string const id = call.id.empty() ? "call_" + std::to_string(out.parts.size()) : call.id;
    out.parts.emplace_back(sk::ToolUse{id, call.name, sk::RawJson::from(call.arguments)});
  }
  return out;
}

std::vector<common_chat_msg> to_llama(sk::History const& history) {
  std::vector<common_chat_msg> out;
  if (!history.system.empty()) {
    common_chat_msg system;
    system.role = "system";
    system.content = history.system;
    out.push_back(std::move(system));
  }
  for (sk::Message const& message : history.messages) {
    if (message.role != sk::Role::tool) out.push_back(spoken_message(message));
    for (sk::Part const& part : message.parts)
      if (auto const* const result = std::get_if<sk::ToolResult>(&part)) out.push_back(tool_message(*result));
  }
  return out;
}

}
