// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/history/reasoning_item.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

// OpenAI's Responses API: a flat list of items. Calls, results and reasoning are items of their own, in the
// order in which they happened; neighbouring texts are one message.

namespace sessionkit { inline namespace v0 {

namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::next_element;

constexpr std::size_t longest_item_id = 64;

// As `"rs_..."`: what else the API takes for an id it takes for another item's.
bool is_reasoning_id(std::string_view raw) noexcept {
  if (raw.size() < 5 || raw.size() > longest_item_id + 2 || raw.substr(0, 3) != "\"rs") return false;
  raw = raw.substr(1, raw.size() - 2);
  return std::all_of(raw.begin(), raw.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_reasoning_summary(std::string_view raw) {
  if (detail::json_kind(raw) != detail::JsonKind::array) return false;
  bool fits = true;
  detail::for_elements(raw, [&fits](std::string_view part) {
    bool const object = detail::json_kind(part) == detail::JsonKind::object;
    fits = fits && object && detail::find_member(part, "type") == R"("summary_text")"
           && detail::json_kind(detail::find_member(part, "text")) == detail::JsonKind::string;
    return fits;
  });
  return fits;
}

// Models that call their texts commentary or the final answer want to be told again which was which.
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

  void user(Message const& message) {
    if (bare(message, R"({"type":"message","role":"user","content":)")) return;
    std::size_t const begin = out_.size();
    next_element(out_);
    out_ += R"({"type":"message","role":"user","content":[)";
    for (Part const& part : message.parts) {
      if (auto const* text = std::get_if<Text>(&part)) input_text(text->text);
      if (auto const* image = std::get_if<Image>(&part)) input_image(*image);
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

}

namespace detail {

std::optional<ReasoningItem> reasoning_item(std::string_view signature) {
  JsonCheck const check = check_json(signature);
  if (!check || !check.utf8 || check.lone_surrogate || json_kind(trim_space(signature)) != JsonKind::object)
    return std::nullopt;
  ReasoningItem item{find_member(signature, "id"), find_member(signature, "summary"),
                     find_member(signature, "encrypted_content")};
  bool const secret =
      json_kind(item.encrypted_content) == JsonKind::string && item.encrypted_content.size() > 2;
  if (find_member(signature, "type") != R"("reasoning")" || !is_reasoning_id(item.id) || !secret)
    return std::nullopt;
  if (!is_reasoning_summary(item.summary)) item.summary = "[]";
  return item;
}

void encode_openai_responses(History const& history, Target const& target, RequestParts& out) {
  if (!history.system.empty()) {
    out.system.clear();
    append_json_string(out.system, history.system);
  }
  ResponsesEncoder encoder(out.messages, target.mode == RebuildMode::valid);
  for (Message const& message : history.messages) encoder.add(message);
}

}

}}
