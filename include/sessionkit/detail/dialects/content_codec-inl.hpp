// SPDX-License-Identifier: MIT
// Reads and writes the content of messages as pi spells it.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace content_codec_inl { namespace {

Opaque opaque_part(std::string_view raw, std::string type) {
  return {std::move(type), RawJsonAccess::trust(std::string(raw))};
}

// The members that remain of an image, and those of its source as member `source`.
RawJson image_rest(Fields& fields, Fields& source) {
  RawJson const inner = source.rest();
  RawJson outer = fields.rest();
  if (inner.is_null()) return outer;
  std::string all = "{\"source\":" + inner.str();
  if (outer.is_object()) all.append(",").append(outer.str(), 1, outer.str().size() - 2);
  return RawJsonAccess::trust(all + '}');
}

// {"type":"text","text":"[image not sent]","source":{"type":"blob","digest","size","media_type"}}: a program
// that does not know references shows and sends the text.
constexpr std::string_view blob_source = "blob";

SESSIONKIT_SELDOM bool decode_blob_ref(Fields& fields, std::string_view source, Image& image) {
  Fields inner(source, fields.map());
  bool const blob = to_text(inner.look("type"), fields.map()) == blob_source
                    && json_kind(inner.look("digest")) == JsonKind::string
                    && to_text(fields.look("text"), fields.map()) == no_image_text;
  if (!blob) return false;
  for (std::string_view const name : {"text", "source"}) fields.take(name);
  inner.take("type");
  image.media_type = inner.text("media_type");
  image.source = BlobRef{inner.text("digest"), inner.count_if("size").value_or(0)};
  image.extra = image_rest(fields, inner);
  return true;
}

// {"source":{"type":"base64","media_type","data"}|{"type":"url","url"}} (Anthropic)
bool decode_image_source(Fields& fields, std::string_view source, Image& image) {
  Fields inner(source, fields.map());
  bool const url = inner.has("url");
  if (!url && !inner.has("data")) return false;
  fields.take("source");
  inner.take("type", JsonKind::string);
  image.media_type = inner.text("media_type");
  if (url)
    image.source = Url{inner.text("url")};
  else
    image.source = Base64{inner.text("data")};
  image.extra = image_rest(fields, inner);
  return true;
}

// {"data","mimeType"} (pi)
SESSIONKIT_SELDOM bool decode_image(Fields& fields, Image& image) {
  std::string_view const source = fields.look("source");
  if (json_kind(source) == JsonKind::object && decode_image_source(fields, source, image)) return true;
  std::string_view const data = fields.take("data", JsonKind::string);
  if (data.empty()) return false;
  image.media_type = fields.text("mimeType");
  image.source = Base64{to_text(data, fields.map())};
  image.extra = fields.rest();
  return true;
}

Thinking decode_thinking(Fields& fields) {
  Thinking thinking{fields.text("thinking"), fields.text("thinkingSignature"), fields.flag("redacted")};
  if (thinking.signature.empty()) thinking.signature = fields.text("signature");
  thinking.extra = fields.rest();
  return thinking;
}

ToolUse decode_tool_use(Fields& fields, std::string_view arguments) {
  return {fields.text("id"), fields.text("name"), fields.json(arguments), fields.text("thoughtSignature"),
          fields.rest()};
}

ToolResult decode_tool_result(Fields& fields) {
  return {fields.text("tool_use_id"),
          {},
          decode_tool_content(fields.take("content"), fields.map()),
          fields.flag("is_error"),
          fields.rest()};
}

// Adds a part of a type that is allowed anywhere. False: the type is another one.
template <class AnyPart> bool add_plain(std::string_view type, Fields& fields, std::vector<AnyPart>& parts) {
  if (type == "text") {
    Image image;
    std::string_view const source = fields.look("source");
    if (json_kind(source) == JsonKind::object && decode_blob_ref(fields, source, image)) {
      parts.emplace_back(std::move(image));
      return true;
    }
    std::string_view const text = fields.take("text", JsonKind::string);
    if (text.empty()) return false;
    parts.emplace_back(Text{to_text(text, fields.map()), fields.text("textSignature"), fields.rest()});
    return true;
  }
  if (type != "image") return false;
  Image image;
  if (!decode_image(fields, image)) return false;
  parts.emplace_back(std::move(image));
  return true;
}

void add_object(Fields& fields, std::string_view raw, std::vector<ToolContent>& content) {
  std::string type = fields.text("type");
  if (!add_plain(type, fields, content)) content.emplace_back(opaque_part(raw, std::move(type)));
}

