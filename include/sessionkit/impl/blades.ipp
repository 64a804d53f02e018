// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/line_members.hpp>
#include <sessionkit/detail/log_path.hpp>
#include <sessionkit/detail/raw_json_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

// A session of go-kratos/blades as one document. Only text, calls and results have members of their own
// there; what else a message has goes into its `metadata`, which is a free map.

namespace sessionkit { inline namespace v0 {

namespace {

constexpr std::uint64_t blades_version = 1;

class BladesReader {
 public:
  Log run(std::string_view document) && {
    detail::Fields fields(document);
    Header header;
    header.id = fields.text("id");
    header.key = fields.text("key");
    header.agent = fields.text("agent");
    header.version = static_cast<int>(blades_version);
    detail::take_header_members(fields, header);
    Timestamp const created = detail::line_time(fields.take("created_at"));
    fields.take("version");
    Timestamp const updated = detail::line_time(fields.take("updated_at"));
    std::string_view const state = fields.take("state", detail::JsonKind::object);
    std::string_view const history = fields.take("history", detail::JsonKind::array);
    std::string const id = header.id;
    add(std::move(header), created);
    log_.entries.back().id = EntryId(id);
    log_.entries.back().extra = fields.rest();
    if (!state.empty() && state != "{}") add(state_of(state), updated);
    detail::for_elements(history, [&](std::string_view raw) {
      message(raw);
      return true;
    });
    return std::move(log_);
  }

 private:
  void add(EntryBody body, Timestamp at) {
    Entry entry;
    bool const header = std::holds_alternative<Header>(body);
    entry.link = last_.empty() ? Parent::root : Parent::entry;
    entry.parent = EntryId(last_);
    if (!header) entry.id = EntryId(last_ = fmt::format("{:08x}", log_.entries.size()));
    entry.at = at;
    entry.body = std::move(body);
    log_.entries.push_back(std::move(entry));
  }

  static StateChange state_of(std::string_view raw) {
    StateChange change;
    detail::for_members(raw, [&](std::string_view key, std::string_view value) {
      std::string name;
      detail::append_unescaped(name, key);
      change.set.emplace_back(std::move(name), RawJsonAccess::trust(std::string(value)));
      return true;
    });
    return change;
  }

  void message(std::string_view raw) {
    if (detail::json_kind(raw) != detail::JsonKind::object)
      return add(Unknown{{}, RawJsonAccess::trust(std::string(raw))}, Timestamp{});
    detail::Fields fields(raw);
    Timestamp const at = detail::line_time(fields.take("timestamp"));
    std::string const role = fields.text("role");
    Message out;
    if (!take_role(role, out.role)) return add(Unknown{role, RawJsonAccess::trust(std::string(raw))}, at);
    take_metadata(fields, out);
    std::string text = fields.text("text");
    std::string_view const result = fields.take("tool_result", detail::JsonKind::object);
    std::string_view const calls = fields.take("tool_calls", detail::JsonKind::array);
    if (!result.empty()) add(Message(result_of(result, out.metadata)), at);
    if (!calls.empty() && calls != "[]") out.role = Role::assistant;
    if (!text.empty() || (result.empty() && calls.empty())) out.parts.emplace_back(Text{std::move(text)});
    detail::for_elements(calls, [&](std::string_view call) {
      detail::Fields inner(call);
      ToolUse use{inner.text("id"), inner.text("name"), inner.json("args")};
      if (use.input.is_null()) use.input = RawJsonAccess::trust("{}");
      out.parts.emplace_back(std::move(use));
      return true;
    });
    if (out.role == Role::tool) out.role = Role::user; // words of a tool beside its result
    if (out.parts.empty()) return;
    add(std::move(out), at);
    log_.entries.back().extra = fields.rest();
  }

  static bool take_role(std::string_view name, Role& role) noexcept {
    if (name == "assistant") return role = Role::assistant, true;
    if (name == "user") return role = Role::user, true;
    if (name == "system") return role = Role::system, true;
    return role = Role::tool, name == "tool";
  }

  static void take_metadata(detail::Fields& fields, Message& out) {
    std::string_view const raw = fields.take("metadata", detail::JsonKind::object);
    if (raw.empty()) return;
    detail::Fields inner(raw);
    detail::take_generation_member(inner, out);
    out.metadata = inner.rest();
  }

  // What we wrote about a result stands in the metadata of its message.
  static Message result_of(std::string_view raw, RawJson& metadata) {
    detail::Fields fields(raw);
    detail::Fields about(metadata.str());
    ToolResult result{fields.text("tool_call_id"), about.text("tool_name"), {}, about.flag("is_error")};
    std::string content = fields.text("content");
    if (!content.empty()) result.content.emplace_back(Text{std::move(content)});
    Message message;
    message.role = Role::tool;
    message.parts.emplace_back(std::move(result));
    message.metadata = about.rest();
    metadata = RawJson{};
    return message;
  }

