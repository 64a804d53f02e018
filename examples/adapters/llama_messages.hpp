// SPDX-License-Identifier: MIT
// Converts the chat messages of llama.cpp in both directions. Its types (common/chat.h there) are mirrored
// here by name and shape, so that this file compiles without it; a program that has it includes "chat.h"
// instead.
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/message.hpp>

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

namespace adapters {

/// The message to store for the output of `common_chat_parse`. A call without an id gets one: the place of
/// the call in the message.
sessionkit::Message from_llama(common_chat_msg const& message);

/// A valid history for `common_chat_templates_inputs::messages`, the system text first. Each tool result
/// is a separate message. Images are left out: chat templates accept only text.
std::vector<common_chat_msg> to_llama(sessionkit::History const& history);

}
