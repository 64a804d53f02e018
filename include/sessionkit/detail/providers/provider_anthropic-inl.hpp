// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/dialects/line_members.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>

#include <string_view>
#include <variant>

// Anthropic's Messages API: roles user and assistant; tool results are blocks of the user, before any other.

namespace sessionkit { inline namespace v0 {

namespace {

using detail::append_json_string;
using detail::bare_text;
using detail::is_blank;
using detail::next_element;

struct AnthropicBlock {
  std::string& out;
  bool bare_results = false; ///< results of one text as a string
  bool strange = false;      ///< also what only who wrote it knows

  void operator()(Text const& text) const {
    std::size_t const begin = open(R"({"type":"text","text":)");
    append_json_string(out, text.text);
    close(begin, text.extra);
  }
  void operator()(Thinking const& thinking) const {
    std::size_t begin = 0;
    if (thinking.redacted) {
      begin = open(R"({"type":"redacted_thinking","data":)");
      append_json_string(out, thinking.signature);
    } else {
      begin = open(R"({"type":"thinking","thinking":)");
      append_json_string(out, thinking.text);
      if (!thinking.signature.empty()) append_json_string(out += R"(,"signature":)", thinking.signature);
    }
    close(begin, thinking.extra);
  }
  void operator()(Image const& image) const {
    std::size_t const begin = open(R"({"type":"image","source":)");
    std::size_t const source = out.size();
    if (auto const* url = std::get_if<Url>(&image.source)) {
      append_json_string(out += R"({"type":"url","url":)", url->url);
      if (strange && !image.media_type.empty())
        append_json_string(out += R"(,"media_type":)", image.media_type);
    } else {
      append_json_string(out += R"({"type":"base64","media_type":)", image.media_type);
      append_json_string(out += R"(,"data":)", std::get<Base64>(image.source).data);
    }
    if (strange) detail::write_source_members(out, source, image);
    out += '}';
    close(begin, image.extra);
  }
  void operator()(ToolUse const& call) const {
    std::size_t const begin = open(R"({"type":"tool_use","id":)");
    append_json_string(out, call.id);
    append_json_string(out += R"(,"name":)", call.name);
    out += R"(,"input":)";
    out += call.input.str();
    close(begin, call.extra);
  }
  void operator()(ToolResult const& result) const {
    std::size_t const begin = open(R"({"type":"tool_result","tool_use_id":)");
    append_json_string(out, result.tool_use_id);
    auto const* text = bare_result(result);
    if (text && (bare_results || is_blank(text->text))) { // a block of white space is refused
      append_json_string(out += R"(,"content":)", text->text);
    } else {
      out += R"(,"content":[)";
      for (ToolContent const& piece : result.content) std::visit(*this, piece);
      out += ']';
    }
    if (result.is_error) out += R"(,"is_error":true)";
    close(begin, result.extra);
  }
  void operator()(Opaque const& opaque) const {
    if (strange) open(opaque.body.str());
  }

 private:
  static Text const* bare_result(ToolResult const& result) {
    auto const* text = result.content.size() == 1 ? std::get_if<Text>(&result.content.front()) : nullptr;
    return text && text->extra.is_null() ? text : nullptr;
  }
  std::size_t open(std::string_view begin) const {
    next_element(out);
    out += begin;
    return out.size() - begin.size();
  }
  void close(std::size_t begin, RawJson const& extra) const {
    if (strange) detail::write_new_members(out, begin, extra);
    out += '}';
  }
};

// Tool messages and, in valid histories, the user message behind them are one message of the user.
bool joins_anthropic(Message const* before, Message const& message, bool valid) {
  if (!before || before->role != Role::tool) return false;
  return message.role == Role::tool || (valid && message.role == Role::user);
}

}

namespace detail {

void append_anthropic_part(std::string& out, Part const& part) {
  std::visit(AnthropicBlock{out, false, true}, part);
}

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
        std::visit(AnthropicBlock{json, !valid && message.content_is_string, !valid}, part);
    json += bare ? "}" : "]}";
    before = &message;
  }
}

}

}}
