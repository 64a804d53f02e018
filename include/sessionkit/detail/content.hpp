// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/fields.hpp>
#include <sessionkit/detail/json_map.hpp>
#include <sessionkit/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads message content: a JSON string, or an array of parts as pi and as the Anthropic API spell them
/// (`toolCall` and `tool_use`, images with `data` and with `source`). What is neither is kept as `Opaque`.
/// The text must be valid JSON; `map`: of the text it is part of, or null. True if the content was a bare
/// string.
bool decode_content(std::string_view raw, std::vector<Part>& parts, JsonMap const* map = nullptr);

/// The same of a message's member `content`, if it is one of the two: anything else stays in the rest.
bool take_content(Fields& fields, std::vector<Part>& parts);

/// As `decode_content` where only text and images may stand; anything else becomes `Opaque`, also as the
/// whole.
std::vector<ToolContent> decode_tool_content(std::string_view raw, JsonMap const* map = nullptr);

/// Appends one part as pi spells it. Tool results have no such spelling: nothing is appended.
void encode_native_part(Part const& part, std::string& out);
void encode_native_content(std::vector<ToolContent> const& content, std::string& out);

}}}
