// SPDX-License-Identifier: MIT
// Reads and writes the lines of ai-panel and ZyHive.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/header_detection.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/panel_compaction.hpp>
#include <sessionkit/detail/dialects/panel_dialect.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/blob_refs.hpp>

#include <algorithm>
#include <array>
#include <utility>

// ai-panel's and ZyHive's transcripts: docs/session-design.md and pkg/session there. Content goes to the
// Anthropic API as it is, so nothing may be in it that the API does not know. Lines of other types, roles
// and members are passed over.

namespace sessionkit { inline namespace v0 {

namespace panel_dialect_inl { namespace {

SESSIONKIT_SELDOM bool detect_panel(std::string_view line) noexcept {
  using namespace detail;
  if (header_owner(line) == HeaderOwner::panel) return true;
  std::string_view const type = find_member(line, "type");
  if (type != "\"message\"" && type != "\"compaction\"") return false;
  return json_kind(find_member(line, "timestamp")) == JsonKind::number && find_member(line, "id").empty()
         && find_member(line, "parentId").empty();
}

SESSIONKIT_SELDOM EntryBody decode_panel_header(detail::Fields& line, RecordView const&) {
  Header header;
  header.version =
      static_cast<int>(detail::to_int(line.take("version", detail::JsonKind::number)).value_or(1));
  header.id = line.text("id");
  header.key = line.text("key");
  header.agent = line.text("agentId");
  detail::take_header_members(line, header);
  return header;
}

Role panel_role(std::string_view role, std::vector<Part> const& parts) {
  if (role != "user") return role == "assistant" ? Role::assistant : Role::system;
  bool const results = !parts.empty() && std::all_of(parts.begin(), parts.end(), [](Part const& part) {
    return std::holds_alternative<ToolResult>(part);
  });
  return results ? Role::tool : Role::user;
}

EntryBody decode_panel_message(detail::Fields& line, RecordView const& record) {
  detail::Fields fields(line.take("message", detail::JsonKind::object), line.map());
  std::string const role = fields.text("role");
  if (role != "user" && role != "assistant" && role != "system")
    return Unknown{std::string(record.type), RawJsonAccess::trust(std::string(record.line))};
  Message message;
  message.content_is_string = detail::take_content(fields, message.parts);
  message.role = panel_role(role, message.parts);
  detail::take_generation_member(fields, message);
  message.metadata = fields.rest(); // `toolCalls` among them: for display
  bool const again = !line.look(detail::again_member).empty();
  if (again && message.generation) message.generation->usage.reset(); // it counted what a summary replaces
  return message;
}

SESSIONKIT_SELDOM EntryBody decode_panel_compaction(detail::Fields& line, RecordView const&) {
  Compaction compaction;
  compaction.summary = line.text("summary");
  compaction.first_kept = EntryId(line.text("firstKeptEntryId"));
  compaction.tokens_before = line.count("tokensBefore");
  compaction.tokens_after = line.count_if("tokensAfter");
  compaction.kept_again = line.count_if("keptAgain");
  return compaction;
}

EntryBody decode_panel_title(detail::Fields& line, RecordView const&) { return detail::take_title(line); }

struct PanelLine {
  std::string_view type;
  EntryBody (*decode)(detail::Fields&, RecordView const&);
};
constexpr std::array<PanelLine, 4> panel_lines{{{"message", decode_panel_message},
                                                {"compaction", decode_panel_compaction},
                                                {detail::title_line_type, decode_panel_title},
                                                {"session", decode_panel_header}}};

// An answer of an unknown API may be one of Anthropic's.
bool is_of_anthropic(Message const& message) {
  if (!message.generation) return true;
  Generation const& made = *message.generation;
  if (!made.api.empty()) return made.api == "anthropic-messages";
  return made.provider.empty() || made.provider == "anthropic";
}

// What no line of this dialect can hold, with the fix; empty if one can.
struct PanelUnsayable {
  std::string_view operator()(Header const&) const { return {}; }
  std::string_view operator()(Unknown const&) const { return {}; }
  std::string_view operator()(TitleChange const&) const { return {}; }
  std::string_view operator()(Compaction const& body) const {
    return body.details.is_null() && !body.from_hook
               ? std::string_view{}
               : "panel compactions hold a summary and counts; leave the details out";
  }
  std::string_view operator()(Message const& message) const {
    if (!detail::has_members_only(message))
      return "the extra members of a part are no JSON object; give an object or null";
    if (detail::has_blob_refs(message))
      return "panel lines hold an image with its bytes or its address, not by reference; give the bytes";
    for (Part const& part : message.parts) {
      auto const* text = std::get_if<Text>(&part);
      auto const* call = std::get_if<ToolUse>(&part);
      if ((text && !text->signature.empty()) || (call && !call->signature.empty()))
        return "panel lines have no signatures of texts and calls; leave them out";
      if (auto const* result = std::get_if<ToolResult>(&part); result && detail::has_signed_text(*result))
        return "panel lines have no signatures within results; leave them out";
      auto const* thinking = std::get_if<Thinking>(&part);
      if (thinking && thinking->signature.empty())
        return "the API refuses reasoning that is not signed; leave it out";
      bool const assistant = message.role == Role::assistant;
      if (assistant && std::holds_alternative<Image>(part))
        return "the API refuses images of the assistant; leave them out";
      if (assistant && std::holds_alternative<Opaque>(part) && !is_of_anthropic(message))
        return "the API does not know this block of another provider; leave it out";
      if ((call || thinking) && !assistant) return "only the assistant calls tools and thinks";
      if (std::holds_alternative<ToolResult>(part) && (assistant || message.role == Role::system))
        return "a tool result belongs in a message of role tool or user";
    }
    return {};
  }
  std::string_view operator()(CustomMessage const&) const {
    return "panel lines have no custom messages; store the text as the user's";
  }
  template <class Body> std::string_view operator()(Body const&) const {
    return "panel lines hold messages, compactions and titles only; convert the session to native";
  }
};

void write_panel_message(detail::JsonWriter& json, Message const& message, std::string& out) {
  std::string_view const role = message.role == Role::assistant ? "assistant"
                                : message.role == Role::system  ? "system"
                                                                : "user";
  json.member("type", "message").key("message").begin_object().member("role", role);
  if (!message.parts.empty() || !detail::has_member(message.metadata, "content")) {
    json.key("content");
    detail::write_content(out, message, message.content_is_string);
  }
  detail::write_generation_member(json, message);
  detail::write_members(json, message.metadata, {"role", "generation"});
  json.end_object();
}

void write_panel_compaction(detail::JsonWriter& json, Compaction const& body) {
  json.member("type", "compaction").member("summary", body.summary);
  json.member("firstKeptEntryId", body.first_kept.str());
  json.key("tokensBefore").unsigned_integer(body.tokens_before);
  if (body.tokens_after) json.key("tokensAfter").unsigned_integer(*body.tokens_after);
  if (body.kept_again) json.key("keptAgain").unsigned_integer(*body.kept_again);
}

bool can_panel(std::size_t body) noexcept {
  return detail::is_body_of<Header, Message, Compaction, TitleChange, Unknown>(body);
}

std::string_view panel_type_of(Entry const& entry) noexcept {
  if (entry.as<Header>()) return "session";
  if (entry.as<Message>()) return "message";
  if (entry.as<Compaction>()) return "compaction";
  return entry.as<TitleChange>() ? detail::title_line_type : std::string_view{};
}

// Parallel results stay in one message: the program keeps one of several in a row only.
std::vector<Message> split_nothing(Message const& message) { return {message}; }

}}

namespace detail {

Result<Entry> decode_panel(RecordView const& record) {
  JsonMap map;
  Result<std::string_view> const object = whole_object(record, map);
  if (!object) return object.error();
  Entry entry;
  entry.id = EntryId(std::string(record.id));
  entry.link = record.link;
  entry.body = Unknown{std::string(record.type), RawJsonAccess::trust(std::string(*object))};
  Fields line(*object, &map);
  line.take("type");
  entry.at = line_time(line.take(record.type == "session" ? "createdAt" : "timestamp"));
  for (panel_dialect_inl::PanelLine const& known : panel_dialect_inl::panel_lines)
    if (known.type == record.type) entry.body = known.decode(line, record);
  if (!entry.as<Unknown>()) entry.extra = line.rest();
  return entry;
}

Result<void> encode_panel(Entry const& entry, std::string& out) {
  if (std::string_view const why = detail::visit(panel_dialect_inl::PanelUnsayable{}, entry.body);
      !why.empty())
    return make_error(Errc::unsupported, "entry '{}': {}", entry.id.str(), why);
  JsonWriter json(out);
  if (auto const* unknown = entry.as<Unknown>()) {
    json.raw(unknown->line.str());
    return {};
  }
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  if (auto const* header = entry.as<Header>()) {
    json.member("type", "session").key("version").integer(3).member("agentId", header->agent);
    json.key("createdAt").integer(to_unix_ms(entry.at));
    if (!header->id.empty()) json.member("id", header->id);
    if (!header->key.empty()) json.member("key", header->key);
    write_header_members(json, *header);
  } else {
    if (auto const* message = entry.as<Message>())
      panel_dialect_inl::write_panel_message(json, *message, out);
    if (auto const* compaction = entry.as<Compaction>())
      panel_dialect_inl::write_panel_compaction(json, *compaction);
    if (auto const* title = entry.as<TitleChange>()) write_title_members(json, *title);
    json.key("timestamp").integer(to_unix_ms(entry.at));
  }
  write_new_members(out, begin, entry.extra);
  json.end_object();
  return {};
}

}

Dialect const& panel_dialect() noexcept {
  static constexpr Dialect panel{"panel",
                                 panel_dialect_inl::detect_panel,
                                 detail::linear_head,
                                 detail::decode_panel,
                                 detail::encode_panel,
                                 panel_dialect_inl::can_panel,
                                 panel_dialect_inl::split_nothing,
                                 false,
                                 true,
                                 panel_dialect_inl::panel_type_of,
                                 "createdAt",
                                 "timestamp"};
  return panel;
}

}}
