// SPDX-License-Identifier: MIT
// Reads and writes the lines of ZeroClaw's main branch.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/bare_dialect.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <array>

// ZeroClaw's sessions/<key>.jsonl: crates/zeroclaw-infra/src/session_store.rs there, and `ChatMessage` in
// crates/zeroclaw-api/src/model_provider.rs. Its reader ignores unknown members, but loads nothing of a file
// with a line that is no such message.

namespace sessionkit { inline namespace v0 {

namespace bare_dialect_inl { namespace {

constexpr std::array<std::pair<std::string_view, Role>, 3> bare_roles{
    {{"user", Role::user}, {"assistant", Role::assistant}, {"system", Role::system}}};

// Only lines of exactly the two members that ZeroClaw writes: other programs' messages have more.
SESSIONKIT_SELDOM bool detect_bare(std::string_view line) noexcept {
  unsigned members = 0;
  bool role = false, content = false;
  bool const whole = detail::for_members(line, [&](std::string_view key, std::string_view value) {
    ++members;
    if (detail::key_is(key, "role"))
      role =
          value == R"("tool")" || std::any_of(bare_roles.begin(), bare_roles.end(), [&](auto const& known) {
            return value.size() == known.first.size() + 2
                   && value.substr(1, known.first.size()) == known.first;
          });
    if (detail::key_is(key, "content")) content = detail::json_kind(value) == detail::JsonKind::string;
    return members <= 2;
  });
  return whole && members == 2 && role && content;
}

// The type of a line is its role.
SESSIONKIT_SELDOM bool bare_head(std::string_view line, RecordView& out, std::deque<std::string>& unescaped) {
  unescaped.clear();
  out = RecordView{};
  out.line = line;
  char const* const first = detail::skip_space(line.data(), line.data() + line.size());
  return detail::for_members(line.substr(static_cast<std::size_t>(first - line.data())),
                             [&](std::string_view key, std::string_view value) {
                               bool const role = detail::key_is(key, "role");
                               if (role && detail::json_kind(value) == detail::JsonKind::string)
                                 out.type = detail::text_view(value, unescaped);
                               return !role;
                             });
}

// What no bare line can hold, with the fix; empty if one can.
struct BareUnsayable {
  std::string_view operator()(Unknown const&) const { return {}; }
  std::string_view operator()(Message const& message) const {
    for (Part const& part : message.parts) {
      auto const* text = std::get_if<Text>(&part);
      if (text == nullptr || message.role == Role::tool)
        return "bare lines hold texts only; leave other parts out, or convert the session to native";
      if (!text->signature.empty() || !text->extra.is_null())
        return "bare lines have no signatures and members of texts; leave them out";
    }
    return {};
  }
  template <class Body> std::string_view operator()(Body const&) const {
    return "bare lines hold messages only; convert the session to native";
  }
};

bool can_bare(std::size_t body) noexcept { return detail::is_body_of<Message, Unknown>(body); }

std::vector<Message> split_bare(Message const& message) { return {message}; }

std::string_view bare_type_of(Entry const& entry) noexcept {
  auto const* message = entry.as<Message>();
  for (auto const& [name, role] : bare_roles)
    if (message != nullptr && role == message->role) return name;
  return {};
}

}}

namespace detail {

SESSIONKIT_SELDOM Result<Entry> decode_bare(RecordView const& record) {
  JsonMap map;
  Result<std::string_view> const object = whole_object(record, map);
  if (!object) return object.error();
  Entry entry;
  entry.id = EntryId(std::string(record.id));
  entry.link = record.link;
  entry.body = Unknown{std::string(record.type), RawJsonAccess::trust(std::string(*object))};
  for (auto const& [name, role] : bare_dialect_inl::bare_roles) {
    if (name != record.type) continue;
    Fields line(*object, &map);
    std::string_view const content = line.look("content");
    if (json_kind(content) != JsonKind::string) return entry;
    Message message;
    message.role = role;
    message.content_is_string = true;
    message.parts.emplace_back(Text{line.text("content")});
    line.take("role");
    message.metadata = line.rest();
    entry.body = std::move(message);
  }
  return entry;
}

SESSIONKIT_SELDOM Result<void> encode_bare(Entry const& entry, std::string& out) {
  if (std::string_view const why = detail::visit(bare_dialect_inl::BareUnsayable{}, entry.body); !why.empty())
    return make_error(Errc::unsupported, "entry '{}': {}", entry.id.str(), why);
  JsonWriter json(out);
  if (auto const* unknown = entry.as<Unknown>()) {
    json.raw(unknown->line.str());
    return {};
  }
  auto const& message = std::get<Message>(entry.body);
  json.begin_object();
  std::size_t const begin = out.size() - 1;
  for (auto const& [name, role] : bare_dialect_inl::bare_roles)
    if (role == message.role) json.member("role", name);
  json.member("content", message.text());
  write_new_members(out, begin, message.metadata);
  write_new_members(out, begin, entry.extra);
  json.end_object();
  return {};
}

}

Dialect const& bare_dialect() noexcept {
  static constexpr Dialect bare{"bare",
                                bare_dialect_inl::detect_bare,
                                bare_dialect_inl::bare_head,
                                detail::decode_bare,
                                detail::encode_bare,
                                bare_dialect_inl::can_bare,
                                bare_dialect_inl::split_bare,
                                false,
                                false,
                                bare_dialect_inl::bare_type_of};
  return bare;
}

}}
