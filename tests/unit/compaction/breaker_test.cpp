// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/compaction/breaker.hpp>

using namespace sessionkit_test;

TEST_CASE("the breaker opens with the last of so many failures in a row, and counts from the start again") {
  sk::detail::CompactionBreaker breaker;
  CHECK_FALSE(breaker.count_failure(3));
  CHECK_FALSE(breaker.count_failure(3));
  CHECK(breaker.count_failure(3));
  CHECK_FALSE(breaker.count_failure(3));
  breaker.reset_failures();
  CHECK_FALSE(breaker.count_failure(2));
  CHECK(breaker.count_failure(2));
}

TEST_CASE("an open breaker marks contexts that end in the same compaction") {
  sk::detail::CompactionBreaker breaker;
  sk::Context context;
  breaker.mark(context);
  CHECK(context.stopped_at == sk::Context{}.stopped_at);
  breaker.open(sk::EntryId("c1"), 500);
  breaker.mark(context);
  CHECK(context.stopped_at == sk::Context{}.stopped_at);
  context.compaction.emplace().id = sk::EntryId("c1");
  breaker.mark(context);
  CHECK(context.stopped_at == 500);
}

TEST_CASE("the breaker's entry says why, at how many tokens and over which limit") {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 1000;
  auto const entry = sk::detail::breaker_entry("failures", 1200, policy);
  CHECK(entry.type == "sessionkit.compaction_breaker");
  CHECK(entry.data.str() == R"({"why":"failures","tokens":1200,"limit":1000})");
}

TEST_CASE("an open breaker stops compactions until a quarter was added, or half of the limit said after it") {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 1000;
  sk::Context context;
  auto const is_open = [&](std::size_t tokens) {
    return sk::detail::breaker_is_open(context, policy, tokens, 1000);
  };
  CHECK_FALSE(is_open(5000)); // there is no breaker
  context.entries.emplace_back().body = sk::detail::breaker_entry("failures", 2000, policy);
  CHECK(is_open(2499));
  CHECK_FALSE(is_open(2500));
  auto& said = context.entries.emplace_back().body;
  said = sk::user(std::string(400, 'x')); // 100 tokens and a few
  CHECK(is_open(2499));
  said = sk::user(std::string(4000, 'x'));
  CHECK_FALSE(is_open(2499));
}

TEST_CASE("a breaker that lies before the last compaction stops nothing") {
  sk::CompactionPolicy policy;
  sk::Context context;
  context.entries.emplace_back().body = sk::detail::breaker_entry("failures", 2000, policy);
  context.after_compaction = 1;
  CHECK_FALSE(sk::detail::breaker_is_open(context, policy, 2100, 1000));
  context.stopped_at = 2000; // of a dialect without an entry for the breaker
  CHECK(sk::detail::breaker_is_open(context, policy, 2100, 1000));
}
