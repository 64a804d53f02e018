// SPDX-License-Identifier: MIT
// Converts the items of Codex's rollouts, which are those of OpenAI's Responses API, to messages.
#pragma once
#include <sessionkit/detail/import/codex_items.hpp>
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace codex_items_inl { namespace {

// An item of a database may be indented, and a value of ours is on one line.
RawJson json_of(std::string_view raw) {
  bool const one_line = raw.find_first_of("\r\n") == std::string_view::npos;
  return one_line ? RawJsonAccess::trust(std::string(raw)) : compact_json(raw);
}

// A `data:` address as an image; other addresses stay addresses.
Image image_of(std::string const& address) {
  constexpr std::string_view scheme = "data:", middle = ";base64,";
  std::size_t const at = address.find(middle);
  if (address.compare(0, scheme.size(), scheme) != 0 || at == std::string::npos)
    return Image{{}, Url{address}};
  return Image{address.substr(scheme.size(), at - scheme.size()), Base64{address.substr(at + middle.size())}};
}

ToolContent piece_of(std::string_view raw) {
  std::string const type = member_text(raw, "type");
  if (type == "input_text" || type == "output_text" || type == "text") return Text{member_text(raw, "text")};
  if (type == "input_image" && json_kind(find_member(raw, "image_url")) == JsonKind::string)
    return image_of(member_text(raw, "image_url"));
  return Opaque{type, json_of(raw)};
}

std::vector<ToolContent> pieces_of(std::string_view content) {
  std::vector<ToolContent> pieces;
  if (json_kind(content) == JsonKind::string) pieces.emplace_back(Text{to_text(content)});
  for_elements(content, [&](std::string_view raw) {
    pieces.push_back(piece_of(raw));
    return true;
  });
  return pieces;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Messages of the user that no person wrote begin with one of these.
CodexItem::Kind kind_of(Message const& message) {
  constexpr std::array<std::string_view, 4> context{"<environment_context>", "# AGENTS.md",
                                                    "<user_instructions>", "<skills_instructions>"};
  auto const* const first = message.parts.empty() ? nullptr : std::get_if<Text>(&message.parts.front());
  if (!first) return CodexItem::spoken;
  if (begins_with(first->text, "<turn_aborted>")) return CodexItem::interruption;
  bool const added = std::any_of(context.begin(), context.end(),
                                 [&](std::string_view prefix) { return begins_with(first->text, prefix); });
  return added ? CodexItem::injected : CodexItem::spoken;
}

// The mark of a text as commentary or final answer goes where the encoder finds it.
std::string phase_of(std::string_view item) {
  std::string const phase = member_text(item, "phase");
  return phase.empty() ? std::string{} : "{\"phase\":" + RawJson::string(phase).str() + '}';
}

CodexItem message_of(std::string_view item) {
  CodexItem out;
  std::string const role = member_text(item, "role");
  out.message.role = role == "assistant" ? Role::assistant : Role::user;
  for (ToolContent& piece : pieces_of(find_member(item, "content")))
    out.message.parts.push_back(std::visit([](auto& body) { return Part(std::move(body)); }, piece));
  if (role == "assistant") {
    for (Part& part : out.message.parts)
      if (auto* const text = std::get_if<Text>(&part)) text->signature = phase_of(item);
  } else {
    out.kind = role == "user" ? kind_of(out.message) : CodexItem::injected;
  }
  return out;
}

CodexItem reasoning_of(std::string_view item) {
  CodexItem out;
  Thinking thinking;
  for_elements(find_member(item, "summary"), [&](std::string_view part) {
    if (!thinking.text.empty()) thinking.text += "\n\n";
    thinking.text += member_text(part, "text");
    return true;
  });
  thinking.signature = std::string(item);
  out.message.role = Role::assistant;
  out.message.parts.emplace_back(std::move(thinking));
  return out;
}

CodexItem call_of(std::string_view item, bool custom) {
  CodexItem out;
  ToolUse call;
  call.id = member_text(item, "call_id");
  call.name = member_text(item, "name");
  if (custom)
    call.input = RawJson::from("{\"input\":" + RawJson::string(member_text(item, "input")).str() + '}');
  else
    call.input = RawJson::from(member_text(item, "arguments"));
  out.message.role = Role::assistant;
  out.message.parts.emplace_back(std::move(call));
  return out;
}

CodexItem result_of(std::string_view item) {
  CodexItem out;
  ToolResult result;
  result.tool_use_id = member_text(item, "call_id");
  result.content = pieces_of(find_member(item, "output"));
  out.message.role = Role::tool;
  out.message.parts.emplace_back(std::move(result));
  return out;
}

}}

CodexItem read_codex_item(std::string_view item) {
  using namespace codex_items_inl;
  std::string const type = member_text(item, "type");
  if (type == "message" || (type.empty() && !find_member(item, "role").empty())) return message_of(item);
  if (type == "reasoning") return reasoning_of(item);
  if (type == "function_call") return call_of(item, false);
  if (type == "custom_tool_call") return call_of(item, true);
  if (type == "function_call_output" || type == "custom_tool_call_output") return result_of(item);
  CodexItem out;
  out.message.role = Role::assistant;
  out.message.parts.emplace_back(Opaque{type, json_of(item)});
  return out;
}

}}}
