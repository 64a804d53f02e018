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

/// Reads message content: a JSON string, or an array of parts. A part may be spelled as by pi (`toolCall`,
/// images with `data`) or by Anthropic's API (`tool_use`, images with `source`). Any other value becomes an
/// `Opaque`. `raw` must be valid JSON. `map` belongs to the text that contains `raw`, or is null. Returns
/// true if the content was a bare string.
bool decode_content(std::string_view raw, std::vector<Part>& parts, JsonMap const* map = nullptr);

/// Reads the member `content` of a message in the same way, if the member is a string or an array. Any other
/// value stays in `fields.rest()`.
bool take_content(Fields& fields, std::vector<Part>& parts);

/// Reads the content of a tool result. Any part that is neither text nor an image, and content of another
/// kind, becomes an `Opaque`.
std::vector<ToolContent> decode_tool_content(std::string_view raw, JsonMap const* map = nullptr);

/// Calls `visit` for the `extra` of a part, and of each piece of a tool result's content, if the `extra` is
/// not null.
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

/// True if each `extra` of a message is an object or null. Lines cannot represent other values.
inline bool has_members_only(Message const& message) {
  bool all = true;
  for (Part const& part : message.parts)
    each_extra(part, [&all](RawJson const& extra) { all = all && extra.is_object(); });
  return all;
}

/// Appends one part as pi spells it. Appends nothing for a tool result, because pi has no such part.
void encode_native_part(Part const& part, std::string& out);
void encode_native_content(std::vector<ToolContent> const& content, std::string& out);

}}}
