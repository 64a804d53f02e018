// SPDX-License-Identifier: MIT
// Encodes a history for OpenAI's Chat Completions.
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/providers/provider_openai.hpp>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

// In OpenAI's Chat Completions the system text is the first message, and each tool result is one message.
// Tool messages hold text only, so the images of results follow in a user message.

namespace sessionkit { inline namespace v0 {

namespace provider_openai_inl { namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::next_element;

void append_openai_text(std::string& out, std::string_view text) {
  next_element(out);
  append_json_string(out += R"({"type":"text","text":)", text);
  out += '}';
}

void append_openai_image(std::string& out, Image const& image) {
  next_element(out);
  detail::append_image_address(out += R"({"type":"image_url","image_url":{"url":)", image);
  out += "}}";
}

class OpenaiChatEncoder {
 public:
  OpenaiChatEncoder(std::string& out, bool valid) : out_(out), valid_(valid) {}

  void system(std::string const& text) {
    if (text.empty()) return;
    out_ += R"({"role":"system","content":)";
    if (valid_)
      append_openai_text(out_ += '[', text), out_ += ']';
    else
      append_json_string(out_, text);
    out_ += '}';
  }

  void add(Message const& message) {
    switch (message.role) {
    case Role::tool: return results(message);
    case Role::assistant: return assistant(message);
    case Role::user:
    case Role::system: return user(message);
    }
  }

  // Writes the images of tool results that no user message followed.
  void flush_images() {
    if (images_.empty()) return;
    open_user();
    out_ += "]}";
  }

 private:
  // Begins a user message with the images of tool results.
  void open_user() {
    next_element(out_);
    out_ += R"({"role":"user","content":[)";
    if (images_.empty()) return;
    append_openai_text(out_, detail::result_images_text);
    for (Image const* image : images_) append_openai_image(out_, *image);
    images_.clear();
  }

  void user(Message const& message) {
    results(message); // the Anthropic API's grouping puts results into user messages
    if (!message.parts.empty() && std::all_of(message.parts.begin(), message.parts.end(), is_result)) return;
    Text const* const bare = valid_ || !images_.empty() ? nullptr : bare_text(message);
    if (bare) {
      next_element(out_);
      append_json_string(out_ += R"({"role":"user","content":)", bare->text);
      out_ += '}';
      return;
    }
    open_user();
    for (Part const& part : message.parts) {
      if (auto const* text = std::get_if<Text>(&part)) append_openai_text(out_, text->text);
      if (auto const* image = std::get_if<Image>(&part)) append_openai_image(out_, *image);
      if (auto const* own = std::get_if<Opaque>(&part)) append_own(*own);
    }
    out_ += "]}";
  }

  void append_own(Opaque const& block) {
    next_element(out_);
    out_ += block.body.str();
  }

  void assistant(Message const& message) {
    flush_images();
    next_element(out_);
    out_ += R"({"role":"assistant","content":)";
    assistant_texts(message);
    calls_.clear();
    for (Part const& part : message.parts)
      if (auto const* call = std::get_if<ToolUse>(&part)) calls_.push_back(call);
    sent_calls_ = answered_calls_ = 0;
    append_calls();
  }

  // As many of the answer's calls as one message may have; closes the message.
  void append_calls() {
    std::size_t const begin = sent_calls_;
    std::size_t const most = valid_ ? most_calls : calls_.size();
    for (; sent_calls_ < calls_.size() && sent_calls_ - begin < most; ++sent_calls_) {
      ToolUse const& call = *calls_[sent_calls_];
      out_ += sent_calls_ == begin ? R"(,"tool_calls":[{"id":)" : R"(,{"id":)";
      append_json_string(out_, call.id);
      append_json_string(out_ += R"(,"type":"function","function":{"name":)", call.name);
      append_json_string(out_ += R"(,"arguments":)", call.input.str());
      out_ += "}}";
    }
    out_ += sent_calls_ == begin ? "}" : "]}";
  }

  void assistant_texts(Message const& message) {
    if (Text const* const bare = valid_ ? nullptr : bare_text(message))
      return append_json_string(out_, bare->text);
    std::size_t const begin = out_.size();
    out_ += '[';
    for (Part const& part : message.parts)
      if (auto const* text = std::get_if<Text>(&part))
        append_openai_text(out_, text->text);
      else if (auto const* own = std::get_if<Opaque>(&part))
        append_own(*own);
    if (out_.back() == '[')
      out_.replace(begin, 1, "null");
    else
      out_ += ']';
  }

  static bool is_result(Part const& part) { return std::holds_alternative<ToolResult>(part); }

  void results(Message const& message) {
    for (Part const& part : message.parts)
      if (auto const* answer = std::get_if<ToolResult>(&part)) result(*answer);
  }

  void result(ToolResult const& result) {
    if (answered_calls_ == sent_calls_ && sent_calls_ < calls_.size()) { // those of the next message of calls
      next_element(out_);
      out_ += R"({"role":"assistant","content":null)";
      append_calls();
    }
    ++answered_calls_;
    next_element(out_);
    append_json_string(out_ += R"({"role":"tool","tool_call_id":)", result.tool_use_id);
    out_ += R"(,"content":[)";
    for (ToolContent const& piece : result.content) {
      if (auto const* text = std::get_if<Text>(&piece)) append_openai_text(out_, text->text);
      if (auto const* image = std::get_if<Image>(&piece)) images_.push_back(image);
    }
    if (out_.back() == '[')
      append_openai_text(out_, result.content.empty() ? "" : detail::images_follow_text);
    out_ += "]}";
  }

  static constexpr std::size_t most_calls =
      128; // "array too long. Expected an array with maximum length 128"

  std::string& out_;
  bool valid_;
  std::vector<ToolUse const*> calls_; ///< calls of the last answer
  std::size_t sent_calls_ = 0, answered_calls_ = 0;
  std::vector<Image const*> images_; ///< images of tool results; they wait for the end of the results
};

}}

namespace detail {

void encode_openai_chat(History const& history, Target const& target, RequestParts& out) {
  provider_openai_inl::OpenaiChatEncoder encoder(out.messages, target.mode == RebuildMode::valid);
  encoder.system(history.system);
  for (Message const& message : history.messages) encoder.add(message);
  encoder.flush_images();
}

}

}}
