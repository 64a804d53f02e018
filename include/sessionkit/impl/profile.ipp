// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/profile.hpp>

namespace sessionkit { inline namespace v0 {

Profile const* find_profile(std::string_view name) noexcept {
  for (Profile const* known : {&profiles::native, &profiles::ai_panel, &profiles::zyhive, &profiles::claw0,
                               &profiles::zeroclaw, &profiles::blades, &profiles::ephemeral})
    if (known->name == name) return known;
  return nullptr;
}

}}
