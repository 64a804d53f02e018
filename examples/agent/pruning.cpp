// SPDX-License-Identifier: MIT
#include "pruning.hpp"

#include <sessionkit/time.hpp>

#include <chrono>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

sk::RetentionPolicy policy_of(PruneRule const& rule,
                              std::function<bool(sk::SessionInfo const&)> const& counts) {
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::hours(24) * rule.idle_days;
  policy.max_sessions = rule.max_sessions;
  // Without a time the file may be no session.
  policy.is_excluded = [counts](sk::SessionInfo const& info) {
    return info.updated == sk::Timestamp{} || !counts(info);
  };
  return policy;
}

}

sk::Result<void> prune(sk::SessionStore& store, PruneRule const& rule,
                       std::function<bool(sk::SessionInfo const&)> const& counts, IfUnused const& if_unused,
                       std::function<void(sk::Removal const&)> const& removed) {
  if (!rule.removes()) return {};
  auto const plan = sk::plan_retention(store, policy_of(rule, counts), sk::system_now());
  if (!plan) return plan.error();
  for (auto const& removal : plan->removals) {
    sk::RetentionOutcome done;
    bool const unused = if_unused(removal.id, [&] { done = sk::apply_retention(store, {{removal}, 0}); });
    if (!unused) continue;
    if (!done.failed.empty()) return std::move(done.failed.front().error);
    if (!done.removed.empty()) removed(removal);
  }
  return {};
}

}
