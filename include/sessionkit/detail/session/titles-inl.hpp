// SPDX-License-Identifier: MIT
// Decides when a session needs a title, and stores the title that the host makes.
#pragma once
#include <sessionkit/detail/json/whitespace.hpp>
#include <sessionkit/titles.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

bool title_is_due(SessionInfo const& info, std::uint64_t messages_before, TitlePolicy const& policy) {
  if (info.title_by_person) return false;
  return std::any_of(policy.at_messages.begin(), policy.at_messages.end(),
                     [&](std::uint64_t count) { return messages_before < count && count <= info.messages; });
}

SESSIONKIT_SELDOM Result<bool> update_title(Session& session, std::uint64_t messages_before,
                                            TitleGenerator const& generate, TitlePolicy const& policy) {
  Result<SessionInfo> const info = session.info();
  if (!info) return info.error();
  if (!generate || !title_is_due(*info, messages_before, policy)) return false;
  Result<std::string> title = generate(session);
  if (!title) return title.error();
  if (detail::is_blank(*title)) return false;
  Result<void> const stored = session.set_title(std::string(detail::trimmed(*title)), false);
  if (!stored) return stored.error();
  return true;
}

}}
