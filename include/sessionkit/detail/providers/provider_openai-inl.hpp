// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

// OpenAI's Chat Completions: the system text is the first message, each tool result a message of its own.
// Tools answer in text only: their images follow in a message of the user.

namespace sessionkit { inline namespace v0 {

namespace {

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

  // The images of tool results that no message of the user followed.
  void flush_images() {
    if (images_.empty()) return;
    open_user();
    out_ += "]}";
  }

 private:
  // Begins a message of the user with the images that tools answered.
  void open_user() {
    next_element(out_);
    out_ += R"({"role":"user","content":[)";
    if (images_.empty()) return;
    append_openai_text(out_, detail::result_images_text);
    for (Image const* image : images_) append_openai_image(out_, *image);
    images_.clear();
  }

  void user(Message const& message) {
    results(message); // regrouped as the Anthropic API wants it
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
    }
    out_ += "]}";
  }

  void assistant(Message const& message) {
    flush_images();
    next_element(out_);
    out_ += R"({"role":"assistant","content":)";
    assistant_texts(message);
    bool first = true;
    for (Part const& part : message.parts) {
      auto const* call = std::get_if<ToolUse>(&part);
      if (!call) continue;
      out_ += first ? R"(,"tool_calls":[{"id":)" : R"(,{"id":)";
      first = false;
      append_json_string(out_, call->id);
      append_json_string(out_ += R"(,"type":"function","function":{"name":)", call->name);
      append_json_string(out_ += R"(,"arguments":)", call->input.str());
      out_ += "}}";
    }
    out_ += first ? "}" : "]}";
  }

  void assistant_texts(Message const& message) {
    if (Text const* const bare = valid_ ? nullptr : bare_text(message))
      return append_json_string(out_, bare->text);
    std::size_t const begin = out_.size();
    out_ += '[';
    for (Part const& part : message.parts)
      if (auto const* text = std::get_if<Text>(&part)) append_openai_text(out_, text->text);
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

  std::string& out_;
  bool valid_;
  std::vector<Image const*> images_; ///< of tool results, waiting for the end of the results
};

}

namespace detail {

void encode_openai_chat(History const& history, Target const& target, RequestParts& out) {
  OpenaiChatEncoder encoder(out.messages, target.mode == RebuildMode::valid);
  encoder.system(history.system);
  for (Message const& message : history.messages) encoder.add(message);
  encoder.flush_images();
}

}

}}
