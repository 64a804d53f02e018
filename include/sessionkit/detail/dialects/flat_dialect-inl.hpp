// SPDX-License-Identifier: MIT
// Reads and writes the lines of claw0.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/flat_dialect.hpp>
#include <sessionkit/detail/dialects/header_detection.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>
#include <sessionkit/detail/model/tool_results.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

// claw0's transcripts: agents/s03_sessions.py and docs/zh/s03_sessions.md there. Its reader takes a missing
// member as empty, passes over types it does not know and gives `content` to the model as it is.

namespace sessionkit { inline namespace v0 {

namespace flat_dialect_inl { namespace {

bool is_flat_line(std::string_view line, std::string_view type) noexcept {
  using detail::find_member;
  bool const message = type == "\"user\"" || type == "\"assistant\"";
  if (!message && type != "\"tool_use\"" && type != "\"tool_result\"") return false;
  if (find_member(line, "ts").empty() && !find_member(line, "timestamp").empty())
    return false; // Gemini CLI's
  if (message) return !find_member(line, "content").empty() && find_member(line, "message").empty();
  return !find_member(line, "tool_use_id").empty();
}

bool has_number(std::string_view line, std::string_view name) noexcept {
  return detail::json_kind(detail::find_member(line, name)) == detail::JsonKind::number;
}

SESSIONKIT_SELDOM bool detect_flat(std::string_view line) noexcept {
  using namespace detail;
  if (header_owner(line) == HeaderOwner::flat) return true;
  return is_flat_line(line, find_member(line, "type")) && !has_number(line, "ts");
}

bool detect_flat_v2(std::string_view line) noexcept {
  return is_flat_line(line, detail::find_member(line, "type")) && has_number(line, "ts");
}

// RFC 3339, or seconds since 1970 with a fraction.
Timestamp flat_time(std::string_view raw) {
  if (detail::json_kind(raw) != detail::JsonKind::number) return detail::line_time(raw);
  constexpr double most = 1e13; // seconds that still fit as milliseconds
  double const seconds = detail::to_double(raw).value_or(0);
  return std::abs(seconds) < most ? from_unix_ms(std::llround(seconds * 1000)) : Timestamp{};
}

void take_flat_content(detail::Fields& line, Message& message) {
  if (!line.has("content")) {
    message.content_is_string = true;
    message.parts.emplace_back(Text{});
    return;
  }
  message.content_is_string = detail::take_content(line, message.parts);
  auto* text = message.parts.size() == 1 ? std::get_if<Text>(&message.parts.front()) : nullptr;
  if (text && text->signature.empty()) text->signature = line.text("signature");
}

EntryBody flat_text(detail::Fields& line, Role role) {
  Message message;
  message.role = role;
  take_flat_content(line, message);
  message.metadata = detail::take_object(line, "metadata");
  detail::take_generation_member(line, message);
  return message;
}
EntryBody decode_flat_user(detail::Fields& line) { return flat_text(line, Role::user); }
EntryBody decode_flat_assistant(detail::Fields& line) { return flat_text(line, Role::assistant); }

EntryBody decode_flat_call(detail::Fields& line) {
  ToolUse call{line.text("tool_use_id"), line.text("name"), line.json("input"), line.text("signature"),
               detail::take_part_member(line)};
  if (call.input.is_null()) call.input = RawJsonAccess::trust("{}");
  Message message;
  message.content_is_string = true; // a line of its own, no array of parts
  message.role = Role::assistant;
  message.parts.emplace_back(std::move(call));
  message.metadata = detail::take_object(line, "metadata");
  detail::take_generation_member(line, message);
  return message;
}

// `own`: the member that the variant's program reads. What is neither a text nor an array stays in the rest,
// too.
SESSIONKIT_SELDOM EntryBody flat_result(detail::Fields& line, std::string_view own, std::string_view other) {
  std::string_view output = line.look(own);
  detail::JsonKind const own_kind = detail::json_kind(output);
  if (own_kind == detail::JsonKind::string || own_kind == detail::JsonKind::array) line.take(own);
  if (output.empty()) output = line.look(other);
  ToolResult result{
      line.text("tool_use_id"), line.text("name"), {}, line.flag("is_error"), detail::take_part_member(line)};
  Message message;
  message.role = Role::tool;
  detail::JsonKind const kind = detail::json_kind(output);
  message.content_is_string = kind != detail::JsonKind::array;
  if (kind == detail::JsonKind::string || kind == detail::JsonKind::array)
    result.content = detail::decode_tool_content(output, line.map());
  else // a tool answer goes to the model, whatever its JSON type
    result.content.emplace_back(Text{output == "null" ? std::string{} : std::string(output)});
  message.parts.emplace_back(std::move(result));
  message.metadata = detail::take_object(line, "metadata");
  return message;
}

EntryBody decode_flat_result(detail::Fields& line) { return flat_result(line, "output", "content"); }
EntryBody decode_flat_v2_result(detail::Fields& line) { return flat_result(line, "content", "output"); }

SESSIONKIT_SELDOM EntryBody decode_flat_header(detail::Fields& line) {
  Header header;
  header.version = 1;
  header.id = line.text("id");
  header.key = line.text("key");
  header.agent = line.text("agent");
  detail::take_header_members(line, header);
  return header;
}

EntryBody decode_flat_title(detail::Fields& line) { return detail::take_title(line); }

struct FlatLine {
  std::string_view type;
  EntryBody (*decode)(detail::Fields&);
};
constexpr std::array<FlatLine, 6> flat_lines{{{"user", decode_flat_user},
                                              {"assistant", decode_flat_assistant},
                                              {"tool_use", decode_flat_call},
                                              {"tool_result", decode_flat_result},
                                              {detail::title_line_type, decode_flat_title},
                                              {"session", decode_flat_header}}};

constexpr FlatLine flat_v2_result{"tool_result", decode_flat_v2_result};

Result<Entry> decode_line(RecordView const& record, bool later) {
  detail::JsonMap map;
  Result<std::string_view> const object = detail::whole_object(record, map);
  if (!object) return object.error();
  Entry entry;
  entry.id = EntryId(std::string(record.id));
  entry.link = record.link;
  entry.body = Unknown{std::string(record.type), RawJsonAccess::trust(std::string(*object))};
  for (FlatLine const& known : flat_lines) {
    if (known.type != record.type) continue;
    detail::Fields line(*object, &map);
    line.take("type");
    entry.at = flat_time(line.take(known.type == "session" ? "created" : "ts"));
    entry.body =
        later && known.type == flat_v2_result.type ? flat_v2_result.decode(line) : known.decode(line);
    entry.extra = line.rest();
    return entry;
  }
  entry.at = flat_time(detail::find_member(*object, "ts"));
  return entry;
}

Result<Entry> decode_flat_v2(RecordView const& record) { return decode_line(record, true); }

// What no flat line can hold, with the fix; empty if one can.
std::string_view flat_unsayable(Message const& message) {
  if (message.role == Role::system)
    return "flat lines have no system messages; give the text as Target::system";
  if (!detail::has_members_only(message))
    return "the extra members of a part are no JSON object; give an object or null";
  if (detail::has_blob_refs(message))
    return "flat lines hold an image with its bytes or its address, not by reference; give the bytes";
  bool const alone = message.parts.size() == 1;
  for (Part const& part : message.parts) {
    if (std::holds_alternative<Thinking>(part)) return "flat lines have no reasoning; leave it out";
    bool const call = std::holds_alternative<ToolUse>(part),
               result = std::holds_alternative<ToolResult>(part);
    auto const* text = std::get_if<Text>(&part);
    auto const* answer = std::get_if<ToolResult>(&part);
    if ((text && !alone && !text->signature.empty()) || (answer && detail::has_signed_text(*answer)))
      return "flat lines have no signatures of texts among others and within results; leave them out";
    if (call && message.role != Role::assistant) return "only the assistant calls tools";
    if (result != (message.role == Role::tool))
      return "a tool result belongs in a message of role tool, alone";
    bool const fits = message.role == Role::user || alone;
    if (!fits) return "a flat line holds one text, one call or one result; store one message each";
    if (message.role == Role::assistant && !call && !std::holds_alternative<Text>(part))
      return "a flat line of the assistant holds text or a call; leave other parts out";
  }
  return message.role == Role::tool && !alone ? "a message of role tool needs a result" : std::string_view{};
}

struct FlatUnsayable {
  std::string_view operator()(Header const&) const { return {}; }
  std::string_view operator()(Unknown const&) const { return {}; }
  std::string_view operator()(TitleChange const&) const { return {}; }
  std::string_view operator()(Message const& message) const { return flat_unsayable(message); }
  std::string_view operator()(CustomMessage const&) const {
    return "flat lines have no custom messages; store the text as the user's";
  }
  template <class Body> std::string_view operator()(Body const&) const {
    return "flat lines hold messages and titles only; convert the session to native";
  }
};

void write_flat_text(detail::JsonWriter& json, Entry const& entry, Message const& message, std::string& out) {
  json.member("type", message.role == Role::user ? "user" : "assistant");
  if (!detail::has_member(entry.extra, "content") || !message.parts.empty()) {
    json.key("content");
    if (message.parts.empty())
      json.string({});
    else
      detail::write_content(out, message, true);
  }
  auto const* text = message.parts.empty() ? nullptr : std::get_if<Text>(&message.parts.front());
  if (text && message.parts.size() == 1 && !text->signature.empty())
    json.member("signature", text->signature);
}

void write_flat_call(detail::JsonWriter& json, ToolUse const& call) {
  json.member("type", "tool_use").member("name", call.name).member("tool_use_id", call.id);
  json.member_raw("input", call.input.str());
  if (!call.signature.empty()) json.member("signature", call.signature);
  detail::write_part_member(json, call.extra);
}

void write_flat_result(detail::JsonWriter& json, ToolResult const& result, std::string& out) {
  json.member("type", "tool_result").member("tool_use_id", result.tool_use_id).key("output");
  detail::write_result_content(out, result);
  if (!result.tool_name.empty()) json.member("name", result.tool_name);
  if (result.is_error) json.key("is_error").boolean(true);
  detail::write_part_member(json, result.extra);
}

void write_flat_message(detail::JsonWriter& json, Entry const& entry, Message const& message,
                        std::string& out) {
  if (message.role == Role::tool)
    write_flat_result(json, std::get<ToolResult>(message.parts.front()), out);
  else if (auto const* call = message.parts.empty() ? nullptr : std::get_if<ToolUse>(&message.parts.front()))
    write_flat_call(json, *call);
  else
    write_flat_text(json, entry, message, out);
  json.member("ts", to_rfc3339(entry.at));
  detail::write_generation_member(json, message);
  if (message.metadata.is_object()) json.member_raw("metadata", message.metadata.str());
}

// claw0 reads with `splitlines`, to which these end a line as well. In JSON they are in texts only, where
// an escape says the same.
struct LineEndLike {
  std::string_view bytes, escape;
};
constexpr std::array<LineEndLike, 3> line_end_likes{
    {{"\xC2\x85", "\\u0085"}, {"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}}};

void escape_line_ends(std::string& out, std::size_t begin) {
  std::size_t at = std::string::npos;
  for (LineEndLike const& one : line_end_likes) at = std::min(at, out.find(one.bytes, begin));
  if (at == std::string::npos) return;
  std::string const line = out.substr(at);
  out.resize(at);
  for (std::string_view rest = line; !rest.empty();) {
    auto const* const one = std::find_if(line_end_likes.begin(), line_end_likes.end(), [&](auto const& like) {
      return rest.substr(0, like.bytes.size()) == like.bytes;
    });
    bool const found = one != line_end_likes.end();
    out += found ? one->escape : rest.substr(0, 1);
    rest.remove_prefix(found ? one->bytes.size() : 1);
  }
}

Result<void> write_flat_line(Entry const& entry, std::string& out) {
  if (std::string_view const why = detail::visit(FlatUnsayable{}, entry.body); !why.empty())
    return detail::make_error(Errc::unsupported, "entry '{}': {}", entry.id.str(), why);
  detail::JsonWriter json(out);
  if (auto const* unknown = entry.as<Unknown>()) {
    json.raw(unknown->line.str());
    return {};
  }
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  if (auto const* header = entry.as<Header>()) {
    json.member("type", "session").member("id", header->id).member("key", header->key);
    json.member("created", to_rfc3339(entry.at));
    if (!header->agent.empty()) json.member("agent", header->agent);
    detail::write_header_members(json, *header);
  } else if (auto const* title = entry.as<TitleChange>()) {
    detail::write_title_members(json, *title);
    json.member("ts", to_rfc3339(entry.at));
  } else {
    write_flat_message(json, entry, std::get<Message>(entry.body), out);
  }
  detail::write_new_members(out, begin, entry.extra);
  json.end_object();
  return {};
}

Result<void> encode_flat_v2(Entry const&, std::string&) {
  return detail::make_error(
      Errc::unsupported,
      "transcripts of claw0's later variant are read only; convert the session to native or flat");
}

bool can_flat(std::size_t body) noexcept {
  return detail::is_body_of<Header, Message, TitleChange, Unknown>(body);
}
bool can_nothing(std::size_t) noexcept { return false; }

std::string_view flat_type_of(Entry const& entry) noexcept {
  if (entry.as<Header>()) return "session";
  if (entry.as<TitleChange>()) return detail::title_line_type;
  auto const* message = entry.as<Message>();
  if (message == nullptr) return {};
  if (message->role == Role::tool) return "tool_result";
  bool const calls = !message->parts.empty() && std::holds_alternative<ToolUse>(message->parts.front());
  return calls ? "tool_use" : message->role == Role::user ? "user" : "assistant";
}

// One line each for texts and calls; the count of the whole answer is on the last that can be written.
SESSIONKIT_SELDOM std::vector<Message> split_flat(Message const& message) {
  if (message.role != Role::assistant) return detail::split_tool_results(message);
  if (message.parts.size() < 2) return {message};
  std::vector<Message> lines;
  for (Part const& part : message.parts) {
    Message one;
    one.role = Role::assistant;
    one.parts.push_back(part);
    one.generation = message.generation;
    if (one.generation) one.generation->usage.reset();
    lines.push_back(std::move(one));
  }
  auto last = std::find_if(lines.rbegin(), lines.rend(), [](Message const& one) {
    return std::holds_alternative<Text>(one.parts.front())
           || std::holds_alternative<ToolUse>(one.parts.front());
  });
  if (last == lines.rend()) last = lines.rbegin();
  last->generation = message.generation;
  last->metadata = message.metadata;
  return lines;
}

}}

namespace detail {

Result<Entry> decode_flat(RecordView const& record) { return flat_dialect_inl::decode_line(record, false); }

SESSIONKIT_SELDOM Result<void> encode_flat(Entry const& entry, std::string& out) {
  std::size_t const begin = out.size();
  Result<void> written = flat_dialect_inl::write_flat_line(entry, out);
  if (written) flat_dialect_inl::escape_line_ends(out, begin);
  return written;
}

}

Dialect const& flat_dialect() noexcept {
  static constexpr Dialect flat{"flat",
                                flat_dialect_inl::detect_flat,
                                detail::linear_head,
                                detail::decode_flat,
                                detail::encode_flat,
                                flat_dialect_inl::can_flat,
                                flat_dialect_inl::split_flat,
                                false,
                                false,
                                flat_dialect_inl::flat_type_of,
                                "created",
                                "ts"};
  return flat;
}

Dialect const& flat_v2_dialect() noexcept {
  static constexpr Dialect flat_v2{"flat-v2",
                                   flat_dialect_inl::detect_flat_v2,
                                   detail::linear_head,
                                   flat_dialect_inl::decode_flat_v2,
                                   flat_dialect_inl::encode_flat_v2,
                                   flat_dialect_inl::can_nothing,
                                   flat_dialect_inl::split_flat,
                                   false,
                                   false,
                                   nullptr,
                                   "created",
                                   "ts"};
  return flat_v2;
}

}}
