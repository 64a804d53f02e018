// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/json/json_map.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/message.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads message content: a JSON string, or an array of parts as pi and as the Anthropic API spell them
/// (`toolCall` and `tool_use`, images with `data` and with `source`). What is neither is kept as `Opaque`.
/// The text must be valid JSON; `map`: of the text it is part of, or null. True if the content was a bare
/// string.
bool decode_content(std::string_view raw, std::vector<Part>& parts, JsonMap const* map = nullptr);

/// The same of a message's member `content`, if it is one of the two: anything else stays in the rest.
bool take_content(Fields& fields, std::vector<Part>& parts);

/// As `decode_content` where only text and images are allowed; anything else becomes `Opaque`, also as the
/// whole.
std::vector<ToolContent> decode_tool_content(std::string_view raw, JsonMap const* map = nullptr);

/// Calls for each `extra` of a part and its content that is not null.
template <class AnyPart, class Visit> void each_extra(AnyPart& part, Visit const& visit) {
  auto const one = [&](auto& body) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(body)>, Opaque>)
      if (!body.extra.is_null()) visit(body.extra);
  };
  detail::visit(
      [&](auto& body) {
        one(body);
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, ToolResult>)
          for (auto& piece : body.content) detail::visit(one, piece);
      },
      part);
}

/// True if each of them is an object or null: no line has a place for other values.
inline bool has_members_only(Message const& message) {
  bool all = true;
  for (Part const& part : message.parts)
    each_extra(part, [&all](RawJson const& extra) { all = all && extra.is_object(); });
  return all;
}

/// Appends one part as pi spells it. Tool results have no such spelling: nothing is appended.
void encode_native_part(Part const& part, std::string& out);
void encode_native_content(std::vector<ToolContent> const& content, std::string& out);

}}}
