// SPDX-License-Identifier: MIT
// Encodes a history for Anthropic's Messages API.
#pragma once
#include <sessionkit/detail/dialects/anthropic_parts.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_anthropic.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// The roles are user and assistant. Tool results are the first blocks of a user message.

namespace sessionkit { inline namespace v0 {

namespace provider_anthropic_inl { namespace {

// Tool messages and, in valid histories, the user message after them become one user message.
bool joins_anthropic(Message const* before, Message const& message, bool valid) {
  if (!before || before->role != Role::tool) return false;
  return message.role == Role::tool || (valid && message.role == Role::user);
}

// An error holds text only: its images are sent behind the results.
Part text_of_error(ToolResult const& result, std::vector<Image const*>& images) {
  ToolResult made{result.tool_use_id, result.tool_name, {}, true, result.extra};
  for (ToolContent const& piece : result.content) {
    auto const* image = std::get_if<Image>(&piece);
    if (image) images.push_back(image);
    made.content.push_back(image ? ToolContent(Text{std::string(detail::images_follow_text)}) : piece);
  }
  return made;
}

bool is_error_with_image(Part const& part) {
  auto const* result = std::get_if<ToolResult>(&part);
  return result && result->is_error
         && std::any_of(result->content.begin(), result->content.end(),
                        [](ToolContent const& piece) { return std::holds_alternative<Image>(piece); });
}

void append_parts(std::string& json, Message const& message, bool valid) {
  std::vector<Image const*> images;
  for (Part const& part : message.parts) {
    if (valid && is_error_with_image(part))
      detail::append_anthropic_part(json, text_of_error(std::get<ToolResult>(part), images), {false, false});
    else
      detail::append_anthropic_part(json, part, {!valid && message.content_is_string, !valid});
  }
  if (images.empty()) return;
  detail::append_anthropic_part(json, Text{std::string(detail::result_images_text)}, {false, false});
  for (Image const* image : images) detail::append_anthropic_part(json, *image, {false, false});
}

// A content that is neither a text nor an array, as it was written.
Opaque const* whole_content(Message const& message) noexcept {
  auto const* opaque = message.parts.size() == 1 ? std::get_if<Opaque>(&message.parts.front()) : nullptr;
  return opaque && message.content_is_string && opaque->type.empty() ? opaque : nullptr;
}

}}

namespace detail {

void encode_anthropic(History const& history, Target const& target, RequestParts& out) {
  bool const valid = target.mode == RebuildMode::valid;
  std::string& json = out.messages;
  if (!history.system.empty()) {
    out.system.clear();
    detail::append_json_string(out.system, history.system);
  }
  Message const* before = nullptr;
  for (Message const& message : history.messages) {
    Text const* const bare = valid ? nullptr : detail::bare_text(message);
    Opaque const* const whole = valid ? nullptr : provider_anthropic_inl::whole_content(message);
    if (provider_anthropic_inl::joins_anthropic(before, message, valid) && !bare && !whole) {
      json.erase(json.size() - 2); // the end of the previous message
    } else {
      detail::next_element(json);
      json += message.role == Role::assistant ? R"({"role":"assistant","content":)"
                                              : R"({"role":"user","content":)";
      if (!bare && !whole) json += '[';
    }
    if (bare)
      detail::append_json_string(json, bare->text);
    else if (whole)
      json += whole->body.str();
    else
      provider_anthropic_inl::append_parts(json, message, valid);
    json += bare || whole ? "}" : "]}";
    before = &message;
  }
}

}

}}
