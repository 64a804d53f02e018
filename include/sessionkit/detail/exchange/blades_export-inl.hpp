// SPDX-License-Identifier: MIT
// Exports a log as a JSON document of go-kratos/blades.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/exchange/conversion_path.hpp>
#include <sessionkit/detail/json/json_repair.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/tool_results.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_export_inl { namespace {

class BladesWriter {
 public:
  Converted run(Log const& log, SessionId const& id) && {
    detail::list_damage(log, out_.losses);
    std::vector<std::size_t> const path = detail::path_to_last(log, out_.losses);
    Entry header = detail::header_of(log, id);
    detail::list_time_of_years(header, out_.losses);
    auto const& about = std::get<Header>(header.body);
    std::string const saved =
        detail::to_text(strange(header, detail::blades_updated, detail::JsonKind::string));
    Result<Timestamp> const at_save = parse_rfc3339(saved);
    Timestamp updated = std::max(header.at, at_save ? *at_save : Timestamp{});
    for (std::size_t const i : path) {
      keep_state(log.entries[i]);
      updated = std::max(updated, log.entries[i].at);
    }
    Entry last;
    last.at = updated;
    std::vector<Loss> reported_with_its_entry;
    detail::list_time_of_years(last, reported_with_its_entry);
    detail::JsonWriter json(out_.text);
    json.begin_object().member("id", about.id).key("state").begin_object();
    for (std::string const& name : state_order_)
      if (auto const found = state_.find(name); found != state_.end())
        json.member_raw(name, loadable(header, found->second, name));
    json.end_object().key("history").begin_array();
    for (std::size_t const i : path) {
      detail::list_spelling(log, i, out_.losses);
      Entry entry = log.entries[i];
      detail::list_time_of_years(entry, out_.losses);
      add_readable(entry);
    }
    json.end_array();
    json.member("created_at", to_rfc3339(header.at)).member(detail::blades_updated, to_rfc3339(last.at));
    json.key("version").unsigned_integer(detail::blades_version);
    if (!about.key.empty()) json.member("key", about.key);
    if (!about.agent.empty()) json.member("agent", about.agent);
    detail::write_header_members(json, about);
    write_strangers(header, 0, header.extra, {}, {std::string(detail::blades_updated)});
    json.end_object();
    out_.text += '\n';
    if (!detail::is_utf8(out_.text)) out_.text = detail::replace_invalid(out_.text);
    return std::move(out_);
  }

 private:
  void leave_out(Entry const& entry, std::string what) { out_.losses.push_back({entry.id, std::move(what)}); }

  // Writes unknown members. If the object begun at `begin` has such a member itself, a loss is listed,
  // unless `said` contains the name.
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
        detail::JsonWriter(out_.text).member_raw(
            name, loadable(entry, RawJsonAccess::trust(std::string(value)), name));
      else if (said.count(name) == 0)
        leave_out(entry, detail::format_text("its member \"{}\" means something else there", name));
      return true;
    });
  }
  void write_strangers(Entry const& entry, std::size_t begin, std::set<std::string> const& said) {
    write_strangers(entry, begin, entry.extra, {"text", "tool_calls", "tool_result", "metadata"}, said);
  }

  // The member of an entry's extra that the import put there, or nothing.
  static std::string_view strange(Entry const& entry, std::string_view name, detail::JsonKind kind) {
    if (!entry.extra.is_object()) return {};
    std::string_view const value = detail::find_member(entry.extra.str(), name);
    return detail::json_kind(value) == kind ? value : std::string_view{};
  }

  // blades reads numbers as doubles and refuses a document with a number that is none.
  std::string loadable(Entry const& entry, RawJson const& json, std::string_view of) {
    std::optional<std::string> repaired = detail::repaired_json(json.str());
    if (repaired)
      leave_out(entry,
                detail::format_text("a number that no double can hold, or half a character, in \"{}\"", of));
    return repaired ? *std::move(repaired) : json.str();
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

  // Leaves an entry out if the document could not be read again because of its nesting.
  void add_readable(Entry const& entry) {
    std::size_t const begin = out_.text.size();
    add(entry);
    bool const comma = begin < out_.text.size() && out_.text[begin] == ',';
    std::string items = "{\"history\":[";
    items.append(out_.text, begin + (comma ? 1 : 0)).append("]}");
    if (detail::check_json(items)) return;
    out_.text.resize(begin);
    leave_out(entry,
              detail::format_text("{}: nested deeper than 128 in the document", detail::kind_of(entry.body)));
  }

  void add(Entry const& entry) {
    if (entry.as<StateChange>()) return;
    auto const* message = entry.as<Message>();
    if (!message) {
      auto const* item = entry.as<Custom>();
      if (item && item->type == detail::blades_item && item->data.is_object())
        detail::JsonWriter(out_.text).raw(item->data.str());
      else
        leave_out(entry,
                  detail::format_text("{}: the document has no place for it", detail::kind_of(entry.body)));
      return;
    }
    for (Part const& part : message->parts)
      if (std::holds_alternative<ToolResult>(part)) write_result(entry, *message, part);
    if (!detail::is_only_results(*message)) write_message(entry, *message);
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

  // Joins texts as blades does; a blank text adds nothing.
  static void join(std::string& text, Text const& said, std::size_t& texts) {
    bool const blank = said.text.find_first_not_of(" \t\r\n") == std::string::npos;
    if (++texts == 1 || text.find_first_not_of(" \t\r\n") == std::string::npos)
      text = blank && texts > 1 ? text : said.text;
    else if (!blank)
      text.append(1, '\n').append(said.text);
  }

  // The role from the imported document, if it says no more than this message's role.
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

  // The arguments as an object, because blades declares them so.
  std::string args_of(Entry const& entry, ToolUse const& call) {
    if (call.input.is_null()) return "{}";
    std::string args = loadable(entry, call.input, "args");
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
    bool const about =
        &message.parts.front() == &part && detail::is_only_results(message); // the message's own members
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

}}

Converted export_blades(Log const& log, SessionId const& id) {
  return blades_export_inl::BladesWriter().run(log, id);
}

}}