  Log log_;
  std::string last_;
};

class BladesWriter {
 public:
  Converted run(Log const& log, SessionId const& id) && {
    detail::list_damage(log, out_.unsaid);
    std::vector<Entry const*> const path = detail::path_to_last(log, out_.unsaid);
    Entry const header = detail::header_of(log, id);
    auto const& about = std::get<Header>(header.body);
    Timestamp updated = header.at;
    for (Entry const* entry : path) {
      keep_state(*entry);
      if (entry->at != Timestamp{}) updated = entry->at;
    }
    detail::JsonWriter json(out_.text);
    json.begin_object().member("id", about.id).key("state").begin_object();
    for (std::string const& name : state_order_)
      if (auto const found = state_.find(name); found != state_.end())
        json.member_raw(name, found->second.str());
    json.end_object().key("history").begin_array();
    for (Entry const* entry : path) add_readable(*entry);
    json.end_array();
    json.member("created_at", to_rfc3339(header.at)).member("updated_at", to_rfc3339(updated));
    json.key("version").unsigned_integer(blades_version);
    if (!about.key.empty()) json.member("key", about.key);
    if (!about.agent.empty()) json.member("agent", about.agent);
    detail::write_header_members(json, about);
    detail::write_members(json, header.extra,
                          {"id", "state", "history", "created_at", "updated_at", "version"});
    json.end_object();
    out_.text += '\n';
    if (!detail::is_utf8(out_.text)) out_.text = detail::replace_invalid(out_.text);
    return std::move(out_);
  }

 private:
  void leave_out(Entry const& entry, std::string what) { out_.unsaid.push_back({entry.id, std::move(what)}); }

  void keep_state(Entry const& entry) {
    auto const* change = entry.as<StateChange>();
    if (!change) return;
    for (auto const& [name, value] : change->set) {
      if (std::find(state_order_.begin(), state_order_.end(), name) == state_order_.end())
        state_order_.push_back(name);
      state_[name] = value;
    }
    for (std::string const& name : change->removed) state_.erase(name);
  }

  // What is nested too deep in the document could not be read again.
  void add_readable(Entry const& entry) {
    std::size_t const begin = out_.text.size();
    add(entry);
    bool const comma = begin < out_.text.size() && out_.text[begin] == ',';
    std::string items = "{\"history\":[";
    items.append(out_.text, begin + (comma ? 1 : 0)).append("]}");
    if (detail::check_json(items)) return;
    out_.text.resize(begin);
    leave_out(entry, fmt::format("{}: nested deeper than 128 in the document", detail::kind_of(entry.body)));
  }

