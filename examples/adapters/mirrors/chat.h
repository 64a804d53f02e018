// SPDX-License-Identifier: MIT
// The types of llama.cpp's common/chat.h that the adapter uses, by name and shape, as of its build b10256
// (August 2026). A program that has llama.cpp does not need this file.
#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): their names
struct common_chat_tool_call {
  std::string name;
  std::string arguments;
  std::string id;
};
struct common_chat_msg_content_part {
  std::string type;
  std::string text;
  nlohmann::ordered_json extra_fields;
};
struct common_chat_msg {
  std::string role;
  std::string content;
  std::vector<common_chat_msg_content_part> content_parts;
  std::vector<common_chat_tool_call> tool_calls;
  std::string reasoning_content;
  std::string tool_name;
  std::string tool_call_id;
};
// NOLINTEND(readability-identifier-naming)
