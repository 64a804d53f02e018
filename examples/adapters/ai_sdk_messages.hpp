// SPDX-License-Identifier: MIT
// Converts the messages of ClickHouse's ai-sdk-cpp in both directions. Its types (include/ai/types/message.h
// there) are mirrored here by name and shape, so that this file compiles without it; a program that has it
// includes <ai/types/message.h> instead.
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/message.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <variant>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): their names
namespace ai {

enum MessageRole { kMessageRoleSystem, kMessageRoleUser, kMessageRoleAssistant };
using JsonValue = nlohmann::json;

struct TextContentPart {
  std::string text;
  explicit TextContentPart(std::string t) : text(std::move(t)) {}
};
struct ToolCallContentPart {
  std::string id, tool_name;
  JsonValue arguments;
  ToolCallContentPart(std::string i, std::string n, JsonValue a)
      : id(std::move(i)), tool_name(std::move(n)), arguments(std::move(a)) {}
};
struct ToolResultContentPart {
  std::string tool_call_id;
  JsonValue result;
  bool is_error = false;
  ToolResultContentPart(std::string i, JsonValue r, bool e = false)
      : tool_call_id(std::move(i)), result(std::move(r)), is_error(e) {}
};
using ContentPart = std::variant<TextContentPart, ToolCallContentPart, ToolResultContentPart>;
struct Message {
  MessageRole role;
  std::vector<ContentPart> content;
  Message(MessageRole r, std::vector<ContentPart> c) : role(r), content(std::move(c)) {}
};
using Messages = std::vector<Message>;

}
// NOLINTEND(readability-identifier-naming)

namespace adapters {

/// A message to store. Tool results are a user message there, and have the role `tool` here.
sessionkit::Message from_ai_sdk(ai::Message const& message);

/// A valid history for a request; its system text belongs in `GenerateOptions::system`. That library cannot
/// represent reasoning, images and parts it does not know: they are left out.
ai::Messages to_ai_sdk(sessionkit::History const& history);

}
