// SPDX-License-Identifier: MIT
// Writes entries as lines of pi.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/native_dialect.hpp>
#include <sessionkit/detail/dialects/native_encode.hpp>

#include <utility>

// The shapes of pi-coding-agent 0.73; members it always reads are always written, unknown ones are left out.

namespace sessionkit { inline namespace v0 {

namespace native_encode_inl { namespace {

using detail::JsonWriter;

std::string_view stop_name(Generation const& made, bool calls) noexcept {
  switch (made.stop) {
  case StopReason::end_turn: return "stop";
  case StopReason::tool_use: return "toolUse";
  case StopReason::max_tokens: return "length";
  case StopReason::aborted: return "aborted";
  case StopReason::error: return "error";
  case StopReason::unknown: break;
  }
  return calls ? "toolUse" : "stop";
}

// pi's terminal reads usage and its cost of every assistant message without asking whether they are there.
void write_usage(JsonWriter& json, Usage const& usage) {
  json.key("usage").begin_object();
  json.key("input").unsigned_integer(usage.input).key("output").unsigned_integer(usage.output);
  json.key("cacheRead")
      .unsigned_integer(usage.cache_read)
      .key("cacheWrite")
      .unsigned_integer(usage.cache_write);
  json.key("totalTokens").unsigned_integer(usage.input + usage.output + usage.cache_read + usage.cache_write);
  json.member_raw("cost", R"({"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0})");
  json.end_object();
}

void write_generation(JsonWriter& json, Message const& message) {
  Generation const made = message.generation.value_or(Generation{});
  // Values that we do not know are left to the metadata, which is written after this.
  auto const kept = [&](std::string_view name) { return detail::has_member(message.metadata, name); };
  auto const known_or_kept = [&](std::string_view name, std::string const& text) {
    if (text.empty() && kept(name)) return;
    json.member(name, text.empty() ? std::string_view("unknown") : text);
  };
  known_or_kept("api", made.api);
  known_or_kept("provider", made.provider);
  known_or_kept("model", made.model);
  if (!kept("usage")) write_usage(json, made.usage.value_or(Usage{}));
  if (made.stop != StopReason::unknown || !kept("stopReason"))
    json.member("stopReason", stop_name(made, !message.tool_uses().empty()));
  if (!made.request_id.empty()) json.member("responseId", made.request_id);
}

void write_parts(JsonWriter& json, Message const& message, std::string& out) {
  if (message.parts.empty() && detail::has_member(message.metadata, "content")) return; // it is written there
  json.key("content");
  bool const bare = message.content_is_string && message.role != Role::assistant; // pi needs an array there
  auto const* text = bare && message.parts.size() == 1 ? std::get_if<Text>(&message.parts.front()) : nullptr;
  if (text && text->extra.is_null()) {
    json.string(text->text);
    return;
  }
  json.begin_array();
  for (Part const& part : message.parts) detail::encode_native_part(part, out);
  json.end_array();
}

void write_tool_result(JsonWriter& json, ToolResult const& result, std::string& out) {
  json.member("role", "toolResult")
      .member("toolCallId", result.tool_use_id)
      .member("toolName", result.tool_name);
  json.key("content");
  detail::encode_native_content(result.content, out);
  json.key("isError").boolean(result.is_error);
  detail::write_part_member(json, result.extra);
}

// One function for each member of `EntryBody`: what follows type, id, parentId and timestamp.

struct BodyWriter {
  JsonWriter& json;
  std::string& out;
  Timestamp at;

  void operator()(Header const&) const {}
  void operator()(Message const& message) const {
    json.key("message");
    detail::encode_native_message(message, at, out);
  }
  void operator()(Compaction const& body) const {
    json.member("summary", body.summary).member("firstKeptEntryId", body.first_kept.str());
    json.key("tokensBefore").unsigned_integer(body.tokens_before);
    if (body.tokens_after) json.key("tokensAfter").unsigned_integer(*body.tokens_after);
    write_details(body.details, body.from_hook);
  }
  void operator()(BranchSummary const& body) const {
    json.member("fromId", body.from.empty() ? std::string_view("root") : body.from.str())
        .member("summary", body.summary);
    write_details(body.details, body.from_hook);
  }
  void operator()(TitleChange const& body) const {
    json.member("name", body.title);
    if (!body.by_person) json.key("byPerson").boolean(false);
  }
  void operator()(StateChange const& body) const {
    json.member("customType", detail::state_type).key("data").begin_object().key("set").begin_object();
    for (auto const& [name, value] : body.set) json.member_raw(name, value.str());
    json.end_object().key("removed").begin_array();
    for (std::string const& name : body.removed) json.string(name);
    json.end_array().end_object();
  }
  void operator()(ArchiveChange const& body) const {
    json.member("customType", detail::archive_type).key("data").begin_object();
    json.key("archived").boolean(body.archived).end_object();
  }
  void operator()(Label const& body) const {
    json.member("targetId", body.target.str());
    if (!body.label.empty()) json.member("label", body.label);
  }
  void operator()(ModelChange const& body) const {
    if (body.thinking_level.empty())
      json.member("provider", body.provider).member("modelId", body.model);
    else
      json.member("thinkingLevel", body.thinking_level);
  }
  void operator()(CustomMessage const& body) const {
    json.member("customType", body.type);
    if (!body.in_context) json.key("data").begin_object(); // a `custom` line: pi never sends those
    json.key("content");
    detail::encode_native_content(body.content, out);
    json.member_raw("display", body.display.str());
    if (!body.details.is_null()) json.member_raw("details", body.details.str());
    if (!body.in_context) json.end_object();
  }
  void operator()(Custom const& body) const {
    json.member("customType", body.type);
    if (!body.data.is_null()) json.member_raw("data", body.data.str());
  }
  void operator()(Unknown const& body) const {
    detail::write_members(json, body.line, {"type", "id", "parentId", "timestamp"});
  }

