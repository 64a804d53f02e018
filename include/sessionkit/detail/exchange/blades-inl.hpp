// SPDX-License-Identifier: MIT
// Imports a session of go-kratos/blades from its JSON document.
#pragma once
#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/exchange/blades_export.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_inl { namespace {

class BladesReader {
 public:
  Log run(std::string_view document) && {
    detail::Fields fields(document);
    Header header;
    header.id = fields.text("id");
    header.key = fields.text("key");
    header.agent = fields.text("agent");
    header.version = static_cast<int>(detail::blades_version);
    detail::take_header_members(fields, header);
    Timestamp const created = time_of(fields, "created_at");
    fields.take("version");
    detail::Fields copy(document); // it stays among the unknown members too, where the export finds it
    Timestamp const updated = time_of(copy, detail::blades_updated);
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
    if (!header) entry.id = EntryId(last_ = detail::format_text("{:08x}", log_.entries.size()));
    entry.at = at;
    entry.body = std::move(body);
    entry.extra = std::move(extra);
    log_.entries.push_back(std::move(entry));
  }

  // A value that is no time stays among the unknown members.
  static Timestamp time_of(detail::Fields& fields, std::string_view name) {
    std::string_view const raw = fields.look(name);
    bool const is_time =
        detail::json_kind(raw) == detail::JsonKind::string && parse_rfc3339(detail::to_text(raw)).ok();
    bool const is_number = detail::json_kind(raw) == detail::JsonKind::number && detail::to_int(raw);
    return is_time || is_number ? detail::line_time(fields.take(name)) : Timestamp{};
  }

  // A name written as a number is taken as that name; any other value stays among the unknown members.
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
      return add(Custom{std::string(detail::blades_item), RawJsonAccess::trust(std::string(raw))}, at);
    Role const role = out.role;
    std::string text = fields.text("text");
    std::string_view const result = fields.take("tool_result", detail::JsonKind::object);
    std::string_view const calls = fields.take("tool_calls", detail::JsonKind::array);
    if (!calls.empty() && calls != "[]") out.role = Role::assistant;
    if (out.role == Role::tool) out.role = Role::user; // text of a tool beside its result
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

  // The unknown members of a message, and those in `within`, as one object.
  static RawJson members(RawJson rest, std::string const& within) {
    if (within.empty()) return rest;
    std::string const own = rest.is_object() ? rest.str().substr(1, rest.str().size() - 2) : std::string{};
    return RawJsonAccess::trust('{' + own + (own.empty() ? "" : ",") + within + '}');
  }

  static void take_calls(std::string_view calls, Message& out) {
    detail::for_elements(calls, [&](std::string_view call) {
      if (detail::json_kind(call) != detail::JsonKind::object) {
        std::string body = detail::format_text(R"({{"type":"{}","value":{}}})", detail::blades_call,
                                               detail::trim_space(call));
        out.parts.emplace_back(
            Opaque{std::string(detail::blades_call), RawJsonAccess::trust(std::move(body))});
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

  // Takes how an answer was made, if the member holds only what we would write.
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

  // What we wrote about a result is in the metadata of its message. The answer of a tool goes to the model,
  // whatever its JSON type.
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

// The members that distinguish a document from a line.
struct BladesMembers {
  bool history = false, state = false, type = false;

  void note(std::string_view key, std::string_view value) {
    history =
        history || (detail::key_is(key, "history") && detail::json_kind(value) == detail::JsonKind::array);
    state = state || (detail::key_is(key, "state") && detail::json_kind(value) == detail::JsonKind::object);
    type = type || detail::key_is(key, "type");
  }
};

// Notes the member in whose value the text ends. `text` begins after the member before it.
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
  if (detail::begins_with_mark(text)) text.remove_prefix(detail::utf8_mark.size());
  return text;
}

}}

bool is_blades(std::string_view text) {
  blades_inl::BladesMembers seen;
  text = blades_inl::without_byte_order_mark(text);
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
  if (!rest.empty() && rest.front() == '}') return false; // more text follows the object
  blades_inl::note_begun_member(seen, rest);
  return !seen.type && (seen.history || seen.state);
}

Result<Log> import_blades(std::string_view document) {
  document = blades_inl::without_byte_order_mark(document);
  Result<RawJson> const json = RawJson::parse(std::string(document)); // on one line from here on
  if (!json) return detail::make_error(Errc::corrupt, "no blades session: {}", json.error().message);
  std::string_view const text = detail::trim_space(json->str());
  if (detail::json_kind(detail::find_member(text, "history")) != detail::JsonKind::array)
    return detail::make_error(Errc::corrupt,
                              "no blades session: the document is no object with an array \"history\"");
  std::string_view const version = detail::find_member(text, "version");
  if (!version.empty() && detail::to_uint(version) != detail::blades_version)
    return detail::make_error(Errc::unsupported_version,
                              "a blades session of version {}; version {} is understood",
                              version.substr(0, 20), detail::blades_version);
  return blades_inl::BladesReader().run(text);
}

}}
