// SPDX-License-Identifier: MIT
// Messages as pi keeps them in memory, for tests whose oracle is a program that works on those.
#pragma once
#include <sessionkit/message.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

inline sk::Image pi_image(nlohmann::json const& block) {
  return {block.value("mimeType", ""), sk::Base64{block.value("data", "")}};
}

inline sk::Message pi_message(nlohmann::json const& json) {
  sk::Message message;
  std::string const role = json["role"];
  message.role = role == "assistant"    ? sk::Role::assistant
                 : role == "toolResult" ? sk::Role::tool
                                        : sk::Role::user;
  nlohmann::json const content = json.value("content", nlohmann::json::array());
  if (content.is_string()) message.parts.emplace_back(sk::Text{content});
  sk::ToolResult result{
      json.value("toolCallId", ""), json.value("toolName", ""), {}, json.value("isError", false)};
  for (auto const& block : content) {
    if (!block.is_object()) continue;
    std::string const type = block["type"];
    if (type == "thinking") message.parts.emplace_back(sk::Thinking{block["thinking"]});
    if (type == "toolCall")
      message.parts.emplace_back(
          sk::ToolUse{block.value("id", ""), block.value("name", ""),
                      sk::RawJson::from(block.value("arguments", nlohmann::json()).dump())});
    if (type == "text" && message.role == sk::Role::tool)
      result.content.emplace_back(sk::Text{block["text"]});
    if (type == "image" && message.role == sk::Role::tool) result.content.emplace_back(pi_image(block));
    if (type == "text" && message.role != sk::Role::tool) message.parts.emplace_back(sk::Text{block["text"]});
    if (type == "image" && message.role != sk::Role::tool) message.parts.emplace_back(pi_image(block));
  }
  if (message.role == sk::Role::tool) message.parts.emplace_back(std::move(result));
  std::string const stop = json.value("stopReason", "");
  if (message.role == sk::Role::assistant) {
    message.generation.emplace();
    if (stop == "error") message.generation->stop = sk::StopReason::error;
    if (stop == "aborted") message.generation->stop = sk::StopReason::aborted;
  }
  return message;
}

inline std::vector<sk::Message> pi_messages(nlohmann::json const& list) {
  std::vector<sk::Message> messages;
  for (auto const& json : list) messages.push_back(pi_message(json));
  return messages;
}

}
