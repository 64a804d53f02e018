// SPDX-License-Identifier: MIT
// Reads and writes the messages of a document of go-kratos/blades.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/time.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_codec_inl { namespace {

// A name written as a number is taken as that name; any other value stays among the unknown members.
std::string name_of(detail::Fields& fields, std::string_view name) {
  std::string_view const raw = fields.look(name);
  if (detail::json_kind(raw) == detail::JsonKind::number) return std::string(fields.take(name));
  return fields.text(name);
}

// The unknown members of a message, and those in `within`, as one object.
RawJson members(RawJson rest, std::string const& within) {
  if (within.empty()) return rest;
  std::string const own = rest.is_object() ? rest.str().substr(1, rest.str().size() - 2) : std::string{};
  return RawJsonAccess::trust('{' + own + (own.empty() ? "" : ",") + within + '}');
}

SESSIONKIT_SELDOM void take_calls(std::string_view calls, Message& out) {
  detail::for_elements(calls, [&](std::string_view call) {
    if (detail::json_kind(call) != detail::JsonKind::object) {
      std::string body =
          detail::format_text(R"({{"type":"{}","value":{}}})", detail::blades_call, detail::trim_space(call));
      out.parts.emplace_back(Opaque{std::string(detail::blades_call), RawJsonAccess::trust(std::move(body))});
      return true;
    }
    detail::Fields inner(call);
    ToolUse use{name_of(inner, "id"), name_of(inner, "name"), inner.json("args")};
    use.extra = inner.rest();
    if (use.input.is_null()) use.input = RawJsonAccess::trust("{}");
    out.parts.emplace_back(std::move(use));
    return true;
  });
}

std::string_view role_name(Role role) noexcept {
  return role == Role::user ? "user" : role == Role::system ? "system" : "tool";
}

bool take_role(std::string_view name, Role& role) noexcept {
  if (name == "assistant") return role = Role::assistant, true;
  if (name == "user") return role = Role::user, true;
  if (name == "system") return role = Role::system, true;
  return role = Role::tool, name == "tool";
}

SESSIONKIT_SELDOM bool same_members(std::string_view one, std::string_view other) {
  std::map<std::string, std::string> members[2];
  for (std::size_t i : {std::size_t{0}, std::size_t{1}})
    detail::for_members(i == 0 ? one : other, [&](std::string_view key, std::string_view value) {
      std::string text(value);
      if (detail::json_kind(value) == detail::JsonKind::object) // usage: numbers by short names
        text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }),
                   text.end());
      detail::append_unescaped(members[i][std::string(key)], text);
      return true;
    });
  return members[0] == members[1];
}

// Takes how an answer was made, if the member holds only what we would write.
SESSIONKIT_SELDOM void take_metadata(detail::Fields& fields, Message& out) {
  std::string_view const raw = fields.take("metadata", detail::JsonKind::object);
  if (raw.empty()) return;
  detail::Fields inner(raw);
  std::string_view const made = inner.look("generation");
  if (out.role == Role::assistant && !made.empty()) {
    detail::Fields copy(raw);
    detail::take_generation_member(copy, out);
    std::string again;
    detail::JsonWriter json(again);
    json.begin_object();
    detail::write_generation_member(json, out);
    json.end_object();
    if (same_members(made, detail::find_member(again, "generation")))
      inner.take("generation");
    else
      out.generation.reset();
  }
  out.metadata = inner.rest();
}

// Takes from the metadata of a message what `write_result` puts there: `is_error` if it is true, and a name
// that the call does not have. The content goes to the model, whether it is a text or other JSON.
SESSIONKIT_SELDOM Message result_of(std::string_view raw, RawJson& metadata,
                                    detail::BladesCalls const& calls) {
  detail::Fields fields(raw);
  detail::Fields about(metadata.str());
  ToolResult result;
  result.tool_use_id = name_of(fields, "tool_call_id");
  result.tool_name = calls.name_of(result.tool_use_id);
  if (std::string const other = detail::to_text(about.look("tool_name"));
      !other.empty() && other != result.tool_name)
    result.tool_name = about.text("tool_name");
  if (about.look("is_error") == "true") result.is_error = about.flag("is_error");
  std::string_view const content = fields.take("content");
  std::string said = detail::json_kind(content) == detail::JsonKind::string ? detail::to_text(content)
                     : content == "null"                                    ? std::string{}
                                                                            : std::string(content);
  if (!said.empty()) result.content.emplace_back(Text{std::move(said)});
  result.extra = fields.rest();
  Message message;
  message.role = Role::tool;
  message.parts.emplace_back(std::move(result));
  message.metadata = about.rest();
  metadata = RawJson{};
  return message;
}

