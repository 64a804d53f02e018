// SPDX-License-Identifier: MIT
// Defines the profiles of the programs whose sessions can be continued.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/profile.hpp>

namespace sessionkit { inline namespace v0 {

namespace profile_inl { namespace {
constexpr Profile const* all_profiles[] = {
    &profiles::native,       &profiles::ai_panel, &profiles::zyhive,     &profiles::claw0,
    &profiles::zeroclaw,     &profiles::blades,   &profiles::openclaw,   &profiles::ephemeral,
    &profiles::claude_code,  &profiles::codex,    &profiles::gemini_cli, &profiles::opencode,
    &profiles::openai_agents};
}}

std::vector<std::string_view> profile_names() {
  std::vector<std::string_view> names;
  for (Profile const* known : profile_inl::all_profiles) names.push_back(known->name);
  return names;
}

Profile const* find_profile(std::string_view name) noexcept {
  for (Profile const* known : profile_inl::all_profiles)
    if (detail::same_name(known->name, name)) return known;
  return nullptr;
}

}}
