// SPDX-License-Identifier: MIT
// Reads a reasoning item of OpenAI's Responses API from the signature that contains it.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/model/reasoning_item.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace reasoning_item_inl { namespace {

constexpr std::size_t longest_item_id = 64;

// True for `"rs_..."`: the API takes any other id for that of another kind of item.
bool is_reasoning_id(std::string_view raw) noexcept {
  if (raw.size() < 5 || raw.size() > longest_item_id + 2 || raw.substr(0, 3) != "\"rs") return false;
  raw = raw.substr(1, raw.size() - 2);
  return std::all_of(raw.begin(), raw.end(), is_name_byte);
}

bool is_reasoning_summary(std::string_view raw) {
  if (json_kind(raw) != JsonKind::array) return false;
  bool fits = true;
  for_elements(raw, [&fits](std::string_view part) {
    bool const object = json_kind(part) == JsonKind::object;
    fits = fits && object && find_member(part, "type") == R"("summary_text")"
           && json_kind(find_member(part, "text")) == JsonKind::string;
    return fits;
  });
  return fits;
}

}}

SESSIONKIT_SELDOM std::optional<ReasoningItem> reasoning_item(std::string_view signature) {
  JsonCheck const check = check_json(signature);
  if (!check || !check.utf8 || check.lone_surrogate || json_kind(trim_space(signature)) != JsonKind::object)
    return std::nullopt;
  ReasoningItem item{find_member(signature, "id"), find_member(signature, "summary"),
                     find_member(signature, "encrypted_content")};
  bool const secret =
      json_kind(item.encrypted_content) == JsonKind::string && item.encrypted_content.size() > 2;
  if (find_member(signature, "type") != R"("reasoning")" || !reasoning_item_inl::is_reasoning_id(item.id)
      || !secret)
    return std::nullopt;
  if (!reasoning_item_inl::is_reasoning_summary(item.summary)) item.summary = "[]";
  return item;
}

}}}