// The member of an entry's extra that the import put there, or nothing.
std::string_view strange(Entry const& entry, std::string_view name, detail::JsonKind kind) {
  if (!entry.extra.is_object()) return {};
  std::string_view const value = detail::find_member(entry.extra.str(), name);
  return detail::json_kind(value) == kind ? value : std::string_view{};
}

// Joins texts as blades does; a blank text adds nothing.
SESSIONKIT_SELDOM void join(std::string& text, Text const& said, std::size_t& texts) {
  bool const blank = said.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (++texts == 1 || text.find_first_not_of(" \t\r\n") == std::string::npos)
    text = blank && texts > 1 ? text : said.text;
  else if (!blank)
    text.append(1, '\n').append(said.text);
}

// The role from the imported document, if it says no more than this message's role.
std::string role_of(Entry const& entry, Message const& message) {
  std::string was = detail::to_text(strange(entry, "role", detail::JsonKind::string));
  bool const other = message.role == Role::user ? was == "tool"
                                                : message.role == Role::assistant
                                                      && (was == "user" || was == "tool" || was == "system");
  if (other) return was;
  return message.role == Role::assistant ? "assistant" : message.role == Role::system ? "system" : "user";
}

// True if the content of this result is JSON, and no text, in the document that the entry comes from.
SESSIONKIT_SELDOM bool is_json_result(Entry const& entry, ToolResult const& result, std::string_view text) {
  std::string_view const named = strange(entry, detail::blades_json_result, detail::JsonKind::string);
  return !named.empty() && detail::to_text(named) == result.tool_use_id && result.content.size() == 1
         && detail::check_json(text) && detail::json_kind(text) != detail::JsonKind::string;
}

// Marks the entry of a result whose content is JSON, and no text.
SESSIONKIT_SELDOM void mark_json_result(std::string_view result, Entry& entry) {
  std::string_view const content = detail::find_member(result, "content");
  if (content.empty() || content == "null" || detail::json_kind(content) == detail::JsonKind::string) return;
  std::string mark;
  auto const& message = std::get<Message>(entry.body);
  detail::append_json_string(mark.append(1, '"').append(detail::blades_json_result).append("\":"),
                             std::get<ToolResult>(message.parts.front()).tool_use_id);
  entry.extra = members(std::move(entry.extra), mark);
}

// Members that the writer itself writes, or that a message has elsewhere.
std::set<std::string> own_members() { return {"text", "tool_calls", "tool_result", "metadata"}; }

}}

