// SPDX-License-Identifier: MIT
// Finds unknown members that a conversion could not write, because the line has members of these names
// itself.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/content_codec.hpp>
#include <sessionkit/detail/dialects/reserved_members.hpp>
#include <sessionkit/detail/exchange/shadowed_members.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/json_text.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace shadowed_members_inl { namespace {

Loss shadowed(EntryId const& id, std::string_view place, std::string_view name) {
  return {id, detail::format_text("{} member \"{}\" means something else there", place, name)};
}

void list_missing(EntryId const& id, RawJson const& wanted, std::string_view object,
                  std::vector<Loss>& losses) {
  if (!wanted.is_object()) return;
  std::unordered_multimap<std::string, std::string_view> there;
  detail::for_members(object, [&](std::string_view key, std::string_view value) {
    std::string name;
    detail::append_unescaped(name, key);
    there.emplace(std::move(name), value);
    return true;
  });
  detail::for_members(wanted.str(), [&](std::string_view key, std::string_view value) {
    std::string name;
    detail::append_unescaped(name, key);
    auto const [first, last] = there.equal_range(name);
    bool const kept = std::any_of(
        first, last, [&](auto const& member) { return member.second == detail::trim_space(value); });
    if (!kept) losses.push_back(shadowed(id, "its", name));
    return true;
  });
}

// Members of parts that were not understood but have one of our names.
void list_in_parts(EntryId const& id, Message const& message, std::vector<Loss>& losses) {
  auto const list = [&](RawJson const& extra) {
    if (!extra.is_object()) return;
    detail::for_members(extra.str(), [&](std::string_view key, std::string_view) {
      if (detail::is_part_name(key)) losses.push_back(shadowed(id, "a part's", key));
      return true;
    });
  };
  for (Part const& part : message.parts) detail::each_extra(part, list);
}

}}

void detail::list_shadowed_members(EntryId const& id, Entry const& entry, std::string_view line,
                                   Dialect const& to, std::vector<Loss>& losses) {
  shadowed_members_inl::list_missing(id, entry.extra, line, losses);
  auto const* message = entry.as<Message>();
  if (!message) return;
  if (&to != &flat_dialect())
    shadowed_members_inl::list_missing(id, message->metadata, find_member(line, "message"), losses);
  shadowed_members_inl::list_in_parts(id, *message, losses);
}

}}