  void add(Entry const& entry) {
    if (entry.as<StateChange>()) return;
    auto const* message = entry.as<Message>();
    if (!message) {
      if (auto const* unknown = entry.as<Unknown>(); unknown && is_history_item(unknown->line))
        detail::JsonWriter(out_.text).raw(unknown->line.str());
      else
        leave_out(entry, fmt::format("{}: the document has no place for it", detail::kind_of(entry.body)));
      return;
    }
    for (Part const& part : message->parts)
      if (auto const* result = std::get_if<ToolResult>(&part)) write_result(entry, *message, *result);
    bool const only_results =
        !message->parts.empty()
        && std::all_of(message->parts.begin(), message->parts.end(),
                       [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
    if (!only_results) write_message(entry, *message);
  }

  // A message of a role that is not known came from such a document.
  static bool is_history_item(RawJson const& line) {
    return detail::has_member(line, "role") && !detail::has_member(line, "type");
  }

  void write_message(Entry const& entry, Message const& message) {
    std::string text;
    bool calls = false, texts = false;
    for (Part const& part : message.parts) {
      calls = calls || std::holds_alternative<ToolUse>(part);
      if (auto const* said = std::get_if<Text>(&part)) {
        if (std::exchange(texts, true)) text += '\n'; // as blades joins them
        text += said->text;
      }
      note(entry, part);
    }
    std::string_view const role = message.role == Role::assistant ? "assistant"
                                  : message.role == Role::system  ? "system"
                                                                  : "user";
    detail::JsonWriter json(out_.text);
    json.begin_object().member("role", role).member("text", text);
    if (calls) write_calls(json, message);
    if (std::string_view const lost = detail::lost_order(message); !lost.empty())
      leave_out(entry, std::string(lost));
    json.member("timestamp", to_rfc3339(entry.at));
    if (message.generation || message.metadata.is_object()) {
      json.key("metadata").begin_object();
      detail::write_generation_member(json, message);
      detail::write_members(json, message.metadata, {"generation"});
      json.end_object();
    }
    detail::write_members(json, entry.extra,
                          {"role", "text", "tool_calls", "tool_result", "timestamp", "metadata"});
    json.end_object();
  }

  static void write_calls(detail::JsonWriter& json, Message const& message) {
    json.key("tool_calls").begin_array();
    for (Part const& part : message.parts) {
      auto const* call = std::get_if<ToolUse>(&part);
      if (!call) continue;
      json.begin_object().member("id", call->id).member("name", call->name);
      json.member_raw("args", call->input.str()).end_object();
    }
    json.end_array();
  }

  void write_result(Entry const& entry, Message const& message, ToolResult const& result) {
    std::string text;
    for (ToolContent const& piece : result.content) {
      if (auto const* said = std::get_if<Text>(&piece))
        text += said->text;
      else
        leave_out(entry, "a part of a tool result that is no text");
    }
    detail::JsonWriter json(out_.text);
    json.begin_object().member("role", "tool").member("text", "").key("tool_result").begin_object();
    json.member("tool_call_id", result.tool_use_id).member("content", text).end_object();
    json.member("timestamp", to_rfc3339(entry.at));
    bool const alone = message.parts.size() == 1 && message.metadata.is_object();
    if (result.is_error || !result.tool_name.empty() || alone) {
      json.key("metadata").begin_object();
      if (!result.tool_name.empty()) json.member("tool_name", result.tool_name);
      if (result.is_error) json.key("is_error").boolean(true);
      if (alone) detail::write_members(json, message.metadata, {"tool_name", "is_error"});
      json.end_object();
    }
    json.end_object();
  }

  void note(Entry const& entry, Part const& part) {
    if (std::holds_alternative<Thinking>(part)) leave_out(entry, "reasoning");
    if (auto const* image = std::get_if<Image>(&part))
      leave_out(entry, "an image of type " + image->media_type);
    if (auto const* opaque = std::get_if<Opaque>(&part)) leave_out(entry, "a part of type " + opaque->type);
    auto const* text = std::get_if<Text>(&part);
    auto const* call = std::get_if<ToolUse>(&part);
    if ((text && !text->signature.empty()) || (call && !call->signature.empty()))
      leave_out(entry, "a signature");
  }

  Converted out_;
  std::map<std::string, RawJson> state_;
  std::vector<std::string> state_order_;
};

// What tells a document from a line.
struct BladesMembers {
  bool history = false, state = false, type = false;

  void note(std::string_view key, std::string_view value) {
    history =
        history || (detail::key_is(key, "history") && detail::json_kind(value) == detail::JsonKind::array);
    state = state || (detail::key_is(key, "state") && detail::json_kind(value) == detail::JsonKind::object);
    type = type || detail::key_is(key, "type");
  }
};

// The member in whose value the text ends. `text` begins behind the member before.
void note_begun_member(BladesMembers& seen, std::string_view text) {
  char const* const end = text.data() + text.size();
  char const* p = detail::skip_space(text.data(), end);
  if (p != end && *p == ',') p = detail::skip_space(p + 1, end);
  if (p == end || *p != '"') return;
  char const* const key = p + 1;
  char const* const key_end = detail::string_end(key, end);
  if (key_end == nullptr) return;
  p = detail::skip_space(key_end + 1, end);
  if (p == end || *p != ':') return;
  p = detail::skip_space(p + 1, end);
  seen.note(detail::between(key, key_end), detail::between(p, end));
}

std::string_view without_byte_order_mark(std::string_view text) noexcept {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  return text;
}

}

bool is_blades(std::string_view text) {
  BladesMembers seen;
  text = without_byte_order_mark(text);
  std::string_view rest = detail::trim_space(text);
  if (rest.empty() || rest.front() != '{') return false;
  rest.remove_prefix(1);
  bool const whole = detail::for_members(text, [&](std::string_view key, std::string_view value) {
    seen.note(key, value);
    rest = text.substr(static_cast<std::size_t>(value.data() + value.size() - text.data()));
    return true;
  });
  if (whole) return !seen.type && seen.history;
  rest = detail::trim_space(rest);
  if (!rest.empty() && rest.front() == '}') return false; // other things stand behind the object
  note_begun_member(seen, rest);
  return !seen.type && (seen.history || seen.state);
}

Result<Log> import_blades(std::string_view document) {
  document = without_byte_order_mark(document);
  Result<RawJson> const json = RawJson::parse(std::string(document)); // on one line from here on
  if (!json) return Error{Errc::corrupt, 0, "no blades session: " + json.error().message};
  std::string_view const text = detail::trim_space(json->str());
  if (detail::json_kind(detail::find_member(text, "history")) != detail::JsonKind::array)
    return Error{Errc::corrupt, 0, "no blades session: the document is no object with an array \"history\""};
  std::string_view const version = detail::find_member(text, "version");
  if (!version.empty() && detail::to_uint(version) != blades_version)
    return Error{Errc::unsupported_version, 0,
                 fmt::format("a blades session of version {}; version {} is understood",
                             version.substr(0, 20), blades_version)};
  return BladesReader().run(text);
}

Converted export_blades(Log const& log, SessionId const& id) { return BladesWriter().run(log, id); }

}}