 private:
  void write_details(RawJson const& details, bool from_hook) const {
    if (!details.is_null()) json.member_raw("details", details.str());
    if (from_hook) json.key("fromHook").boolean(true);
  }
};

struct LineTypeName {
  std::string_view operator()(Header const&) const { return "session"; }
  std::string_view operator()(Message const&) const { return "message"; }
  std::string_view operator()(Compaction const&) const { return "compaction"; }
  std::string_view operator()(BranchSummary const&) const { return "branch_summary"; }
  std::string_view operator()(TitleChange const&) const { return "session_info"; }
  std::string_view operator()(StateChange const&) const { return "custom"; }
  std::string_view operator()(ArchiveChange const&) const { return "custom"; }
  std::string_view operator()(Label const&) const { return "label"; }
  std::string_view operator()(ModelChange const& body) const {
    return body.thinking_level.empty() ? "model_change" : "thinking_level_change";
  }
  std::string_view operator()(CustomMessage const& body) const {
    return body.in_context ? "custom_message" : "custom";
  }
  std::string_view operator()(Custom const&) const { return "custom"; }
  std::string_view operator()(Unknown const& body) const { return body.type; }
};

// pi looks for a session's header in the first 512 bytes of its file: what it needs comes first.
void write_header(JsonWriter& json, Header const& header, Timestamp at) {
  json.key("version")
      .integer(3)
      .member("id", header.id)
      .member("timestamp", to_rfc3339(at))
      .member("cwd", header.cwd);
  if (!header.parent_session.empty()) json.member("parentSession", header.parent_session);
  if (!header.key.empty()) json.member("key", header.key);
  if (!header.agent.empty()) json.member("agent", header.agent);
  if (!header.user.empty()) json.member("user", header.user);
  if (header.copied != 0) json.key("copied").unsigned_integer(header.copied);
  if (!header.metadata.is_null()) json.member_raw("metadata", header.metadata.str());
}

bool is_members(RawJson const& json) noexcept { return json.is_null() || json.is_object(); }

// The reason why a native line cannot hold this entry; empty if it can.
std::string_view unsayable(Entry const& entry) {
  if (!is_members(entry.extra)) return "its extra members are no JSON object; give an object or null";
  if (auto const* message = entry.as<Message>()) {
    if (!is_members(message->metadata)) return "its metadata is no JSON object; give an object or null";
    if (!detail::has_members_only(*message))
      return "the extra members of a part are no JSON object; give an object or null";
    if (message->role == Role::tool && message->parts.empty())
      return "this tool message holds nothing; give it the one tool result it is for";
    bool results = false;
    for (Part const& part : message->parts) results = results || std::holds_alternative<ToolResult>(part);
    if (message->role == Role::tool ? !results || message->parts.size() != 1 : results)
      return "a native line holds exactly one tool result, alone in a message of role tool; store one "
             "message each";
  }
  if (auto const* model = entry.as<ModelChange>())
    if (!model->thinking_level.empty() && !(model->provider.empty() && model->model.empty()))
      return "model and thinking level are two native entries; store one each";
  return {};
}

}}

namespace detail {

void encode_native_message(Message const& message, Timestamp at, std::string& out) {
  detail::JsonWriter json(out);
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  switch (message.role) {
  case Role::tool:
    native_encode_inl::write_tool_result(json, std::get<ToolResult>(message.parts.front()), out);
    break;
  case Role::assistant:
    json.member("role", "assistant");
    native_encode_inl::write_parts(json, message, out);
    native_encode_inl::write_generation(json, message);
    break;
  case Role::user:
  case Role::system:
    json.member("role", message.role == Role::user ? "user" : "system");
    native_encode_inl::write_parts(json, message, out);
    break;
  }
  detail::write_new_members(out, begin, message.metadata);
  if (!detail::has_member(message.metadata, "timestamp")) json.key("timestamp").integer(to_unix_ms(at));
  json.end_object();
}

std::string_view native_type_of(Entry const& entry) noexcept {
  if (entry.as<Unknown>()) return {}; // bytes that are not UTF-8 are written otherwise
  return detail::visit(native_encode_inl::LineTypeName{}, entry.body);
}

Result<void> encode_native(Entry const& entry, std::string& out) {
  if (std::string_view const why = native_encode_inl::unsayable(entry); !why.empty())
    return detail::make_error(Errc::unsupported, "entry '{}': {}", entry.id.str(), why);
  detail::JsonWriter json(out);
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  json.member("type", detail::visit(native_encode_inl::LineTypeName{}, entry.body));
  if (auto const* header = entry.as<Header>()) {
    native_encode_inl::write_header(json, *header, entry.at);
  } else {
    json.member("id", entry.id.str());
    if (entry.link == Parent::entry) json.member("parentId", entry.parent.str());
    if (entry.link == Parent::root) json.key("parentId").null();
    json.member("timestamp", to_rfc3339(entry.at));
    detail::visit(native_encode_inl::BodyWriter{json, out, entry.at}, entry.body);
  }
  detail::write_new_members(out, begin, entry.extra);
  json.end_object();
  return {};
}

}

}}
