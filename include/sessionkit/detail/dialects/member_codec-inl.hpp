// SPDX-License-Identifier: MIT
// Reads and writes the members of lines that several dialects share.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/anthropic_parts.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace member_codec_inl { namespace {

struct StopWord {
  std::string_view word;
  StopReason stop;
};
constexpr std::array<StopWord, 5> stop_words{{{"end_turn", StopReason::end_turn},
                                              {"tool_use", StopReason::tool_use},
                                              {"max_tokens", StopReason::max_tokens},
                                              {"aborted", StopReason::aborted},
                                              {"error", StopReason::error}}};

constexpr std::string_view generation_member = "generation";

struct UsageCount {
  std::string_view name;
  std::uint64_t Usage::*count;
};
constexpr std::array<UsageCount, 4> usage_counts{{{"input", &Usage::input},
                                                  {"output", &Usage::output},
                                                  {"cacheRead", &Usage::cache_read},
                                                  {"cacheWrite", &Usage::cache_write}}};

struct GenerationText {
  std::string_view name;
  std::string Generation::*text;
};
constexpr std::array<GenerationText, 4> generation_texts{{{"provider", &Generation::provider},
                                                          {"model", &Generation::model},
                                                          {"api", &Generation::api},
                                                          {"requestId", &Generation::request_id}}};

struct HeaderText {
  std::string_view name;
  std::string Header::*text;
};
constexpr std::array<HeaderText, 3> header_texts{
    {{"user", &Header::user}, {"cwd", &Header::cwd}, {"parentSession", &Header::parent_session}}};

Error line_fault(RecordView const& record, JsonCheck const& check) {
  bool const deep = check.fault == JsonCheck::too_deep;
  return make_error(Errc::corrupt,
                    "entry '{}': its line {} at byte {}; the line is skipped and stays in the log", record.id,
                    deep ? "is nested deeper than 128" : "is not one JSON object", check.offset);
}

}}

Timestamp line_time(std::string_view raw) {
  if (json_kind(raw) == JsonKind::number) return from_unix_ms(to_rounded_int(raw).value_or(0));
  bool const plain = json_kind(raw) == JsonKind::string && raw.find('\\') == std::string_view::npos;
  Result<Timestamp> const at =
      plain ? parse_rfc3339(raw.substr(1, raw.size() - 2)) : parse_rfc3339(to_text(raw));
  return at ? *at : Timestamp{};
}

Result<std::string_view> whole_object(RecordView const& record, JsonMap& map) {
  JsonCheck const check = check_json(record.line, map);
  if (!check) return member_codec_inl::line_fault(record, check);
  char const* const begin = record.line.data();
  char const* const first = skip_space(begin, begin + record.line.size());
  std::string_view const object = record.line.substr(static_cast<std::size_t>(first - begin));
  if (json_kind(object) != JsonKind::object) return member_codec_inl::line_fault(record, check);
  return object;
}

bool linear_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped) {
  unescaped.clear();
  out = RecordView{};
  out.line = line;
  bool typed = false;
  std::string_view id;
  char const* const first = skip_space(line.data(), line.data() + line.size());
  bool const whole = for_members(line.substr(static_cast<std::size_t>(first - line.data())),
                                 [&](std::string_view key, std::string_view value) {
                                   bool const text = json_kind(value) == JsonKind::string;
                                   if (key_is(key, "type")) {
                                     typed = true;
                                     if (text) out.type = text_view(value, unescaped);
                                   } else if (key_is(key, "id") && text) {
                                     id = value;
                                   }
                                   return !typed || (out.type == "session" && id.empty());
                                 });
  if (out.type == "session") {
    out.link = Parent::root;
    if (!id.empty()) out.id = text_view(id, unescaped);
  }
  return whole;
}

void write_new_members(std::string& out, std::size_t begin, RawJson const& object) {
  if (!object.is_object()) return;
  std::vector<std::string> taken;
  for_members(std::string_view(out).substr(begin), [&](std::string_view key, std::string_view) {
    append_unescaped(taken.emplace_back(), key);
    return true;
  });
  JsonWriter json(out);
  for_members(object.str(), [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    if (std::find(taken.begin(), taken.end(), name) == taken.end()) json.member_raw(name, value);
    return true;
  });
}

void write_source_members(std::string& out, std::size_t begin, Image const& image) {
  if (!image.extra.is_object()) return;
  std::string_view const source = find_member(image.extra.str(), "source");
  if (json_kind(source) == JsonKind::object)
    write_new_members(out, begin, RawJsonAccess::trust(std::string(source)));
}

void write_part_member(JsonWriter& json, RawJson const& extra) {
  if (extra.is_object()) json.member_raw("part", extra.str());
}

