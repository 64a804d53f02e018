// SPDX-License-Identifier: MIT
// The types of llama.cpp's common/chat.h that the adapter uses, by name and shape, as of its commit
// 0c1e57098. A program that has llama.cpp does not need this file.
#pragma once
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