void add_object(Fields& fields, std::string_view raw, std::vector<Part>& parts) {
  std::string name = fields.text("type");
  std::string_view const type = name;
  if (add_plain(type, fields, parts)) return;
  if (type == "toolCall" || type == "toolUse" || type == "functionCall") // OpenClaw takes them for the same
    parts.emplace_back(decode_tool_use(fields, fields.has("arguments") ? "arguments" : "input"));
  else if (type == "thinking")
    parts.emplace_back(decode_thinking(fields));
  else if (type == "tool_use")
    parts.emplace_back(decode_tool_use(fields, "input"));
  else if (type == "tool_result")
    parts.emplace_back(decode_tool_result(fields));
  else if (type == "redacted_thinking")
    parts.emplace_back(Thinking{{}, fields.text("data"), true, fields.rest()});
  else
    parts.emplace_back(opaque_part(raw, std::move(name)));
}

template <class AnyPart>
void add_part(std::string_view raw, JsonMap const* map, std::vector<AnyPart>& parts) {
  JsonKind const kind = json_kind(raw);
  if (kind == JsonKind::object) {
    Fields fields(raw, map);
    add_object(fields, raw, parts);
  } else if (kind == JsonKind::string) {
    parts.emplace_back(Text{to_text(raw, map)});
  } else {
    parts.emplace_back(opaque_part(raw, {}));
  }
}

// Writes one part as pi spells it, and the members that pi does not know.
struct NativePart {
  std::string& out;

  void operator()(Text const& text) const {
    std::size_t const begin = open("text");
    JsonWriter json(out);
    json.member("text", text.text);
    if (!text.signature.empty()) json.member("textSignature", text.signature);
    close(begin, text.extra);
  }
  void operator()(Image const& image) const {
    auto const* const blob = std::get_if<BlobRef>(&image.source);
    std::size_t const begin = open(blob ? "text" : "image");
    JsonWriter json(out);
    if (blob)
      reference(image, *blob);
    else if (auto const* inline_data = std::get_if<Base64>(&image.source))
      json.member("data", inline_data->data).member("mimeType", image.media_type);
    else
      address(image, std::get<Url>(image.source));
    close(begin, image.extra);
  }
  void operator()(Thinking const& thinking) const {
    std::size_t const begin = open("thinking");
    JsonWriter json(out);
    json.member("thinking", thinking.text);
    if (!thinking.signature.empty()) json.member("thinkingSignature", thinking.signature);
    if (thinking.redacted) json.key("redacted").boolean(true);
    close(begin, thinking.extra);
  }
  void operator()(ToolUse const& call) const {
    std::size_t const begin = open("toolCall");
    JsonWriter json(out);
    json.member("id", call.id).member("name", call.name).member_raw("arguments", call.input.str());
    if (!call.signature.empty()) json.member("thoughtSignature", call.signature);
    close(begin, call.extra);
  }
  void operator()(ToolResult const&) const {}
  void operator()(Opaque const& opaque) const { JsonWriter(out).raw(opaque.body.str()); }

 private:
  std::size_t open(std::string_view type) const {
    JsonWriter json(out);
    json.begin_object();
    std::size_t const begin = out.size() - 1;
    json.member("type", type);
    return begin;
  }
  void close(std::size_t begin, RawJson const& extra) const {
    write_new_members(out, begin, extra);
    out += '}';
  }
  void reference(Image const& image, BlobRef const& blob) const {
    JsonWriter json(out);
    json.member("text", no_image_text).key("source").begin_object();
    std::size_t const begin = out.size() - 1;
    json.member("type", blob_source).member("digest", blob.digest);
    if (blob.size != 0) json.key("size").unsigned_integer(blob.size);
    if (!image.media_type.empty()) json.member("media_type", image.media_type);
    write_source_members(out, begin, image);
    json.end_object();
  }
  void address(Image const& image, Url const& url) const {
    JsonWriter json(out);
    json.key("source").begin_object();
    std::size_t const begin = out.size() - 1;
    json.member("type", "url").member("url", url.url);
    if (!image.media_type.empty()) json.member("media_type", image.media_type);
    write_source_members(out, begin, image);
    json.end_object();
  }
};

}}

bool decode_content(std::string_view raw, std::vector<Part>& parts, JsonMap const* map) {
  if (json_kind(raw) == JsonKind::string) {
    parts.emplace_back(Text{to_text(raw, map)});
    return true;
  }
  auto const add = [&](std::string_view part) {
    content_codec_inl::add_part(part, map, parts);
    return true;
  };
  parts.reserve(3); // an answer thinks, says and asks
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
    content.emplace_back(content_codec_inl::opaque_part(raw, {}));
  auto const add = [&](std::string_view part) {
    content_codec_inl::add_part(part, map, content);
    return true;
  };
  for_elements(raw, add, map);
  return content;
}

void encode_native_part(Part const& part, std::string& out) {
  detail::visit(content_codec_inl::NativePart{out}, part);
}

void encode_native_content(std::vector<ToolContent> const& content, std::string& out) {
  JsonWriter json(out);
  json.begin_array();
  for (ToolContent const& piece : content) detail::visit(content_codec_inl::NativePart{out}, piece);
  json.end_array();
}

}}}
