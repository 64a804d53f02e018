// SPDX-License-Identifier: MIT
// Counts failed compactions, and decides whether the breaker that they open stops the next one.
#pragma once
#include <sessionkit/detail/compaction/breaker.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/json/object_reader.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

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

bool breaker_is_open(Context const& context, CompactionPolicy const& policy, std::size_t tokens,
                     std::size_t limit) {
  auto const grew_little = [tokens](std::uint64_t before) { return tokens < before + before / 4; };
  std::size_t since = 0;
  for (std::size_t i = context.entries.size(); i-- > context.after_compaction;) {
    auto const* custom = context.entries[i].as<Custom>();
    if (custom && custom->type == breaker_type)
      return grew_little(Fields(custom->data.str()).count("tokens")) && since < limit / 2;
    since += estimate_tokens(context.entries[i], policy.estimator);
  }
  return grew_little(context.stopped_at);
}

}}}
