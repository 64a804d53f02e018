// SPDX-License-Identifier: MIT
// Reads the lines of all versions of pi as entries.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/native_decode.hpp>
#include <sessionkit/detail/dialects/native_dialect.hpp>
#include <sessionkit/detail/dialects/summary_wording.hpp>
#include <sessionkit/detail/json/object_reader.hpp>

#include <array>
#include <utility>

// What pi-coding-agent 0.73 writes, and its versions 1 and 2: docs/session.md and src/core/session-manager.ts
// there.

namespace sessionkit { inline namespace v0 {

namespace native_decode_inl { namespace {

using detail::Fields;
using detail::JsonKind;

struct StopName {
  std::string_view name;
  StopReason stop;
};
constexpr std::array<StopName, 5> stop_names{{{"stop", StopReason::end_turn},
                                              {"toolUse", StopReason::tool_use},
                                              {"length", StopReason::max_tokens},
                                              {"aborted", StopReason::aborted},
                                              {"error", StopReason::error}}};

StopReason stop_of(std::string_view name) noexcept {
  for (StopName const& known : stop_names)
    if (known.name == name) return known.stop;
  return StopReason::unknown;
}

std::string known_or_empty(std::string text) {
  if (text == "unknown") text.clear();
  return text;
}

// All zeros are what programs write that do not know; the raw member stays in the metadata as well, for its
// cost.
std::optional<Usage> usage_of(std::string_view raw, detail::JsonMap const* map) {
  Fields fields(raw, map);
  Usage usage{fields.count("input"), fields.count("output"), fields.count("cacheRead"),
              fields.count("cacheWrite")};
  if (usage.input + usage.output + usage.cache_read + usage.cache_write == 0) return std::nullopt;
  return usage;
}

EntryBody user_message(Fields& fields, Role role) {
  Message message;
  message.role = role;
  message.content_is_string = detail::take_content(fields, message.parts);
  message.metadata = fields.rest();
  return message;
}

Generation take_generation(Fields& fields) {
  Generation made;
  made.provider = known_or_empty(fields.text("provider"));
  made.model = known_or_empty(fields.text("model"));
  made.api = known_or_empty(fields.text("api"));
  made.request_id = fields.text("responseId");
  made.stop = stop_of(detail::to_text(fields.look("stopReason")));
  if (made.stop != StopReason::unknown) fields.take("stopReason"); // else the metadata keeps the word
  made.usage = usage_of(fields.look("usage"), fields.map()); // the metadata keeps the member with its cost
  return made;
}

EntryBody assistant_message(Fields& fields) {
  Message message;
  message.role = Role::assistant;
  message.content_is_string = detail::take_content(fields, message.parts);
  message.generation = take_generation(fields);
  message.metadata = fields.rest();
  return message;
}

EntryBody tool_message(Fields& fields) {
  ToolResult result{fields.text("toolCallId"), fields.text("toolName"),
                    detail::decode_tool_content(fields.take("content"), fields.map()), fields.flag("isError"),
                    detail::take_part_member(fields)};
  Message message;
  message.role = Role::tool;
  message.parts.emplace_back(std::move(result));
  message.metadata = fields.rest();
  return message;
}

// The sentences are pi's (convertToLlm), so that a model sees the same from either program.
std::string bash_text(Fields& fields) {
  std::string const output = fields.text("output");
  std::string text = detail::format_text("Ran `{}`\n", fields.text("command"));
  text += output.empty() ? std::string("(no output)") : detail::format_text("```\n{}\n```", output);
  std::string_view const code = fields.take("exitCode", JsonKind::number);
  if (fields.flag("cancelled"))
    text += "\n\n(command cancelled)";
  else if (!code.empty() && code != "0")
    text += detail::format_text("\n\nCommand exited with code {}", code);
  std::string const path = fields.text("fullOutputPath");
  if (fields.flag("truncated") && !path.empty())
    text += detail::format_text("\n\n[Output truncated. Full output: {}]", path);
  return text;
}

EntryBody bash_message(Fields& fields, std::string_view raw) {
  CustomMessage message;
  message.type = "bashExecution";
  message.in_context = !fields.flag("excludeFromContext");
  message.content.emplace_back(Text{bash_text(fields)});
  message.details = RawJsonAccess::trust(std::string(raw));
  return message;
}

CustomMessage custom_message(Fields& fields) {
  CustomMessage message;
  message.type = fields.text("customType");
  message.content = detail::decode_tool_content(fields.take("content"), fields.map());
  if (std::string_view const display = fields.take("display"); !display.empty())
    message.display = RawJsonAccess::trust(std::string(display));
  message.details = fields.json("details");
  return message;
}

EntryBody summary_message(Fields& fields, std::string_view role) {
  bool const branch = role == "branchSummary";
  CustomMessage message;
  message.type = std::string(role);
  std::string const summary = fields.text("summary");
  message.content.emplace_back(
      Text{branch ? detail::branch_summary_text(summary) : detail::compaction_summary_text(summary)});
  message.in_context = !branch || !summary.empty();
  return message;
}

EntryBody decode_message(Fields& line, RecordView const& record) {
  std::string_view const raw = line.take("message", JsonKind::object);
  Fields fields(raw, line.map());
  std::string const role = fields.text("role");
  if (role == "user") return user_message(fields, Role::user);
  if (role == "assistant") return assistant_message(fields);
  if (role == "toolResult") return tool_message(fields);
  if (role == "system" || role == "developer")
    return user_message(fields, Role::system); // OpenAI's newer word
  if (role == "custom" || role == "hookMessage") return custom_message(fields);
  if (role == "bashExecution") return bash_message(fields, raw);
  if (role == "branchSummary" || role == "compactionSummary") return summary_message(fields, role);
  return Unknown{std::string(record.type), RawJsonAccess::trust(std::string(record.line))};
}

SESSIONKIT_SELDOM EntryBody decode_header(Fields& line, RecordView const&) {
  Header header;
  header.version = static_cast<int>(detail::to_int(line.take("version", JsonKind::number)).value_or(1));
  header.id = line.text("id");
  header.cwd = line.text("cwd");
  header.parent_session = line.text("parentSession");
  header.key = line.text("key");
  header.agent = line.text("agent");
  header.user = line.text("user");
  header.copied = line.count("copied");
  header.metadata = line.json("metadata");
  return header;
}

SESSIONKIT_SELDOM EntryBody decode_compaction(Fields& line, RecordView const&) {
  Compaction compaction;
  compaction.summary = line.text("summary");
  compaction.first_kept = EntryId(line.text("firstKeptEntryId"));
  compaction.tokens_before = line.count("tokensBefore");
  compaction.tokens_after = line.count_if("tokensAfter");
  compaction.details = line.json("details");
  compaction.from_hook = line.flag("fromHook");
  compaction.first_kept_index = line.count_if("firstKeptEntryIndex");
  return compaction;
}

EntryBody decode_branch_summary(Fields& line, RecordView const&) {
  return BranchSummary{line.text("summary"), EntryId(line.text("fromId")), line.json("details"),
                       line.flag("fromHook")};
}

EntryBody decode_title(Fields& line, RecordView const&) {
  std::string name = line.text("name");
  std::size_t const begin = name.find_first_not_of(" \t\r\n");
  std::size_t const end = name.find_last_not_of(" \t\r\n");
  name = begin == std::string::npos ? std::string{} : name.substr(begin, end - begin + 1);
  return TitleChange{std::move(name), line.flag("byPerson", true)};
}

EntryBody decode_label(Fields& line, RecordView const&) {
  return Label{EntryId(line.text("targetId")), line.text("label")};
}

EntryBody decode_model(Fields& line, RecordView const&) {
  return ModelChange{line.text("provider"), line.text("modelId"), {}};
}

EntryBody decode_thinking_level(Fields& line, RecordView const&) {
  return ModelChange{{}, {}, line.text("thinkingLevel")};
}

EntryBody decode_custom_message(Fields& line, RecordView const&) { return custom_message(line); }

StateChange state_of(std::string_view data) {
  Fields fields(data);
  StateChange change;
  detail::for_members(fields.take("set"), [&](std::string_view key, std::string_view value) {
    std::string name;
    detail::append_unescaped(name, key);
    change.set.emplace_back(std::move(name), RawJsonAccess::trust(std::string(value)));
    return true;
  });
  detail::for_elements(fields.take("removed"), [&](std::string_view name) {
    change.removed.push_back(detail::to_text(name));
    return true;
  });
  return change;
}

SESSIONKIT_SELDOM EntryBody decode_custom(Fields& line, RecordView const&) {
  std::string type = line.text("customType");
  std::string_view const data = line.take("data");
  if (type == detail::state_type) return state_of(data);
  if (type == detail::archive_type) return ArchiveChange{Fields(data).flag("archived", true)};
  return Custom{std::move(type), data.empty() ? RawJson{} : RawJsonAccess::trust(std::string(data))};
}

struct LineType {
  std::string_view type;
  EntryBody (*decode)(Fields&, RecordView const&);
};
constexpr std::array<LineType, 10> line_types{{{"message", decode_message},
                                               {"session", decode_header},
                                               {"compaction", decode_compaction},
                                               {"branch_summary", decode_branch_summary},
                                               {"session_info", decode_title},
                                               {"label", decode_label},
                                               {"model_change", decode_model},
                                               {"thinking_level_change", decode_thinking_level},
                                               {"custom_message", decode_custom_message},
                                               {"custom", decode_custom}}};

// The last value of each of two members. Both are empty if a name has an escape.
struct TwoMembers {
  std::string_view first, second;
  TwoMembers(std::string_view object, std::string_view one, std::string_view other,
             detail::JsonMap const& map) {
    bool plain = true;
    auto const look = [&](std::string_view key, std::string_view value) {
      plain = key.find('\\') == key.npos;
      if (key == one) first = value;
      if (key == other) second = value;
      return plain;
    };
    detail::for_members(object, look, &map);
    if (!plain) first = second = {};
  }
};

LineType const* find_line_type(std::string_view type) noexcept {
  for (LineType const& known : line_types)
    if (known.type == type) return &known;
  return nullptr;
}

}}

namespace detail {

std::optional<Entry> decode_without_content(RecordView const& record, JsonMap const& map) {
  if (record.type != "message" || record.link == Parent::previous) return std::nullopt;
  native_decode_inl::TwoMembers const line(record.line, "message", "timestamp", map);
  if (json_kind(line.first) != JsonKind::object) return std::nullopt;
  Message message;
  std::string_view const role = native_decode_inl::TwoMembers(line.first, "role", "content", map).first;
  if (role == R"("user")")
    message.role = Role::user;
  else if (role == R"("assistant")")
    message.role = Role::assistant;
  else if (role == R"("toolResult")")
    message.role = Role::tool;
  else
    return std::nullopt;
  if (message.role == Role::assistant) {
    Fields fields(line.first, &map);
    message.generation = native_decode_inl::take_generation(fields);
  }
  return Entry{EntryId(std::string(record.id)), record.link,        EntryId(std::string(record.parent)),
               line_time(line.second),          std::move(message), {}};
}

Result<Entry> decode_native(RecordView const& record) {
  JsonMap map;
  Result<std::string_view> const object = whole_object(record, map);
  if (!object) return object.error();
  detail::Fields line(*object, &map);
  line.take("type");
  line.take("id");
  line.take("parentId");
  Timestamp const at = line_time(line.take("timestamp"));
  native_decode_inl::LineType const* const known = native_decode_inl::find_line_type(record.type);
  EntryBody body = known ? known->decode(line, record)
                         : Unknown{std::string(record.type), RawJsonAccess::trust(std::string(*object))};
  bool const whole = std::holds_alternative<Unknown>(body); // it keeps the line
  return Entry{
      EntryId(std::string(record.id)), record.link, EntryId(std::string(record.parent)), at, std::move(body),
      whole ? RawJson{} : line.rest()};
}

}

}}
