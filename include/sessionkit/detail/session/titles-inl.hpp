// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json/blank.hpp>
#include <sessionkit/detail/history/history_rules.hpp>
#include <sessionkit/titles.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

bool title_is_due(SessionInfo const& info, std::uint64_t messages_before, TitleRule const& rule) {
  if (info.title_by_person) return false;
  return std::any_of(rule.at_messages.begin(), rule.at_messages.end(),
                     [&](std::uint64_t count) { return messages_before < count && count <= info.messages; });
}

Result<bool> retitle(Session& session, std::uint64_t messages_before, MakeTitle const& make_title,
                     TitleRule const& rule) {
  Result<SessionInfo> const info = session.info();
  if (!info) return info.error();
  if (!make_title || !title_is_due(*info, messages_before, rule)) return false;
  Result<std::string> title = make_title(session);
  if (!title) return title.error();
  if (detail::is_blank(*title)) return false;
  Result<void> const stored = session.set_title(std::string(detail::trimmed(*title)), false);
  if (!stored) return stored.error();
  return true;
}

}}
