// SPDX-License-Identifier: MIT
// Converts between native lines and the columns that ZeroClaw reads.
#pragma once
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/dialect.hpp>
#include <sessionkit/sqlite/detail/rows.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace rows_inl { namespace {

// The members of a message except for those of every native line: the time has a column of its own.
std::optional<std::string> metadata_column(RawJson const& metadata) {
  if (!metadata.is_object()) return std::nullopt;
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for_members(metadata.str(), [&](std::string_view key, std::string_view value) {
    if (key_is(key, "timestamp") || key_is(key, "usage")) return true;
    std::string name;
    append_unescaped(name, key);
    json.member_raw(name, value);
    return true;
  });
  json.end_object();
  if (text == "{}") return std::nullopt;
  return text;
}

std::string content_column(Message const& message) {
  std::string text = message.text();
  for (Part const& part : message.parts)
    if (auto const* result = std::get_if<ToolResult>(&part))
      for (ToolContent const& piece : result->content)
        if (auto const* said = std::get_if<Text>(&piece)) text += said->text;
  return text;
}

char const* role_column(Role role) {
  switch (role) {
  case Role::system: return "system";
  case Role::user: return "user";
  case Role::assistant: return "assistant";
  case Role::tool: return "tool";
  }
  return "user";
}

RawJson metadata_of_column(std::optional<std::string_view> meta_json) {
  if (!meta_json) return {};
  Result<RawJson> parsed = RawJson::parse(std::string(*meta_json));
  if (parsed && (parsed->is_object() || parsed->is_null())) return std::move(*parsed);
  std::string wrapped = R"({"meta_json":)";
  wrapped += parsed ? parsed->str() : RawJson::string(*meta_json).str();
  return RawJson::parse(wrapped + '}').value();
}

}}

std::optional<MessageColumns> message_columns(EntryBody const& body) {
  if (auto const* compaction = std::get_if<Compaction>(&body))
    return MessageColumns{"assistant", std::string(zeroclaw_summary_prefix) + compaction->summary};
  auto const* const message = std::get_if<Message>(&body);
  if (message == nullptr) return std::nullopt;
  return MessageColumns{rows_inl::role_column(message->role), rows_inl::content_column(*message),
                        rows_inl::metadata_column(message->metadata)};
}

std::string line_of_zeroclaw_row(std::string_view role, std::string_view content, std::string_view created_at,
                                 std::optional<std::string_view> meta_json) {
  Entry entry;
  entry.at = parse_rfc3339(created_at) ? parse_rfc3339(created_at).value() : Timestamp{};
  bool const summary =
      role == "assistant" && content.substr(0, zeroclaw_summary_prefix.size()) == zeroclaw_summary_prefix;
  if (summary) {
    entry.body = Compaction{std::string(content.substr(zeroclaw_summary_prefix.size()))};
  } else {
    Message message = user(std::string(content));
    message.metadata = rows_inl::metadata_of_column(meta_json);
    // This tool result has no call in the log, so it becomes text of the conversation.
    message.role = role == "assistant" ? Role::assistant : role == "system" ? Role::system : Role::user;
    entry.body = std::move(message);
  }
  std::string line;
  Result<void> const encoded = native_dialect().encode(entry, line);
  if (!encoded) return R"({"type":"custom","customType":"zeroclaw_row"})";
  constexpr std::string_view no_id = R"(,"id":"")"; // the store gives an id by place
  if (std::size_t const at = line.find(no_id); at != std::string::npos) line.erase(at, no_id.size());
  return line;
}

}}}