void write_members(JsonWriter& json, RawJson const& object, std::initializer_list<std::string_view> except) {
  if (!object.is_object()) return;
  for_members(object.str(), [&](std::string_view key, std::string_view value) {
    for (std::string_view const name : except)
      if (key_is(key, name)) return true;
    std::string name;
    append_unescaped(name, key);
    json.member_raw(name, value);
    return true;
  });
}

void write_header_members(JsonWriter& json, Header const& header) {
  for (member_codec_inl::HeaderText const& member : member_codec_inl::header_texts)
    if (std::string const& text = header.*member.text; !text.empty()) json.member(member.name, text);
  if (header.copied != 0) json.key("copied").unsigned_integer(header.copied);
  if (!header.metadata.is_null()) json.member_raw("metadata", header.metadata.str());
}

void take_header_members(Fields& line, Header& header) {
  for (member_codec_inl::HeaderText const& member : member_codec_inl::header_texts)
    header.*member.text = line.text(member.name);
  header.copied = line.count("copied");
  header.metadata = line.json("metadata");
}

void write_title_members(JsonWriter& json, TitleChange const& change) {
  json.member("type", title_line_type).member("name", change.title);
  if (!change.by_person) json.key("byPerson").boolean(false);
}

TitleChange take_title(Fields& line) { return {line.text("name"), line.flag("byPerson", true)}; }

void write_generation_member(JsonWriter& json, Message const& message) {
  if (!message.generation) return;
  Generation const& made = *message.generation;
  json.key(member_codec_inl::generation_member).begin_object();
  for (member_codec_inl::GenerationText const& member : member_codec_inl::generation_texts)
    if (std::string const& text = made.*member.text; !text.empty()) json.member(member.name, text);
  for (member_codec_inl::StopWord const& known : member_codec_inl::stop_words)
    if (known.stop == made.stop) json.member("stop", known.word);
  if (made.usage) {
    json.key("usage").begin_object();
    for (member_codec_inl::UsageCount const& member : member_codec_inl::usage_counts)
      json.key(member.name).unsigned_integer((*made.usage).*member.count);
    json.end_object();
  }
  json.end_object();
}

void take_generation_member(Fields& fields, Message& message) {
  std::string_view const raw = fields.take(member_codec_inl::generation_member, JsonKind::object);
  if (raw.empty()) return;
  Fields inner(raw);
  Generation made;
  for (member_codec_inl::GenerationText const& member : member_codec_inl::generation_texts)
    made.*member.text = inner.text(member.name);
  std::string const stop = inner.text("stop");
  for (member_codec_inl::StopWord const& known : member_codec_inl::stop_words)
    if (known.word == stop) made.stop = known.stop;
  if (std::string_view const counts = inner.take("usage", JsonKind::object); !counts.empty()) {
    Fields usage(counts);
    made.usage.emplace();
    for (member_codec_inl::UsageCount const& member : member_codec_inl::usage_counts)
      (*made.usage).*member.count = usage.count(member.name);
  }
  message.generation = std::move(made);
}

bool has_signed_text(ToolResult const& result) {
  return std::any_of(result.content.begin(), result.content.end(), [](ToolContent const& piece) {
    auto const* text = std::get_if<Text>(&piece);
    return text && !text->signature.empty();
  });
}

void write_result_content(std::string& out, ToolResult const& result) {
  JsonWriter json(out);
  auto const* only = result.content.size() == 1 ? std::get_if<Text>(&result.content.front()) : nullptr;
  if (result.content.empty() || (only && only->extra.is_null())) {
    json.string(only ? std::string_view(only->text) : std::string_view());
    return;
  }
  json.begin_array();
  for (ToolContent const& piece : result.content)
    detail::visit([&out](auto const& body) { append_anthropic_part(out, body); }, piece);
  json.end_array();
}

void write_content(std::string& out, Message const& message, bool bare) {
  JsonWriter json(out);
  if (bare && message.parts.size() == 1)
    if (auto const* text = std::get_if<Text>(&message.parts.front()); text && text->extra.is_null()) {
      json.string(text->text);
      return;
    }
  json.begin_array();
  for (Part const& part : message.parts) {
    if (auto const* result = std::get_if<ToolResult>(&part)) {
      json.begin_object();
      std::size_t const begin = out.size() - 1;
      json.member("type", "tool_result").member("tool_use_id", result->tool_use_id).key("content");
      write_result_content(out, *result);
      if (result->is_error) json.key("is_error").boolean(true);
      write_new_members(out, begin, result->extra);
      json.end_object();
    } else {
      append_anthropic_part(out, part);
    }
  }
  json.end_array();
}

}}}
