// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json.hpp>
#include <sessionkit/detail/provider_encoders.hpp>

#include <string_view>
#include <variant>

// Anthropic's Messages API: roles user and assistant; tool results are blocks of the user, before any other.

namespace sessionkit { inline namespace v0 {

namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::next_element;

struct AnthropicBlock {
  std::string& out;
  bool bare_results = false; ///< results of one text as a string

  void operator()(Text const& text) const {
    open(R"({"type":"text","text":)");
    append_json_string(out, text.text);
    out += '}';
  }
  void operator()(Thinking const& thinking) const {
    if (thinking.redacted) {
      open(R"({"type":"redacted_thinking","data":)");
      append_json_string(out, thinking.signature);
    } else {
      open(R"({"type":"thinking","thinking":)");
      append_json_string(out, thinking.text);
      if (!thinking.signature.empty()) append_json_string(out += R"(,"signature":)", thinking.signature);
    }
    out += '}';
  }
  void operator()(Image const& image) const {
    if (auto const* url = std::get_if<Url>(&image.source)) {
      open(R"({"type":"image","source":{"type":"url","url":)");
      append_json_string(out, url->url);
    } else {
      open(R"({"type":"image","source":{"type":"base64","media_type":)");
      append_json_string(out, image.media_type);
      append_json_string(out += R"(,"data":)", std::get<Base64>(image.source).data);
    }
    out += "}}";
  }
  void operator()(ToolUse const& call) const {
    open(R"({"type":"tool_use","id":)");
    append_json_string(out, call.id);
    append_json_string(out += R"(,"name":)", call.name);
    out += R"(,"input":)";
    out += call.input.str();
    out += '}';
  }
  void operator()(ToolResult const& result) const {
    open(R"({"type":"tool_result","tool_use_id":)");
    append_json_string(out, result.tool_use_id);
    if (auto const* text = bare_results ? bare_result(result) : nullptr) {
      append_json_string(out += R"(,"content":)", text->text);
      out += result.is_error ? R"(,"is_error":true})" : "}";
      return;
    }
    out += R"(,"content":[)";
    for (ToolContent const& piece : result.content) std::visit(*this, piece);
    out += result.is_error ? R"(],"is_error":true})" : "]}";
  }
  void operator()(Opaque const&) const {} // never sent

 private:
  static Text const* bare_result(ToolResult const& result) {
    return result.content.size() == 1 ? std::get_if<Text>(&result.content.front()) : nullptr;
  }
  void open(std::string_view begin) const {
    next_element(out);
    out += begin;
  }
};

// Tool messages and, in valid histories, the user message behind them are one message of the user.
bool joins_anthropic(Message const* before, Message const& message, bool valid) {
  if (!before || before->role != Role::tool) return false;
  return message.role == Role::tool || (valid && message.role == Role::user);
}

}

namespace detail {

void append_anthropic_part(std::string& out, Part const& part) { std::visit(AnthropicBlock{out}, part); }

void encode_anthropic(History const& history, Target const& target, RequestParts& out) {
  bool const valid = target.mode == RebuildMode::valid;
  std::string& json = out.messages;
  if (!history.system.empty()) {
    out.system.clear();
    append_json_string(out.system, history.system);
  }
  Message const* before = nullptr;
  for (Message const& message : history.messages) {
    Text const* const bare = valid ? nullptr : bare_text(message);
    if (joins_anthropic(before, message, valid) && !bare) {
      json.erase(json.size() - 2); // the end of the message before
    } else {
      next_element(json);
      json += message.role == Role::assistant ? R"({"role":"assistant","content":)"
                                              : R"({"role":"user","content":)";
      if (!bare) json += '[';
    }
    if (bare)
      append_json_string(json, bare->text);
    else
      for (Part const& part : message.parts)
        std::visit(AnthropicBlock{json, !valid && message.content_is_string}, part);
    json += bare ? "}" : "]}";
    before = &message;
  }
}

}

}}
