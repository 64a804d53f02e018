// SPDX-License-Identifier: MIT
#include "ai_sdk_messages.hpp"

#include <sessionkit/json.hpp>

namespace adapters {

namespace sk = sessionkit;

namespace {

// ai-sdk-cpp sends `result.dump()`, and a session has the text of a result. A string is stored without its
// quotes, unless it would then be other JSON: so the text that is sent is always the same.
std::string stored_text(ai::JsonValue const& result) {
  bool const is_words = result.is_string() && !ai::JsonValue::accept(result.get_ref<std::string const&>());
  return is_words ? result.get<std::string>() : sk::to_raw_json(result).str();
}

ai::JsonValue sent_result(std::string const& text) {
  ai::JsonValue const value = ai::JsonValue::parse(text, nullptr, false);
  return value.is_discarded() ? ai::JsonValue(text) : value;
}

sk::Part part_of(ai::ContentPart const& part) {
  if (auto const* const text = std::get_if<ai::TextContentPart>(&part)) return sk::Text{text->text};
  if (auto const* const call = std::get_if<ai::ToolCallContentPart>(&part))
    return sk::ToolUse{call->id, call->tool_name, sk::to_raw_json(call->arguments)};
  auto const& answer = std::get<ai::ToolResultContentPart>(part);
  return sk::ToolResult{answer.tool_call_id, "", {sk::Text{stored_text(answer.result)}}, answer.is_error};
}

void add_part(std::vector<ai::ContentPart>& content, sk::Part const& part) {
  if (auto const* const text = std::get_if<sk::Text>(&part))
    content.emplace_back(ai::TextContentPart{text->text});
  if (auto const* const call = std::get_if<sk::ToolUse>(&part))
    content.emplace_back(
        ai::ToolCallContentPart{call->id, call->name, sk::to_nlohmann<ai::JsonValue>(call->input)});
  if (auto const* const result = std::get_if<sk::ToolResult>(&part))
    content.emplace_back(
        ai::ToolResultContentPart{result->tool_use_id, sent_result(result->text()), result->is_error});
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
