// SPDX-License-Identifier: MIT
// Writes the parts of a message as Anthropic's API spells them, for some dialects and for the provider.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/anthropic_parts.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace anthropic_parts_inl { namespace {

struct AnthropicBlock {
  std::string& out;
  AnthropicSpelling spelling;

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
    if (std::holds_alternative<BlobRef>(image.source)) return (*this)(Text{std::string(no_image_text)});
    std::size_t const begin = open(R"({"type":"image","source":)");
    std::size_t const source = out.size();
    if (auto const* url = std::get_if<Url>(&image.source)) {
      append_json_string(out += R"({"type":"url","url":)", url->url);
      if (spelling.foreign && !image.media_type.empty())
        append_json_string(out += R"(,"media_type":)", image.media_type);
    } else {
      append_json_string(out += R"({"type":"base64","media_type":)", image.media_type);
      append_json_string(out += R"(,"data":)", std::get<Base64>(image.source).data);
    }
    if (spelling.foreign) write_source_members(out, source, image);
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
    auto const* whole = spelling.bare_results ? whole_content(result) : nullptr;
    if (whole) {
      (out += R"(,"content":)") += whole->body.str();
    } else if (text && (spelling.bare_results || is_blank(text->text))) { // a block of white space is refused
      append_json_string(out += R"(,"content":)", text->text);
    } else {
      out += R"(,"content":[)";
      for (ToolContent const& piece : result.content) detail::visit(*this, piece);
      out += ']';
    }
    if (result.is_error) out += R"(,"is_error":true)";
    close(begin, result.extra);
  }
  void operator()(Opaque const& opaque) const { open(opaque.body.str()); }

 private:
  // What is neither a text nor an array, as it was written.
  static Opaque const* whole_content(ToolResult const& result) {
    auto const* opaque = result.content.size() == 1 ? std::get_if<Opaque>(&result.content.front()) : nullptr;
    return opaque && opaque->type.empty() ? opaque : nullptr;
  }
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
    if (!extra.is_null()) write_new_members(out, begin, extra); // of a valid history only what goes back
    out += '}';
  }
};

}}

void append_anthropic_part(std::string& out, Part const& part, AnthropicSpelling spelling) {
  detail::visit(anthropic_parts_inl::AnthropicBlock{out, spelling}, part);
}

}}}
