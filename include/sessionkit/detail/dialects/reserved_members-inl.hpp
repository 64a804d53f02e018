// SPDX-License-Identifier: MIT
// Removes unknown members whose names have a meaning in another dialect.
#pragma once
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/dialects/reserved_members.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace reserved_members_inl { namespace {

// Members that have a meaning in one of the dialects, so that they cannot be copied as unknown members.
constexpr std::array<std::string_view, 14> line_names{{"type", "id", "parentId", "timestamp", "ts", "message",
                                                       "content", "output", "name", "input", "summary",
                                                       "created", "createdAt", "keptAgain"}};

template <std::size_t Count>
bool is_among(std::array<std::string_view, Count> const& names, std::string_view key) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return detail::key_is(key, name); });
}

// The members of an object for whose keys `keeps` is true, as written; null if there are none.
template <class Keeps> RawJson members_that(RawJson const& object, Keeps const& keeps) {
  std::string kept;
  detail::for_members(object.str(), [&](std::string_view key, std::string_view value) {
    if (keeps(key)) kept.append(kept.empty() ? "{\"" : ",\"").append(key).append("\":").append(value);
    return true;
  });
  return kept.empty() ? RawJson{} : RawJsonAccess::trust(kept + '}');
}

// Unknown members that programs which send content unchanged would send too.
constexpr std::array<std::string_view, 3> api_names{{"cache_control", "citations", "caller"}};

// Members of parts that the dialects write themselves.
constexpr std::array<std::string_view, 19> part_names{
    {"type", "text", "textSignature", "thinking", "thinkingSignature", "signature", "redacted", "data",
     "mimeType", "media_type", "url", "id", "name", "input", "arguments", "thoughtSignature", "tool_use_id",
     "content", "is_error"}};

}}

namespace detail {

std::vector<std::string> strip_line_names(RawJson& extra) {
  std::vector<std::string> names;
  extra = reserved_members_inl::members_that(extra, [&](std::string_view key) {
    bool const foreign = reserved_members_inl::is_among(reserved_members_inl::line_names, key);
    if (foreign) names.emplace_back(key);
    return !foreign;
  });
  return names;
}

bool is_part_name(std::string_view key) {
  return reserved_members_inl::is_among(reserved_members_inl::part_names, key);
}

bool strip_proofs(Message& message) {
  bool any = false;
  auto const clear = [&](std::string& signature) { any = any || !signature.empty(), signature.clear(); };
  for (Part& part : message.parts) {
    if (auto* text = std::get_if<Text>(&part)) clear(text->signature);
    if (auto* call = std::get_if<ToolUse>(&part)) clear(call->signature);
    if (auto* result = std::get_if<ToolResult>(&part))
      for (ToolContent& piece : result->content)
        if (auto* text = std::get_if<Text>(&piece)) clear(text->signature);
  }
  auto const unsigned_thought =
      std::remove_if(message.parts.begin(), message.parts.end(), [](Part const& part) {
        auto const* thinking = std::get_if<Thinking>(&part);
        return thinking && thinking->signature.empty();
      });
  any = any || unsigned_thought != message.parts.end();
  message.parts.erase(unsigned_thought, message.parts.end());
  return any;
}

std::string strip_strange_members(Message& message) {
  std::string names;
  auto const name = [&](std::string_view key) { names.append(names.empty() ? "" : ", ").append(key); };
  auto const strip = [&](RawJson& extra) {
    extra = reserved_members_inl::members_that(extra, [&](std::string_view key) {
      bool const known = reserved_members_inl::is_among(reserved_members_inl::api_names, key);
      if (!known) name(key);
      return known;
    });
  };
  auto const strip_address = [&](auto& body) {
    if constexpr (std::is_same_v<std::decay_t<decltype(body)>, Image>)
      if (std::holds_alternative<Url>(body.source) && !body.media_type.empty())
        name("media_type"), body.media_type.clear();
  };
  for (Part& part : message.parts) {
    detail::each_extra(part, strip);
    detail::visit(strip_address, part);
    if (auto* result = std::get_if<ToolResult>(&part))
      for (ToolContent& piece : result->content) detail::visit(strip_address, piece);
  }
  return names;
}

}

}}
