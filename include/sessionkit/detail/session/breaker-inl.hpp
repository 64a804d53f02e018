// SPDX-License-Identifier: MIT
// Counts failed compactions and remembers where the breaker opened.
#pragma once
#include <sessionkit/detail/compaction/compaction.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/session/breaker.hpp>

#include <optional>
#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

bool CompactionBreaker::count_failure(unsigned max_failures) noexcept {
  if (++failures_ < max_failures) return false;
  failures_ = 0;
  return true;
}

SESSIONKIT_SELDOM void CompactionBreaker::open(EntryId last, std::uint64_t tokens) {
  last_ = std::move(last);
  tokens_ = tokens;
}

void CompactionBreaker::mark(Context& context) const {
  EntryId const last = context.compaction ? context.compaction->id : EntryId{};
  if (last == last_) context.stopped_at = tokens_;
}

Custom breaker_entry(std::string_view why, std::uint64_t tokens, CompactionPolicy const& policy) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("why", why).key("tokens").unsigned_integer(tokens);
  if (std::optional<std::size_t> const limit = limit_of(policy)) json.key("limit").unsigned_integer(*limit);
  json.end_object();
  return {std::string(breaker_type), RawJsonAccess::trust(std::move(text))};
}

}}}
