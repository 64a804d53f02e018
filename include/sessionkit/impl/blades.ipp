// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/history_rules.hpp>
#include <sessionkit/detail/line_members.hpp>
#include <sessionkit/detail/log_path.hpp>
#include <sessionkit/detail/raw_json_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

// A session of go-kratos/blades as one document. Only text, calls and results have members of their own
// there; what else a message has goes into its `metadata`, which is a free map.

namespace sessionkit { inline namespace v0 {

namespace {

constexpr std::uint64_t blades_version = 1;

// What stands in a history and is no message there is kept under this name.
constexpr std::string_view blades_item = "blades.item", blades_call = "blades.tool_call";

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
    Timestamp const created = time_of(fields, "created_at");
    fields.take("version");
    Timestamp const updated = time_of(fields, "updated_at");
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
  void add(EntryBody body, Timestamp at, RawJson extra = {}) {
    Entry entry;
    bool const header = std::holds_alternative<Header>(body);
    entry.link = last_.empty() ? Parent::root : Parent::entry;
    entry.parent = EntryId(last_);
    if (!header) entry.id = EntryId(last_ = fmt::format("{:08x}", log_.entries.size()));
    entry.at = at;
    entry.body = std::move(body);
    entry.extra = std::move(extra);
    log_.entries.push_back(std::move(entry));
  }

  // What is no time stays among the strange members.
  static Timestamp time_of(detail::Fields& fields, std::string_view name) {
    std::string_view const raw = fields.look(name);
    bool const is_time =
        detail::json_kind(raw) == detail::JsonKind::string && parse_rfc3339(detail::to_text(raw)).ok();
    bool const is_number = detail::json_kind(raw) == detail::JsonKind::number && detail::to_int(raw);
    return is_time || is_number ? detail::line_time(fields.take(name)) : Timestamp{};
  }

  // A name that is written as a number names the same; anything else stays among the strange members.
  static std::string name_of(detail::Fields& fields, std::string_view name) {
    std::string_view const raw = fields.look(name);
    if (detail::json_kind(raw) == detail::JsonKind::number) return std::string(fields.take(name));
    return fields.text(name);
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
    bool const object = detail::json_kind(raw) == detail::JsonKind::object;
    detail::Fields fields(object ? raw : std::string_view("{}"));
    Timestamp const at = time_of(fields, "timestamp");
    Message out;
    if (!object || !take_role(fields.text("role"), out.role))
      return add(Custom{std::string(blades_item), RawJsonAccess::trust(std::string(raw))}, at);
    Role const role = out.role;
    std::string text = fields.text("text");
    std::string_view const result = fields.take("tool_result", detail::JsonKind::object);
    std::string_view const calls = fields.take("tool_calls", detail::JsonKind::array);
    if (!calls.empty() && calls != "[]") out.role = Role::assistant;
    if (out.role == Role::tool) out.role = Role::user; // words of a tool beside its result
    take_metadata(fields, out);
    std::string strange;
    if (!text.empty()) out.parts.emplace_back(Text{std::move(text)});
    take_calls(calls, out);
    bool const result_alone = !result.empty() && out.parts.empty();
    if (!result_alone && out.role != role && (role != Role::tool || result.empty()))
      detail::JsonWriter(strange).member("role", role_name(role));
    if (!result.empty()) {
      Message answer = result_of(result, out.metadata);
      add(std::move(answer), at, result_alone ? fields.rest() : RawJson{});
    }
    if (result_alone) return;
    if (out.parts.empty()) out.parts.emplace_back(Text{});
    add(std::move(out), at, members(fields.rest(), strange));
  }

  // An object of the strange members of a message and the role it had.
  static RawJson members(RawJson rest, std::string const& within) {
    if (within.empty()) return rest;
    std::string const own = rest.is_object() ? rest.str().substr(1, rest.str().size() - 2) : std::string{};
    return RawJsonAccess::trust('{' + own + (own.empty() ? "" : ",") + within + '}');
  }

