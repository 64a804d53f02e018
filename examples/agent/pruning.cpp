// SPDX-License-Identifier: MIT
#include "pruning.hpp"

#include <sessionkit/time.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

sk::RetentionPolicy policy_of(PruneRule const& rule,
                              std::function<bool(sk::SessionInfo const&)> const& counts,
                              IfUnused const& if_unused) {
  sk::RetentionPolicy policy;
  policy.idle = std::chrono::hours(24) * rule.idle_days;
  policy.max_sessions = rule.max_sessions;
  // Without a time the file may be no session.
  policy.is_excluded = [counts](sk::SessionInfo const& info) {
    return info.updated == sk::Timestamp{} || !counts(info);
  };
  policy.is_protected = [if_unused](sk::SessionInfo const& info) { return !if_unused(info.id, [] {}); };
  return policy;
}

}

sk::Result<void> prune(sk::SessionStore& store, PruneRule const& rule,
                       std::function<bool(sk::SessionInfo const&)> const& counts, IfUnused const& if_unused,
                       std::function<void(sk::Removal const&)> const& removed,
                       std::function<void(sk::RetentionOutcome::Failed const&)> const& failed) {
  if (!rule.removes()) return {};
  auto const plan = sk::plan_retention(store, policy_of(rule, counts, if_unused), sk::system_now());
  if (!plan) return plan.error();
  std::optional<sk::Error> unreported;
  for (auto const& removal : plan->removals) {
    sk::RetentionOutcome done;
    if_unused(removal.id, [&] { done = sk::apply_retention(store, {{removal}, 0}); });
    if (!done.removed.empty()) removed(removal);
    if (done.failed.empty()) continue;
    if (failed)
      failed(done.failed.front());
    else if (!unreported)
      unreported = std::move(done.failed.front().error);
  }
  if (unreported) return *std::move(unreported);
  return {};
}

}
