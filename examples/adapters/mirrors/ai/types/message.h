// SPDX-License-Identifier: MIT
// The types of ai-sdk-cpp's include/ai/types/message.h that the adapter uses, by name and shape, as of its
// commit 9d8cd18 (August 2026). A program that has the library does not need this file.
#pragma once
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
