// SPDX-License-Identifier: MIT
#include "ai_sdk_messages.hpp"

#include <sessionkit/json.hpp>

namespace adapters {

namespace sk = sessionkit;

namespace {

sk::Part part_of(ai::ContentPart const& part) {
  if (auto const* const text = std::get_if<ai::TextContentPart>(&part)) return sk::Text{text->text};
  if (auto const* const call = std::get_if<ai::ToolCallContentPart>(&part))
    return sk::ToolUse{call->id, call->tool_name, sk::to_raw_json(call->arguments)};
  auto const& answer = std::get<ai::ToolResultContentPart>(part);
  sk::ToolResult result;
  result.tool_use_id = answer.tool_call_id;
  result.is_error = answer.is_error;
  bool const is_text = answer.result.is_string();
  result.content.emplace_back(
      sk::Text{is_text ? answer.result.get<std::string>() : sk::to_raw_json(answer.result).str()});
  return result;
}

std::string text_in(sk::ToolResult const& result) {
  std::string text;
  for (auto const& piece : result.content)
    if (auto const* const said = std::get_if<sk::Text>(&piece)) text += said->text;
  return text;
}

void add_part(std::vector<ai::ContentPart>& content, sk::Part const& part) {
  if (auto const* const text = std::get_if<sk::Text>(&part))
    content.emplace_back(ai::TextContentPart{text->text});
  if (auto const* const call = std::get_if<sk::ToolUse>(&part))
    content.emplace_back(ai::ToolCallContentPart{call->id, call->name, sk::to_nlohmann(call->input)});
  if (auto const* const result = std::get_if<sk::ToolResult>(&part))
    content.emplace_back(ai::ToolResultContentPart{result->tool_use_id, text_in(*result), result->is_error});
}

}

sk::Message from_ai_sdk(ai::Message const& message) {
  sk::Message out;
  out.role = message.role == ai::kMessageRoleSystem      ? sk::Role::system
             : message.role == ai::kMessageRoleAssistant ? sk::Role::assistant
                                                         : sk::Role::user;
  for (auto const& part : message.content) {
    if (std::holds_alternative<ai::ToolResultContentPart>(part)) out.role = sk::Role::tool;
    out.parts.push_back(part_of(part));
  }
  return out;
}

ai::Messages to_ai_sdk(sk::History const& history) {
  ai::Messages out;
  for (sk::Message const& message : history.messages) {
    std::vector<ai::ContentPart> content;
    for (sk::Part const& part : message.parts) add_part(content, part);
    bool const assistant = message.role == sk::Role::assistant;
    out.emplace_back(assistant ? ai::kMessageRoleAssistant : ai::kMessageRoleUser, std::move(content));
  }
  return out;
}

}
