// SPDX-License-Identifier: MIT
// Makes messages, and builds one from the deltas of a stream.
#pragma once
#include <sessionkit/message.hpp>

namespace sessionkit { inline namespace v0 {

std::string ToolResult::text() const {
  std::string joined;
  for (ToolContent const& piece : content)
    if (auto const* text = std::get_if<Text>(&piece)) joined += text->text;
  return joined;
}

std::string Message::text() const {
  std::string joined;
  for (Part const& part : parts)
    if (auto const* text = std::get_if<Text>(&part)) joined += text->text;
  return joined;
}

std::vector<ToolUse const*> Message::tool_uses() const& {
  std::vector<ToolUse const*> calls;
  for (Part const& part : parts)
    if (auto const* call = std::get_if<ToolUse>(&part)) calls.push_back(call);
  return calls;
}

Message system(std::string text) { return detail::make_message(Role::system, Text{std::move(text)}); }

SESSIONKIT_SELDOM Message tool_result(ToolUse const& call, std::string output, bool is_error) {
  return tool_result(call.id, call.name, std::move(output), is_error);
}

SESSIONKIT_SELDOM Message tool_result(std::string tool_use_id, std::string tool_name, std::string output,
                                      bool is_error) {
  return detail::make_message(
      Role::tool,
      ToolResult{std::move(tool_use_id), std::move(tool_name), {Text{std::move(output)}}, is_error});
}

Message tool_results(std::vector<ToolResult> results) {
  Message message;
  message.role = Role::tool;
  message.parts.reserve(results.size());
  for (ToolResult& result : results) message.parts.emplace_back(std::move(result));
  return message;
}

void MessageBuilder::text(std::string_view delta) {
  if (parts_.empty() || !std::holds_alternative<Text>(parts_.back().part)) parts_.push_back({Text{}, {}});
  std::get<Text>(parts_.back().part).text += delta;
}

void MessageBuilder::thinking(std::string_view delta) {
  if (parts_.empty() || !std::holds_alternative<Thinking>(parts_.back().part))
    parts_.push_back({Thinking{}, {}});
  std::get<Thinking>(parts_.back().part).text += delta;
}

void MessageBuilder::signature(std::string_view delta) {
  if (parts_.empty()) return;
  Part& part = parts_.back().part;
  if (auto* text = std::get_if<Text>(&part)) text->signature += delta;
  if (auto* thinking = std::get_if<Thinking>(&part)) thinking->signature += delta;
  if (auto* call = std::get_if<ToolUse>(&part)) call->signature += delta;
}

void MessageBuilder::begin_tool_use(std::string id, std::string name) {
  begin_tool_use(ToolUse{std::move(id), std::move(name)});
}

void MessageBuilder::begin_tool_use(ToolUse call) { parts_.push_back({std::move(call), {}, true}); }

void MessageBuilder::add(Part part) { parts_.push_back({std::move(part), {}}); }

void MessageBuilder::tool_input(std::string_view delta) {
  if (!parts_.empty() && parts_.back().begun) parts_.back().input += delta;
}

Message MessageBuilder::finish(Generation generation) && {
  bool const cut_short = generation.stop == StopReason::aborted || generation.stop == StopReason::error;
  Message message;
  message.role = Role::assistant;
  message.parts.reserve(parts_.size());
  for (Draft& draft : parts_) {
    auto* call = std::get_if<ToolUse>(&draft.part);
    if (call && draft.begun) {
      if (draft.input.empty()) {
        if (cut_short) continue; // arguments may have been missing
        draft.input = "{}";
      }
      Result<RawJson> input = RawJson::parse(draft.input);
      if (!input && cut_short) continue;
      call->input = input ? std::move(*input) : RawJson::string(draft.input);
    }
    message.parts.push_back(std::move(draft.part));
  }
  message.generation = std::move(generation);
  parts_.clear();
  return message;
}

}}
