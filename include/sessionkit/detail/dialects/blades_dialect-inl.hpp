// SPDX-License-Identifier: MIT
// Reads and writes the parts of a document of go-kratos/blades as lines.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/model/tool_results.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_dialect_inl { namespace {

bool detect_blades(std::string_view) noexcept { return false; }

struct TypeMark {
  std::string_view member, type;
};
// The first of these members shows what a line is; a line without any of them is a header.
constexpr std::array<TypeMark, 5> type_marks{{{"role", detail::blades_message_type},
                                              {"text", detail::blades_message_type},
                                              {"tool_result", detail::blades_message_type},
                                              {"state", detail::blades_state_type},
                                              {"removed", detail::blades_state_type}}};

SESSIONKIT_SELDOM bool blades_head(std::string_view line, RecordView& out,
                                   std::deque<std::string>& unescaped) {
  unescaped.clear();
  out = RecordView{};
  out.line = line;
  std::string_view id;
  bool const whole = detail::for_members(line, [&](std::string_view key, std::string_view value) {
    if (detail::key_is(key, "id") && detail::json_kind(value) == detail::JsonKind::string) id = value;
    for (TypeMark const& mark : type_marks)
      if (detail::key_is(key, mark.member)) out.type = mark.type;
    return out.type.empty();
  });
  if (!whole || !out.type.empty()) return whole;
  out.type = detail::blades_header_type;
  out.link = Parent::root;
  if (!id.empty()) out.id = detail::text_view(id, unescaped);
  return true;
}

SESSIONKIT_SELDOM void decode_header(std::string_view object, Entry& entry) {
  detail::Fields fields(object);
  Header header;
  header.version = static_cast<int>(detail::blades_version);
  header.id = fields.text("id");
  header.key = fields.text("key");
  header.agent = fields.text("agent");
  detail::take_header_members(fields, header);
  detail::take_blades_time(fields, "created_at", entry);
  fields.take("version");
  entry.extra = detail::with_blades_time(fields.rest(), entry);
  entry.body = std::move(header);
}

SESSIONKIT_SELDOM StateChange decode_state(std::string_view object) {
  StateChange change = detail::read_blades_state(detail::find_member(object, "state"));
  detail::for_elements(detail::find_member(object, "removed"), [&](std::string_view name) {
    if (detail::json_kind(name) == detail::JsonKind::string) change.removed.push_back(detail::to_text(name));
    return true;
  });
  return change;
}

// A line is one entry, so a result and what the same item says beside it are one message.
SESSIONKIT_SELDOM void decode_item(std::string_view object, Entry& entry) {
  std::vector<Entry> items = detail::read_blades_item(object);
  entry.at = items.back().at;
  entry.extra = std::move(items.back().extra);
  entry.body = std::move(items.back().body);
  if (items.size() == 1) return;
  auto& result = std::get<Message>(items.front().body);
  auto& message = std::get<Message>(entry.body);
  message.parts.insert(message.parts.begin(), std::move(result.parts.front()));
  message.metadata = std::move(result.metadata);
  if (!detail::has_member(items.front().extra, detail::blades_json_result)) return;
  detail::Fields fields(items.front().extra.str()); // that of the result; the time is the message's too
  fields.take(detail::blades_time);
  items.front().extra = fields.rest();
  entry.extra = detail::with_blades_time(std::move(entry.extra), items.front());
}

SESSIONKIT_SELDOM Result<Entry> decode_blades(RecordView const& record) {
  detail::JsonMap map;
  Result<std::string_view> const object = detail::whole_object(record, map);
  if (!object) return object.error();
  Entry entry;
  entry.id = EntryId(std::string(record.id));
  entry.link = record.link;
  if (record.type == detail::blades_header_type)
    decode_header(*object, entry);
  else if (record.type == detail::blades_state_type)
    entry.body = decode_state(*object);
  else
    decode_item(*object, entry);
  return entry;
}

