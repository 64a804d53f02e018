// SPDX-License-Identifier: MIT
#include "answer_collector.hpp"

#include <sessionkit/ids.hpp>

#include <utility>

namespace llm {

namespace sk = sessionkit;

void AnswerCollector::tell(Event const& event) const {
  if (on_event_) on_event_(event);
}

AnswerCollector::Block& AnswerCollector::open(Block::Kind kind) {
  if (!open_ || blocks_.back().kind != kind) blocks_.push_back({kind});
  open_ = true;
  return blocks_.back();
}

void AnswerCollector::text(std::string_view delta) {
  if (delta.empty()) return;
  open(Block::Kind::text).content += delta;
  tell(TextDelta{std::string(delta)});
}

void AnswerCollector::thinking(std::string_view delta) {
  if (delta.empty()) return;
  open(Block::Kind::thinking).content += delta;
  tell(ThinkingDelta{std::string(delta)});
}

void AnswerCollector::signature(std::string_view delta) {
  if (delta.empty()) return;
  bool const of_text = open_ && blocks_.back().kind == Block::Kind::text;
  open(of_text ? Block::Kind::text : Block::Kind::thinking).signature += delta;
}

void AnswerCollector::redacted_thinking(std::string_view data) {
  blocks_.push_back({Block::Kind::redacted, {}, std::string(data)});
  open_ = false;
}

std::size_t AnswerCollector::begin_tool_use(std::string_view id, std::string_view name) {
  Block call{Block::Kind::tool_use};
  call.id = id.empty() ? "call_" + sk::random_entry_id() : std::string(id);
  call.name = name;
  tell(ToolUseBegin{call.id, call.name});
  blocks_.push_back(std::move(call));
  open_ = false;
  return blocks_.size() - 1;
}

void AnswerCollector::tool_input(std::size_t call, std::string_view json) {
  if (json.empty()) return;
  blocks_[call].content += json;
  tell(ToolInputDelta{blocks_[call].id, std::string(json)});
}

Answer AnswerCollector::finish(std::optional<Failure> failure) && {
  if (failure)
    generation_.stop =
        failure->kind == FailureKind::cancelled ? sk::StopReason::aborted : sk::StopReason::error;
  sk::Message message = sk::assistant();
  for (auto& block : blocks_) switch (block.kind) {
    case Block::Kind::text:
      message.parts.emplace_back(sk::Text{std::move(block.content), block.signature});
      break;
    case Block::Kind::thinking:
      message.parts.emplace_back(sk::Thinking{std::move(block.content), block.signature});
      break;
    case Block::Kind::redacted: message.parts.emplace_back(sk::Thinking{{}, block.signature, true}); break;
    case Block::Kind::tool_use: add_call(message, block); break;
    }
  message.generation = std::move(generation_);
  return {std::move(message), std::move(failure)};
}

// The library decides about a call that was cut short.
void AnswerCollector::add_call(sk::Message& message, Block const& block) const {
  sk::MessageBuilder builder;
  builder.begin_tool_use(block.id, block.name);
  builder.tool_input(block.content);
  for (auto& part : std::move(builder).finish(generation_).parts) message.parts.push_back(std::move(part));
}

}
