// SPDX-License-Identifier: MIT
// Encodes a history for OpenAI's Responses API.
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/model/reasoning_item.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/providers/provider_responses.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

// OpenAI's Responses API takes a flat list of items. Calls, results and reasoning are items of their own, in
// the order in which they happened; adjacent texts are one message.

namespace sessionkit { inline namespace v0 {

namespace provider_responses_inl { namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::next_element;

// Models that mark their texts as commentary or as the final answer expect to see these marks again.
std::string_view phase_of(Text const& text) {
  if (text.signature.empty() || !detail::check_json(text.signature)) return {};
  std::string_view const phase = detail::find_member(text.signature, "phase");
  return phase == R"("commentary")" || phase == R"("final_answer")" ? phase : std::string_view{};
}

class ResponsesEncoder {
 public:
  ResponsesEncoder(std::string& out, bool valid) : out_(out), valid_(valid) {}

  void add(Message const& message) {
    if (message.role == Role::assistant) return assistant(message);
    for (Part const& part : message.parts)
      if (auto const* answer = std::get_if<ToolResult>(&part)) result(*answer);
    if (message.role != Role::tool) user(message);
  }

 private:
  bool bare(Message const& message, std::string_view begin) {
    Text const* const text = valid_ ? nullptr : bare_text(message);
    if (!text) return false;
    next_element(out_);
    append_json_string(out_ += begin, text->text);
    out_ += '}';
    return true;
  }

  void input_text(std::string_view text) {
    next_element(out_);
    append_json_string(out_ += R"({"type":"input_text","text":)", text);
    out_ += '}';
  }
  void input_image(Image const& image) {
    next_element(out_);
    detail::append_image_address(out_ += R"({"type":"input_image","detail":"auto","image_url":)", image);
    out_ += '}';
  }

  void append_own(Opaque const& block) {
    next_element(out_);
    out_ += block.body.str();
  }

  void user(Message const& message) {
    if (bare(message, R"({"type":"message","role":"user","content":)")) return;
    std::size_t const begin = out_.size();
    next_element(out_);
    out_ += R"({"type":"message","role":"user","content":[)";
    for (Part const& part : message.parts) {
      if (auto const* text = std::get_if<Text>(&part)) input_text(text->text);
      if (auto const* image = std::get_if<Image>(&part)) input_image(*image);
      if (auto const* own = std::get_if<Opaque>(&part)) append_own(*own);
    }
    if (out_.back() == '[')
      out_.resize(begin);
    else
      out_ += "]}";
  }

  void result(ToolResult const& result) {
    next_element(out_);
    append_json_string(out_ += R"({"type":"function_call_output","call_id":)", result.tool_use_id);
    out_ += R"(,"output":)";
    auto const* only = result.content.size() == 1 ? std::get_if<Text>(&result.content.front()) : nullptr;
    if (only || result.content.empty()) {
      append_json_string(out_, only ? only->text : std::string_view{});
    } else {
      out_ += '[';
      for (ToolContent const& piece : result.content) {
        if (auto const* text = std::get_if<Text>(&piece)) input_text(text->text);
        if (auto const* image = std::get_if<Image>(&piece)) input_image(*image);
        if (auto const* own = std::get_if<Opaque>(&piece)) append_own(*own);
      }
      out_ += ']';
    }
    out_ += '}';
  }

  void assistant(Message const& message) {
    if (bare(message, R"({"type":"message","role":"assistant","content":)")) return;
    for (Part const& part : message.parts) {
      if (auto const* text = std::get_if<Text>(&part)) {
        said(*text);
        continue;
      }
      if (auto const* own = std::get_if<Opaque>(&part)) {
        own_item(*own);
        continue;
      }
      end_said();
      if (auto const* thinking = std::get_if<Thinking>(&part)) thought(*thinking);
      if (auto const* use = std::get_if<ToolUse>(&part)) call(*use);
    }
    end_said();
  }

  void said(Text const& text) {
    std::string_view const phase = phase_of(text);
    if (speaking_ && phase != phase_) end_said();
    if (!speaking_) {
      next_element(out_);
      out_ += R"({"type":"message","role":"assistant","content":[)";
    }
    speaking_ = true;
    phase_ = phase;
    next_element(out_);
    append_json_string(out_ += R"({"type":"output_text","text":)", text.text);
    out_ += '}';
  }
  // A refusal is a part of a message, everything else an item.
  void own_item(Opaque const& block) {
    if (block.type != "refusal") {
      end_said();
      return append_own(block);
    }
    if (!speaking_ || !phase_.empty()) {
      end_said();
      next_element(out_);
      out_ += R"({"type":"message","role":"assistant","content":[)";
    }
    speaking_ = true;
    phase_ = {};
    append_own(block);
  }
  void end_said() {
    if (!speaking_) return;
    out_ += ']';
    if (!phase_.empty()) (out_ += R"(,"phase":)") += phase_;
    out_ += '}';
    speaking_ = false;
  }

  void thought(Thinking const& thinking) {
    auto const item = detail::reasoning_item(thinking.signature);
    if (!item) return;
    next_element(out_);
    (out_ += R"({"type":"reasoning","id":)") += item->id;
    (out_ += R"(,"summary":)") += item->summary;
    (out_ += R"(,"encrypted_content":)") += item->encrypted_content;
    out_ += '}';
  }

  void call(ToolUse const& use) {
    next_element(out_);
    append_json_string(out_ += R"({"type":"function_call","call_id":)", use.id);
    append_json_string(out_ += R"(,"name":)", use.name);
    append_json_string(out_ += R"(,"arguments":)", use.input.str());
    out_ += '}';
  }

  std::string& out_;
  bool valid_;
  bool speaking_ = false; ///< a message of the assistant is open
  std::string_view phase_;
};

}}

namespace detail {

void encode_openai_responses(History const& history, Target const& target, RequestParts& out) {
  if (!history.system.empty()) {
    out.system.clear();
    detail::append_json_string(out.system, history.system);
  }
  provider_responses_inl::ResponsesEncoder encoder(out.messages, target.mode == RebuildMode::valid);
  for (Message const& message : history.messages) encoder.add(message);
}

}

}}