// The reason why no message of blades can hold this message, with the fix; empty if one can.
SESSIONKIT_SELDOM std::string_view unsayable(Message const& message) {
  std::size_t results = 0;
  for (Part const& part : message.parts) {
    if (std::holds_alternative<Thinking>(part)) return "messages of blades have no reasoning; leave it out";
    auto const* opaque = std::get_if<Opaque>(&part);
    if (std::holds_alternative<Image>(part) || (opaque && opaque->type != detail::blades_call))
      return "messages of blades have text and calls only; leave other parts out";
    auto const* text = std::get_if<Text>(&part);
    auto const* call = std::get_if<ToolUse>(&part);
    if ((text && !text->signature.empty()) || (call && !call->signature.empty()))
      return "messages of blades have no signatures; leave them out";
    auto const* result = std::get_if<ToolResult>(&part);
    if (!result) continue;
    ++results;
    if (std::any_of(result->content.begin(), result->content.end(),
                    [](ToolContent const& piece) { return !std::holds_alternative<Text>(piece); }))
      return "a result in a message of blades is one text; describe the rest as text";
  }
  return results > 1 || (results == 1 && message.parts.size() > 1)
             ? "a message of blades holds one result; store one message for each"
             : std::string_view{};
}

Error refusal(Entry const& entry, std::string_view why) {
  return detail::make_error(Errc::unsupported, "entry '{}': {}", entry.id.str(), why);
}

SESSIONKIT_SELDOM void write_header(Entry const& entry, Header const& header, std::string& out) {
  detail::JsonWriter json(out);
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  json.member("id", header.id).member_raw("created_at", detail::blades_time_of(entry));
  json.key("version").unsigned_integer(detail::blades_version);
  if (!header.key.empty()) json.member("key", header.key);
  if (!header.agent.empty()) json.member("agent", header.agent);
  detail::write_header_members(json, header);
  detail::BladesItems(out, [](Entry const&, std::string const&) {
  }).write_strangers(entry, begin, entry.extra, {"state", "history", "updated_at"});
  json.end_object();
}

SESSIONKIT_SELDOM void write_state(StateChange const& change, std::string& out) {
  detail::JsonWriter json(out);
  json.begin_object().key("state").begin_object();
  for (auto const& [name, value] : change.set) json.member_raw(name, value.str());
  json.end_object();
  if (!change.removed.empty()) {
    json.key("removed").begin_array();
    for (std::string const& name : change.removed) json.string(name);
    json.end_array();
  }
  json.end_object();
}

SESSIONKIT_SELDOM Result<void> encode_blades(Entry const& entry, std::string& out) {
  if (auto const* header = entry.as<Header>()) return write_header(entry, *header, out), Result<void>();
  if (auto const* change = entry.as<StateChange>()) return write_state(*change, out), Result<void>();
  auto const* item = entry.as<Custom>();
  if (item && item->type == detail::blades_item && item->data.is_object())
    return detail::JsonWriter(out).raw(item->data.str()), Result<void>();
  auto const* message = entry.as<Message>();
  if (!message)
    return refusal(entry,
                   "documents of blades hold messages and state only; keep the session in another store");
  if (std::string_view const why = unsayable(*message); !why.empty()) return refusal(entry, why);
  detail::BladesItems(out, [](Entry const&, std::string const&) {}).write(entry, *message);
  return {};
}

bool can_blades(std::size_t body) noexcept { return detail::is_body_of<Header, Message, StateChange>(body); }

std::vector<Message> split_blades(Message const& message) {
  return message.role == Role::assistant ? std::vector<Message>{message}
                                         : detail::split_tool_results(message);
}

std::string_view blades_type_of(Entry const& entry) noexcept {
  if (entry.as<Header>()) return detail::blades_header_type;
  return entry.as<StateChange>() ? detail::blades_state_type : detail::blades_message_type;
}

}}

namespace detail {

Dialect const& blades_dialect() noexcept {
  static constexpr Dialect blades{"blades",
                                  blades_dialect_inl::detect_blades,
                                  blades_dialect_inl::blades_head,
                                  blades_dialect_inl::decode_blades,
                                  blades_dialect_inl::encode_blades,
                                  blades_dialect_inl::can_blades,
                                  blades_dialect_inl::split_blades,
                                  false,
                                  false,
                                  blades_dialect_inl::blades_type_of,
                                  {},
                                  {},
                                  true};
  return blades;
}

}

}}