namespace detail {

void take_blades_time(Fields& fields, std::string_view name, Entry& entry) {
  std::string_view const raw = fields.look(name);
  bool const is_time = json_kind(raw) == JsonKind::string && parse_rfc3339(to_text(raw)).ok();
  bool const is_number = json_kind(raw) == JsonKind::number && to_int(raw);
  if (!is_time && !is_number) return;
  entry.at = line_time(fields.take(name));
  if (!is_time || to_text(raw) == to_rfc3339(entry.at)) return;
  std::string spelled;
  JsonWriter(spelled).begin_object().member_raw(blades_time, raw).end_object();
  entry.extra = RawJsonAccess::trust(std::move(spelled));
}

RawJson with_blades_time(RawJson rest, Entry const& entry) {
  if (!entry.extra.is_object()) return rest;
  std::string const& time = entry.extra.str();
  return blades_codec_inl::members(std::move(rest), time.substr(1, time.size() - 2));
}

std::string blades_time_of(Entry const& entry) {
  std::string_view const raw = blades_codec_inl::strange(entry, blades_time, JsonKind::string);
  Result<Timestamp> const same = parse_rfc3339(to_text(raw));
  if (same && *same == entry.at) return std::string(raw);
  std::string text;
  append_json_string(text, to_rfc3339(entry.at));
  return text;
}

StateChange read_blades_state(std::string_view raw) {
  StateChange change;
  for_members(raw, [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    change.set.emplace_back(std::move(name), RawJsonAccess::trust(std::string(value)));
    return true;
  });
  return change;
}

void BladesCalls::note(Message const& message) {
  for (Part const& part : message.parts)
    if (auto const* call = std::get_if<ToolUse>(&part)) names_[call->id] = call->name;
}

std::string_view BladesCalls::name_of(std::string const& id) const {
  auto const found = names_.find(id);
  return found != names_.end() ? found->second : std::string_view{};
}

SESSIONKIT_SELDOM std::vector<Entry> read_blades_item(std::string_view raw, BladesCalls const& calls_before) {
  using namespace blades_codec_inl;
  bool const object = json_kind(raw) == JsonKind::object;
  Fields fields(object ? raw : std::string_view("{}"));
  std::vector<Entry> items(1);
  Message out;
  if (!object || !take_role(to_text(fields.look("role")), out.role)) {
    take_blades_time(fields, "timestamp", items[0]);
    items[0].extra = RawJson{}; // all of it is in the data
    items[0].body = Custom{std::string(blades_item), RawJsonAccess::trust(std::string(raw))};
    return items;
  }
  fields.take("role");
  take_blades_time(fields, "timestamp", items[0]);
  Role const role = out.role;
  std::string text = fields.text("text");
  std::string_view const result = fields.take("tool_result", JsonKind::object);
  std::string_view const calls = fields.take("tool_calls", JsonKind::array);
  bool const any_calls = !calls.empty() && !detail::trim_space(calls.substr(1, calls.size() - 2)).empty();
  if (any_calls) out.role = Role::assistant;
  if (out.role == Role::tool) out.role = Role::user; // text of a tool beside its result
  take_metadata(fields, out);
  std::string strange;
  if (!text.empty()) out.parts.emplace_back(Text{std::move(text)});
  take_calls(calls, out);
  bool const result_alone = !result.empty() && out.parts.empty();
  if (!result_alone && out.role != role && (role != Role::tool || result.empty()))
    JsonWriter(strange).member("role", role_name(role));
  if (!result.empty()) {
    if (!result_alone) items.push_back(items[0]);
    items[0].body = result_of(result, out.metadata, calls_before);
    if (result_alone) items[0].extra = with_blades_time(fields.rest(), items[0]);
    mark_json_result(result, items[0]);
    if (result_alone) return items;
  }
  if (out.parts.empty()) out.parts.emplace_back(Text{});
  items.back().body = std::move(out);
  items.back().extra = with_blades_time(members(fields.rest(), strange), items.back());
  return items;
}

void BladesItems::write(Entry const& entry, Message const& message) {
  for (Part const& part : message.parts)
    if (std::holds_alternative<ToolResult>(part)) write_result(entry, message, part);
  if (!is_only_results(message)) write_message(entry, message);
  calls_.note(message);
}

// Writes unknown members. If the object begun at `begin` has such a member itself, a loss is listed,
// unless `said` contains the name.
SESSIONKIT_SELDOM void BladesItems::write_strangers(Entry const& entry, std::size_t begin,
                                                    RawJson const& strangers, std::set<std::string> own,
                                                    std::set<std::string> const& said) {
  if (!strangers.is_object()) return;
  for_members(std::string_view(*out_).substr(begin), [&](std::string_view key, std::string_view) {
    std::string name;
    append_unescaped(name, key);
    own.insert(std::move(name));
    return true;
  });
  for_members(strangers.str(), [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    if (name == blades_time || name == blades_json_result) return true;
    if (own.count(name) == 0)
      JsonWriter(*out_).member_raw(name, loadable(entry, RawJsonAccess::trust(std::string(value)), name));
    else if (said.count(name) == 0)
      leave_out(entry, format_text("its member \"{}\" means something else there", name));
    return true;
  });
}

// blades reads numbers as doubles and refuses a document with a number that is none.
std::string BladesItems::loadable(Entry const& entry, RawJson const& json, std::string_view of) {
  std::optional<std::string> repaired = repaired_json(json.str());
  if (repaired)
    leave_out(entry, format_text("a number that no double can hold, or half a character, in \"{}\"", of));
  return repaired ? *std::move(repaired) : json.str();
}

SESSIONKIT_SELDOM void BladesItems::write_message(Entry const& entry, Message const& message) {
  std::string text;
  std::size_t texts = 0;
  bool calls = false;
  for (Part const& part : message.parts) {
    calls = calls || std::holds_alternative<ToolUse>(part);
    if (auto const* said = std::get_if<Text>(&part)) blades_codec_inl::join(text, *said, texts);
    note(entry, part);
  }
  if (texts > 1) leave_out(entry, "the borders of its texts, which are joined");
  JsonWriter json(*out_);
  json.begin_object();
  std::size_t const begin = out_->size() - 1;
  json.member("role", blades_codec_inl::role_of(entry, message)).member("text", text);
  if (calls) write_calls(entry, message);
  json.member_raw("timestamp", blades_time_of(entry));
  if (message.generation || message.metadata.is_object()) {
    json.key("metadata").begin_object();
    std::size_t const within = out_->size() - 1;
    write_generation_member(json, message);
    write_strangers(entry, within, message.metadata, {});
    json.end_object();
  }
  std::set<std::string> said;
  if (blades_codec_inl::role_of(entry, message)
      == to_text(blades_codec_inl::strange(entry, "role", JsonKind::string)))
    said.insert("role");
  write_strangers(entry, begin, entry.extra, blades_codec_inl::own_members(), said);
  json.end_object();
}

SESSIONKIT_SELDOM void BladesItems::write_calls(Entry const& entry, Message const& message) {
  JsonWriter json(*out_);
  json.key("tool_calls").begin_array();
  for (Part const& part : message.parts) {
    auto const* call = std::get_if<ToolUse>(&part);
    if (!call) continue;
    json.begin_object();
    std::size_t const begin = out_->size() - 1;
    json.member("id", call->id).member("name", call->name).member_raw("args", args_of(entry, *call));
    write_strangers(entry, begin, call->extra, {});
    json.end_object();
  }
  json.end_array();
}

// The arguments as an object, because blades declares them so.
std::string BladesItems::args_of(Entry const& entry, ToolUse const& call) {
  if (call.input.is_null()) return "{}";
  std::string args = loadable(entry, call.input, "args");
  if (call.input.is_object()) return args;
  leave_out(entry, "that the arguments of a call are no object: they stand in one, as \"input\"");
  return "{\"input\":" + args + '}';
}

SESSIONKIT_SELDOM void BladesItems::write_result(Entry const& entry, Message const& message,
                                                 Part const& part) {
  auto const& result = std::get<ToolResult>(part);
  std::string text;
  std::size_t texts = 0;
  for (ToolContent const& piece : result.content) {
    if (auto const* said = std::get_if<Text>(&piece))
      blades_codec_inl::join(text, *said, texts), note_text(entry, *said);
    else
      leave_out(entry, "a part of a tool result that is no text");
  }
  if (texts > 1) leave_out(entry, "the borders of a result's texts, which are joined");
  bool const about = &message.parts.front() == &part && is_only_results(message); // the message's own members
  JsonWriter json(*out_);
  json.begin_object();
  std::size_t const begin = out_->size() - 1;
  json.member("role", "tool").member("text", "").key("tool_result").begin_object();
  std::size_t const inner = out_->size() - 1;
  json.member("tool_call_id", result.tool_use_id);
  if (blades_codec_inl::is_json_result(entry, result, text))
    json.member_raw("content", loadable(entry, RawJsonAccess::trust(std::move(text)), "content"));
  else
    json.member("content", text);
  write_strangers(entry, inner, result.extra, {});
  json.end_object().member_raw("timestamp", blades_time_of(entry));
  bool const metadata = about && message.metadata.is_object();
  bool const named = !result.tool_name.empty() && result.tool_name != calls_.name_of(result.tool_use_id);
  if (result.is_error || named || metadata) {
    json.key("metadata").begin_object();
    std::size_t const within = out_->size() - 1;
    if (named) json.member("tool_name", result.tool_name);
    if (result.is_error) json.key("is_error").boolean(true);
    if (metadata) write_strangers(entry, within, message.metadata, {});
    json.end_object();
  }
  if (about) write_strangers(entry, begin, entry.extra, blades_codec_inl::own_members());
  json.end_object();
}

void BladesItems::note(Entry const& entry, Part const& part) {
  if (std::holds_alternative<Thinking>(part)) leave_out(entry, "reasoning");
  if (auto const* image = std::get_if<Image>(&part))
    leave_out(entry, "an image of type " + image->media_type);
  if (auto const* opaque = std::get_if<Opaque>(&part)) leave_out(entry, "a part of type " + opaque->type);
  if (auto const* text = std::get_if<Text>(&part)) note_text(entry, *text);
  auto const* call = std::get_if<ToolUse>(&part);
  if (call && !call->signature.empty()) leave_out(entry, "a signature");
}

void BladesItems::note_text(Entry const& entry, Text const& text) {
  if (!text.signature.empty()) leave_out(entry, "a signature");
  if (!text.extra.is_null()) leave_out(entry, "members of a text: " + text.extra.str());
}

}

}}
