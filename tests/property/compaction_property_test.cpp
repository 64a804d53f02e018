// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/four_providers.hpp"
#include "support/honest_host.hpp"
#include "support/long_form.hpp"
#include "support/random_context.hpp"

#include <sessionkit/compaction.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace sk = sessionkit;
using namespace sessionkit_test;

namespace {

std::size_t const logs = long_form() ? 20000 : 3000;

// Each call and its result, as a history pairs them.
using Exchanges = std::multiset<std::pair<std::string, std::string>>;

std::string text_of(sk::ToolResult const& result) {
  std::string text = result.is_error ? "error " : "";
  for (auto const& piece : result.content)
    if (auto const* said = std::get_if<sk::Text>(&piece)) text += said->text;
  return text;
}

Exchanges exchanges(sk::History const& history) {
  Exchanges all;
  for (std::size_t i = 0; i + 1 < history.messages.size(); ++i) {
    auto const calls = history.messages[i].tool_uses();
    if (history.messages[i].role != sk::Role::assistant || calls.empty()) continue;
    auto const& results = history.messages[i + 1].parts;
    for (std::size_t c = 0; c < calls.size() && c < results.size(); ++c)
      if (auto const* result = std::get_if<sk::ToolResult>(&results[c]))
        all.emplace(calls[c]->name + calls[c]->input.str(), text_of(*result));
  }
  return all;
}

// Entries with an unpaired call or result; with `duplicates`, also duplicates of a paired one.
std::set<std::string> orphans(sk::History const& history, bool duplicates) {
  std::set<std::string> entries;
  for (auto const& repair : history.report)
    if (repair.rule == "orphan_result" || repair.rule == "missing_result"
        || (duplicates && (repair.rule == "duplicate_result" || repair.rule == "repeated_call")))
      entries.insert(repair.entry.str());
  return entries;
}

// An id of several calls: a stray result may pair with another call when the first is gone.
bool is_ambiguous(sk::Context const& context) {
  std::set<std::string> ids;
  for (auto const& entry : context.entries)
    if (auto const* message = entry.as<sk::Message>())
      for (sk::ToolUse const* call : message->tool_uses())
        if (!ids.insert(call->id).second) return true;
  return false;
}

template <class Set> bool includes(Set const& all, Set const& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

void check_valid(sk::History const& history, sk::Target const& target) {
  REQUIRE_FALSE(history.messages.empty());
  REQUIRE(refused(history, target).empty());
}

sk::Target random_provider(Random& random) {
  sk::Target target;
  target.provider = four_providers[random.below(4)];
  return target;
}

sk::CompactionPolicy random_policy(Random& random) {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = random.one_in(2) ? 20 + random.below(400) : 0;
  policy.keep = {static_cast<sk::KeepRule::By>(random.below(3)), random.below(random.one_in(2) ? 6 : 120)};
  policy.split_turns = !random.one_in(3);
  if (random.one_in(3)) policy.max_request_tokens = 20 + random.below(100);
  return policy;
}

sk::CompactionReason random_reason(Random& random) {
  return static_cast<sk::CompactionReason>(random.below(3));
}

sk::HistoryPolicy random_history_policy(Random& random) {
  switch (random.below(4)) {
  case 0: return sk::TurnLimit{random.below(5)};
  case 1: return sk::MessageLimit{random.below(9)};
  case 2: return sk::TokenLimit{random.below(300)};
  default: break;
  }
  sk::ClearToolResults policy;
  policy.window = 1 + random.below(100);
  policy.keep_answers = random.below(3);
  policy.max_length = random.below(6), policy.head = 1, policy.tail = 1, policy.min_clear = random.below(20);
  return policy;
}

std::size_t tokens_of(std::vector<sk::Entry> const& entries, std::size_t from) {
  std::size_t tokens = 0;
  for (std::size_t i = from; i < entries.size(); ++i)
    if (auto const* message = entries[i].as<sk::Message>()) tokens += sk::estimate_tokens(*message);
  return tokens;
}

}

TEST_CASE(
    "any log cut by any policy: no call is separated from its result, the rest is valid and not empty") {
  std::size_t plans = 0, split = 0, reread = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    Random random(seed * 7919);
    sk::Context const before = ContextMaker(seed).make().context;
    sk::CompactionPolicy const policy = random_policy(random);
    auto const plan = sk::plan_compaction(before, policy, random_reason(random));
    if (!plan) continue;
    ++plans;
    std::string const first_kept = plan->first_kept.str();
    CAPTURE(first_kept);
    split += plan->turn_prefix != 0;
    bool const keeps_nothing = policy.keep.by == sk::KeepRule::turns && policy.keep.count == 0;
    REQUIRE((plan->kept > 0) == !keeps_nothing);
    REQUIRE(plan->summarized + plan->turn_prefix > 0);
    REQUIRE_FALSE(plan->conversations.empty());
    sk::Target const target = random_provider(random);
    sk::History const old = sk::HistoryRebuilder(target).rebuild(before);
    sk::Context const after = applied(before, *plan, "in short");
    sk::History const cut = sk::HistoryRebuilder(target).rebuild(after);
    check_valid(cut, target);
    bool const same =
        includes(exchanges(old), exchanges(cut)) && includes(orphans(old, true), orphans(cut, false));
    CHECK((same || is_ambiguous(before)));
    reread += !same;
  }
  CHECK(plans > logs / 4);
  CHECK(split > logs / 50);
  CHECK(reread < plans / 100);
  WARN(plans << " of " << logs << " logs were cut, " << split << " inside a turn; " << reread
             << " with ids used again read a stray result in another way");
}