  static void take_calls(std::string_view calls, Message& out) {
    detail::for_elements(calls, [&](std::string_view call) {
      if (detail::json_kind(call) != detail::JsonKind::object) {
        std::string body =
            fmt::format(R"({{"type":"{}","value":{}}})", blades_call, detail::trim_space(call));
        out.parts.emplace_back(Opaque{std::string(blades_call), RawJsonAccess::trust(std::move(body))});
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

  static std::string_view role_name(Role role) noexcept {
    return role == Role::user ? "user" : role == Role::system ? "system" : "tool";
  }

  static bool take_role(std::string_view name, Role& role) noexcept {
    if (name == "assistant") return role = Role::assistant, true;
    if (name == "user") return role = Role::user, true;
    if (name == "system") return role = Role::system, true;
    return role = Role::tool, name == "tool";
  }

  // How an answer came to be, where it says nothing more than we would write.
  static void take_metadata(detail::Fields& fields, Message& out) {
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

  static bool same_members(std::string_view one, std::string_view other) {
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

  // What we wrote about a result stands in the metadata of its message. What a tool answered is for the
  // model, whatever its type.
  static Message result_of(std::string_view raw, RawJson& metadata) {
    detail::Fields fields(raw);
    detail::Fields about(metadata.str());
    ToolResult result{name_of(fields, "tool_call_id"), about.text("tool_name"), {}, about.flag("is_error")};
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

  Log log_;
  std::string last_;
};

class BladesWriter {
 public:
  Converted run(Log const& log, SessionId const& id) && {
    detail::list_damage(log, out_.unsaid);
    std::vector<std::size_t> const path = detail::path_to_last(log, out_.unsaid);
    Entry header = detail::header_of(log, id);
    detail::list_time_of_years(header, out_.unsaid);
    auto const& about = std::get<Header>(header.body);
    Timestamp updated = header.at;
    for (std::size_t const i : path) {
      keep_state(log.entries[i]);
      if (log.entries[i].at != Timestamp{}) updated = log.entries[i].at;
    }
    Entry last;
    last.at = updated;
    std::vector<Unsaid> told_with_its_entry;
    detail::list_time_of_years(last, told_with_its_entry);
    detail::JsonWriter json(out_.text);
    json.begin_object().member("id", about.id).key("state").begin_object();
    for (std::string const& name : state_order_)
      if (auto const found = state_.find(name); found != state_.end())
        json.member_raw(name, loadable(header, found->second));
    json.end_object().key("history").begin_array();
    for (std::size_t const i : path) {
      detail::list_spelling(log, i, out_.unsaid);
      Entry entry = log.entries[i];
      detail::list_time_of_years(entry, out_.unsaid);
      add_readable(entry);
    }
    json.end_array();
    json.member("created_at", to_rfc3339(header.at)).member("updated_at", to_rfc3339(last.at));
    json.key("version").unsigned_integer(blades_version);
    if (!about.key.empty()) json.member("key", about.key);
    if (!about.agent.empty()) json.member("agent", about.agent);
    detail::write_header_members(json, about);
    write_strangers(header, 0, header.extra, {});
    json.end_object();
    out_.text += '\n';
    if (!detail::is_utf8(out_.text)) out_.text = detail::replace_invalid(out_.text);
    return std::move(out_);
  }

 private:
  void leave_out(Entry const& entry, std::string what) { out_.unsaid.push_back({entry.id, std::move(what)}); }

  // Strange members go along; where the object begun at `begin` says something of their name itself, they are
  // listed, but for those that `said` holds.
  void write_strangers(Entry const& entry, std::size_t begin, RawJson const& strangers,
                       std::set<std::string> own, std::set<std::string> const& said = {}) {
    if (!strangers.is_object()) return;
    detail::for_members(std::string_view(out_.text).substr(begin),
                        [&](std::string_view key, std::string_view) {
                          std::string name;
                          detail::append_unescaped(name, key);
                          own.insert(std::move(name));
                          return true;
                        });
    detail::for_members(strangers.str(), [&](std::string_view key, std::string_view value) {
      std::string name;
      detail::append_unescaped(name, key);
      if (own.count(name) == 0)
        detail::JsonWriter(out_.text).member_raw(name,
                                                 loadable(entry, RawJsonAccess::trust(std::string(value))));
      else if (said.count(name) == 0)
        leave_out(entry, fmt::format("its member \"{}\" means something else there", name));
      return true;
    });
  }
  void write_strangers(Entry const& entry, std::size_t begin, std::set<std::string> const& said) {
    write_strangers(entry, begin, entry.extra, {"text", "tool_calls", "tool_result", "metadata"}, said);
  }

  // The member of an entry's extra that import put there, or nothing.
  static std::string_view strange(Entry const& entry, std::string_view name, detail::JsonKind kind) {
    if (!entry.extra.is_object()) return {};
    std::string_view const value = detail::find_member(entry.extra.str(), name);
    return detail::json_kind(value) == kind ? value : std::string_view{};
  }

  // blades reads numbers as doubles, and refuses the document where one is none.
  std::string loadable(Entry const& entry, RawJson const& json) {
    std::optional<std::string> mended = detail::mended_json(json.str());
    if (mended) leave_out(entry, "a number that no double can hold, or half a character");
    return mended ? *std::move(mended) : json.str();
  }

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
      auto const* item = entry.as<Custom>();
      if (item && item->type == blades_item && item->data.is_object())
        detail::JsonWriter(out_.text).raw(item->data.str());
      else
        leave_out(entry, fmt::format("{}: the document has no place for it", detail::kind_of(entry.body)));
      return;
    }
    for (Part const& part : message->parts)
      if (std::holds_alternative<ToolResult>(part)) write_result(entry, *message, part);
    if (!only_results(*message)) write_message(entry, *message);
  }

  static bool only_results(Message const& message) {
    return !message.parts.empty()
           && std::all_of(message.parts.begin(), message.parts.end(),
                          [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
  }

  void write_message(Entry const& entry, Message const& message) {
    std::string text;
    std::size_t texts = 0;
    bool calls = false;
    for (Part const& part : message.parts) {
      calls = calls || std::holds_alternative<ToolUse>(part);
      if (auto const* said = std::get_if<Text>(&part)) join(text, *said, texts);
      note(entry, part);
    }
    if (texts > 1) leave_out(entry, "the borders of its texts, which are joined");
    detail::JsonWriter json(out_.text);
    json.begin_object();
    std::size_t const begin = out_.text.size() - 1;
    json.member("role", role_of(entry, message)).member("text", text);
    if (calls) write_calls(json, entry, message);
    if (std::string_view const lost = detail::lost_order(message); !lost.empty())
      leave_out(entry, std::string(lost));
    json.member("timestamp", to_rfc3339(entry.at));
    if (message.generation || message.metadata.is_object()) {
      json.key("metadata").begin_object();
      std::size_t const within = out_.text.size() - 1;
      detail::write_generation_member(json, message);
      write_strangers(entry, within, message.metadata, {});
      json.end_object();
    }
    std::set<std::string> said;
    if (role_of(entry, message) == detail::to_text(strange(entry, "role", detail::JsonKind::string)))
      said.insert("role");
    write_strangers(entry, begin, said);
    json.end_object();
  }

  // As blades joins them; a blank one says nothing.
  static void join(std::string& text, Text const& said, std::size_t& texts) {
    bool const blank = said.text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (++texts == 1 || text.find_first_not_of(" \t\r\n") == std::string::npos)
      text = blank && texts > 1 ? text : said.text;
    else if (!blank)
      text.append(1, '\n').append(said.text);
  }

  // The role a document gave it, which says no more than this one.
  static std::string role_of(Entry const& entry, Message const& message) {
    std::string was = detail::to_text(strange(entry, "role", detail::JsonKind::string));
    bool const other =
        message.role == Role::user
            ? was == "tool"
            : message.role == Role::assistant && (was == "user" || was == "tool" || was == "system");
    if (other) return was;
    return message.role == Role::assistant ? "assistant" : message.role == Role::system ? "system" : "user";
  }

  void write_calls(detail::JsonWriter& json, Entry const& entry, Message const& message) {
    json.key("tool_calls").begin_array();
    for (Part const& part : message.parts) {
      auto const* call = std::get_if<ToolUse>(&part);
      if (!call) continue;
      json.begin_object();
      std::size_t const begin = out_.text.size() - 1;
      json.member("id", call->id).member("name", call->name).member_raw("args", args_of(entry, *call));
      write_strangers(entry, begin, call->extra, {});
      json.end_object();
    }
    json.end_array();
  }

  // An object, as blades declares them.
  std::string args_of(Entry const& entry, ToolUse const& call) {
    if (call.input.is_null()) return "{}";
    std::string args = loadable(entry, call.input);
    if (call.input.is_object()) return args;
    leave_out(entry, "that the arguments of a call are no object: they stand in one, as \"input\"");
    return "{\"input\":" + args + '}';
  }

  void write_result(Entry const& entry, Message const& message, Part const& part) {
    auto const& result = std::get<ToolResult>(part);
    std::string text;
    std::size_t texts = 0;
    for (ToolContent const& piece : result.content) {
      if (auto const* said = std::get_if<Text>(&piece))
        join(text, *said, texts), note_text(entry, *said);
      else
        leave_out(entry, "a part of a tool result that is no text");
    }
    if (texts > 1) leave_out(entry, "the borders of a result's texts, which are joined");
    bool const about = &message.parts.front() == &part && only_results(message); // the message's own members
    detail::JsonWriter json(out_.text);
    json.begin_object();
    std::size_t const begin = out_.text.size() - 1;
    json.member("role", "tool").member("text", "").key("tool_result").begin_object();
    std::size_t const inner = out_.text.size() - 1;
    json.member("tool_call_id", result.tool_use_id).member("content", text);
    write_strangers(entry, inner, result.extra, {});
    json.end_object().member("timestamp", to_rfc3339(entry.at));
    bool const metadata = about && message.metadata.is_object();
    if (result.is_error || !result.tool_name.empty() || metadata) {
      json.key("metadata").begin_object();
      std::size_t const within = out_.text.size() - 1;
      if (!result.tool_name.empty()) json.member("tool_name", result.tool_name);
      if (result.is_error) json.key("is_error").boolean(true);
      if (metadata) write_strangers(entry, within, message.metadata, {});
      json.end_object();
    }
    if (about) write_strangers(entry, begin, {});
    json.end_object();
  }

  void note(Entry const& entry, Part const& part) {
    if (std::holds_alternative<Thinking>(part)) leave_out(entry, "reasoning");
    if (auto const* image = std::get_if<Image>(&part))
      leave_out(entry, "an image of type " + image->media_type);
    if (auto const* opaque = std::get_if<Opaque>(&part)) leave_out(entry, "a part of type " + opaque->type);
    if (auto const* text = std::get_if<Text>(&part)) note_text(entry, *text);
    auto const* call = std::get_if<ToolUse>(&part);
    if (call && !call->signature.empty()) leave_out(entry, "a signature");
  }

  void note_text(Entry const& entry, Text const& text) {
    if (!text.signature.empty()) leave_out(entry, "a signature");
    if (!text.extra.is_null()) leave_out(entry, "members of a text: " + text.extra.str());
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
