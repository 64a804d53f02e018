// SPDX-License-Identifier: MIT
// Splits and joins messages of tool results, for dialects that store results apart or together.
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/tool_results.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

SESSIONKIT_SELDOM std::vector<Message> split_tool_results(Message const& message) {
  std::vector<Message> messages;
  Message rest = message;
  rest.parts.clear();
  for (Part const& part : message.parts) {
    if (!std::holds_alternative<ToolResult>(part)) {
      rest.parts.push_back(part);
      continue;
    }
    Message one;
    one.role = Role::tool;
    one.parts.push_back(part);
    messages.push_back(std::move(one));
  }
  if (messages.empty()) return {message};
  if (messages.size() == 1 || rest.parts.empty()) messages.front().metadata = message.metadata;
  if (rest.role == Role::tool) rest.role = Role::user;
  if (!rest.parts.empty()) messages.push_back(std::move(rest));
  return messages;
}

bool is_only_results(Message const& message) noexcept {
  return !message.parts.empty()
         && std::all_of(message.parts.begin(), message.parts.end(),
                        [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
}

bool is_in_loop(Message const& message) noexcept {
  if (message.role != Role::assistant) return is_only_results(message);
  return std::any_of(message.parts.begin(), message.parts.end(),
                     [](Part const& part) { return std::holds_alternative<ToolUse>(part); });
}

SESSIONKIT_SELDOM std::vector<std::string> join_results(Message& message, Message more) {
  std::move(more.parts.begin(), more.parts.end(), std::back_inserter(message.parts));
  message.content_is_string = false;
  std::vector<std::string> lost;
  if (!more.metadata.is_object()) return lost;
  std::string all = message.metadata.is_object() ? message.metadata.str() : "{}";
  all.pop_back(); // open for what comes
  std::string const before = all + '}';
  for_members(more.metadata.str(), [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    std::string_view const first = find_member(before, name);
    if (first.empty())
      JsonWriter(all).member_raw(name, value);
    else if (first != value && name != "timestamp")
      lost.push_back(std::move(name));
    return true;
  });
  message.metadata = RawJsonAccess::trust(all + '}');
  return lost;
}

}}}
