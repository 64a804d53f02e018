// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/session/breaker.hpp>

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