TEST_CASE("any chain of policies leaves a history that is valid and not empty, and budgets hold") {
  std::size_t shortened = 0;
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    Random random(seed * 104729);
    sk::Context const context = ContextMaker(seed).make().context;
    sk::Target target = random_provider(random);
    sk::History const whole = sk::HistoryRebuilder(target).rebuild(context);
    if (whole.messages.empty()) continue;
    std::size_t const budget = random.below(300);
    for (std::size_t i = random.below(3); i > 0; --i)
      target.policies.push_back(random_history_policy(random));
    target.policies.push_back(sk::TokenLimit{budget});
    sk::History const history = sk::HistoryRebuilder(target).rebuild(context);
    check_valid(history, target);
    REQUIRE(history.messages.size() == history.sources.size());
    shortened += history.messages.size() != whole.messages.size();
    std::size_t tokens = 0, newest = 0;
    for (std::size_t i = history.messages.size(); i-- > 0;) {
      tokens += sk::estimate_tokens(history.messages[i]);
      if (newest == 0 && history.messages[i].role == sk::Role::user) newest = tokens;
    }
    if (newest == 0) newest = tokens; // not every provider demands that a user speaks
    CHECK((tokens <= budget || tokens == newest));
  }
  CHECK(shortened > logs / 4);
}

TEST_CASE("a compaction keeps the turns of its rule where that leaves room, else at most half of the limit "
          "whenever "
          "the newest turn fits it") {
  std::size_t held = 0, by_rule = 0;
  for (std::uint64_t seed = 1; seed <= logs / 10; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    HonestLog const stored = HonestHost(seed).run();
    sk::Context const log = sk::load_context(*stored.store, stored.id).value();
    sk::CompactionPolicy policy = random_policy(random);
    policy.trigger_tokens = 10 + random.below(80);
    auto const plan = sk::plan_compaction(log, policy, sk::CompactionReason::manual);
    std::size_t newest = log.entries.size();
    while (newest > 0) {
      auto const* message = log.entries[--newest].as<sk::Message>();
      if (message && message->role == sk::Role::user) break;
    }
    std::size_t const half = policy.trigger_tokens / 2;
    if (!plan || tokens_of(log.entries, newest) > half) continue;
    std::size_t first = 0;
    while (first < log.entries.size() && log.entries[first].id != plan->first_kept) ++first;
    bool const as_the_rule = policy.keep.by == sk::KeepRule::turns && !plan->keeps_less;
    std::size_t const saved = policy.trigger_tokens * policy.min_saved_percent / 100;
    CHECK(tokens_of(log.entries, first)
          <= (as_the_rule ? std::max(half, policy.trigger_tokens - saved) : half));
    ++held;
    by_rule += tokens_of(log.entries, first) > half;
  }
  CHECK(held > logs / 50);
  CHECK(by_rule > 0);
}

TEST_CASE("compactions of stored logs leave every byte before them unchanged") {
  std::size_t compactions = 0;
  for (std::uint64_t seed = 1; seed <= logs / 20; ++seed) {
    CAPTURE(seed);
    Random random(seed * 31);
    auto store = sk::make_memory_store();
    auto session = sk::Session::create(store).value();
    auto const lines = [&] {
      std::vector<std::string> all;
      sk::ReadRange range;
      range.max_records = 10000;
      auto const page = store->read(session.id(), range).value();
      for (auto const& item : page.items()) all.emplace_back(item.line);
      return all;
    };
    auto summarizer = sk::make_summarizer(
        [](sk::SummaryRequest const&) -> sk::Result<std::string> { return std::string("s"); });
    for (int round = 0; round < 3; ++round) {
      for (auto& entry : ContextMaker(seed * 3 + static_cast<std::uint64_t>(round)).make().context.entries) {
        auto const* message = entry.as<sk::Message>();
        auto const stored = message ? session.append(*message) : session.append_entry(entry.body);
        static_cast<void>(stored); // data that native lines cannot represent is refused
      }
      std::vector<std::string> const before = lines();
      auto const outcome = session.compact(summarizer, random_policy(random), random_reason(random));
      REQUIRE(outcome.ok());
      std::vector<std::string> const after = lines();
      REQUIRE(after.size() >= before.size());
      REQUIRE(std::equal(before.begin(), before.end(), after.begin()));
      if (*outcome != sk::CompactionOutcome::applied) continue;
      ++compactions;
      sk::Target const target = random_provider(random);
      check_valid(session.history(target).value(), target);
    }
  }
  CHECK(compactions > logs / 40);
}
