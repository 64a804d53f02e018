// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/content.hpp>
#include <sessionkit/detail/fields.hpp>
#include <sessionkit/detail/json.hpp>

#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

Opaque opaque_part(std::string_view raw, std::string type) {
  return {std::move(type), RawJsonAccess::trust(std::string(raw))};
}

// {"data","mimeType"} (pi) or {"source":{"type":"base64","media_type","data"}|{"type":"url","url"}}
// (Anthropic)
bool decode_image(Fields& fields, Image& image) {
  if (std::string_view const source = fields.take("source", JsonKind::object); !source.empty()) {
    Fields inner(source, fields.map());
    image.media_type = inner.text("media_type");
    if (inner.has("url"))
      image.source = Url{inner.text("url")};
    else
      image.source = Base64{inner.text("data")};
    return inner.has("url") || inner.has("data");
  }
  image.media_type = fields.text("mimeType");
  std::string_view const data = fields.take("data", JsonKind::string);
  image.source = Base64{to_text(data, fields.map())};
  return !data.empty();
}

Thinking decode_thinking(Fields& fields) {
  Thinking thinking{fields.text("thinking"), fields.text("thinkingSignature"), fields.flag("redacted")};
  if (thinking.signature.empty()) thinking.signature = fields.text("signature");
  return thinking;
}

ToolUse decode_tool_use(Fields& fields, std::string_view arguments) {
  return {fields.text("id"), fields.text("name"), fields.json(arguments), fields.text("thoughtSignature")};
}

std::optional<ToolContent> decode_plain(Fields& fields, std::string const& type) {
  if (type == "text" && !fields.take("text", JsonKind::string).empty())
    return Text{fields.text("text"), fields.text("textSignature")};
  Image image;
  if (type == "image" && decode_image(fields, image)) return image;
  return std::nullopt;
}

ToolContent decode_tool_part(std::string_view raw, JsonMap const* map) {
  if (json_kind(raw) == JsonKind::string) return Text{to_text(raw, map)};
  if (json_kind(raw) != JsonKind::object) return opaque_part(raw, {});
  Fields fields(raw, map);
  std::string type = fields.text("type");
  if (auto plain = decode_plain(fields, type)) return std::move(*plain);
  return opaque_part(raw, std::move(type));
}

Part decode_part(std::string_view raw, JsonMap const* map) {
  if (json_kind(raw) == JsonKind::string) return Text{to_text(raw, map)};
  if (json_kind(raw) != JsonKind::object) return opaque_part(raw, {});
  Fields fields(raw, map);
  std::string type = fields.text("type");
  if (type == "thinking") return decode_thinking(fields);
  if (type == "redacted_thinking") return Thinking{{}, fields.text("data"), true};
  if (type == "toolCall" || type == "toolUse" || type == "functionCall") // OpenClaw takes them for the same
    return decode_tool_use(fields, fields.has("arguments") ? "arguments" : "input");
  if (type == "tool_use") return decode_tool_use(fields, "input");
  if (type == "tool_result")
    return ToolResult{fields.text("tool_use_id"),
                      {},
                      decode_tool_content(fields.take("content"), map),
                      fields.flag("is_error")};
  if (auto plain = decode_plain(fields, type))
    return std::visit([](auto&& piece) -> Part { return std::forward<decltype(piece)>(piece); },
                      std::move(*plain));
  return opaque_part(raw, std::move(type));
}

void encode_text(Text const& text, JsonWriter& json) {
  json.begin_object().member("type", "text").member("text", text.text);
  if (!text.signature.empty()) json.member("textSignature", text.signature);
  json.end_object();
}

void encode_image(Image const& image, JsonWriter& json) {
  json.begin_object().member("type", "image");
  if (auto const* inline_data = std::get_if<Base64>(&image.source))
    json.member("data", inline_data->data).member("mimeType", image.media_type);
  else
    json.key("source")
        .begin_object()
        .member("type", "url")
        .member("url", std::get<Url>(image.source).url)
        .end_object();
  json.end_object();
}

}

bool decode_content(std::string_view raw, std::vector<Part>& parts, JsonMap const* map) {
  if (json_kind(raw) == JsonKind::string) {
    parts.emplace_back(Text{to_text(raw, map)});
    return true;
  }
  auto const add = [&](std::string_view part) {
    parts.push_back(decode_part(part, map));
    return true;
  };
  for_elements(raw, add, map);
  return false;
}

bool take_content(Fields& fields, std::vector<Part>& parts) {
  std::string_view content = fields.take("content", JsonKind::string);
  if (content.empty()) content = fields.take("content", JsonKind::array);
  return decode_content(content, parts, fields.map());
}

std::vector<ToolContent> decode_tool_content(std::string_view raw, JsonMap const* map) {
  std::vector<ToolContent> content;
  JsonKind const kind = json_kind(raw);
  if (kind == JsonKind::string) content.emplace_back(Text{to_text(raw, map)});
  if (kind == JsonKind::object || kind == JsonKind::number || kind == JsonKind::boolean)
    content.emplace_back(opaque_part(raw, {}));
  auto const add = [&](std::string_view part) {
    content.push_back(decode_tool_part(part, map));
    return true;
  };
  for_elements(raw, add, map);
  return content;
}

void encode_native_part(Part const& part, std::string& out) {
  JsonWriter json(out);
  if (auto const* text = std::get_if<Text>(&part)) encode_text(*text, json);
  if (auto const* image = std::get_if<Image>(&part)) encode_image(*image, json);
  if (auto const* opaque = std::get_if<Opaque>(&part)) json.raw(opaque->body.str());
  if (auto const* thinking = std::get_if<Thinking>(&part)) {
    json.begin_object().member("type", "thinking").member("thinking", thinking->text);
    if (!thinking->signature.empty()) json.member("thinkingSignature", thinking->signature);
    if (thinking->redacted) json.key("redacted").boolean(true);
    json.end_object();
  }
  if (auto const* call = std::get_if<ToolUse>(&part)) {
    json.begin_object().member("type", "toolCall").member("id", call->id).member("name", call->name);
    json.member_raw("arguments", call->input.str());
    if (!call->signature.empty()) json.member("thoughtSignature", call->signature);
    json.end_object();
  }
}

void encode_native_content(std::vector<ToolContent> const& content, std::string& out) {
  JsonWriter json(out);
  json.begin_array();
  for (ToolContent const& piece : content) {
    if (auto const* text = std::get_if<Text>(&piece)) encode_text(*text, json);
    if (auto const* image = std::get_if<Image>(&piece)) encode_image(*image, json);
    if (auto const* opaque = std::get_if<Opaque>(&piece)) json.raw(opaque->body.str());
  }
  json.end_array();
}

}}}
