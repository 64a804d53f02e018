// SPDX-License-Identifier: MIT
// Makes the context and the target that the program of a profile would use.
#pragma once
#include <sessionkit/detail/session/pending_messages.hpp>
#include <sessionkit/profile_view.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

Target target_of(Profile const& profile) {
  Target target;
  target.mode = profile.regroups_only ? RebuildMode::faithful : RebuildMode::valid;
  target.consecutive_user = profile.consecutive_user;
  target.summary_prefix = profile.compaction.prefix;
  target.wording = profile.wording;
  if (Estimator const* estimator = find_estimator(profile.estimator)) target.estimator = estimator->message;
  return target;
}

Context view_of(Profile const& profile, Context context) {
  std::vector<Entry> kept;
  std::size_t after_compaction = 0;
  for (std::size_t i = 0; i < context.entries.size(); ++i) {
    if (i == context.after_compaction) after_compaction = kept.size();
    Entry& entry = context.entries[i];
    auto const* message = entry.as<Message>();
    if (!message || detail::is_kept(*message, profile.tools)) kept.push_back(std::move(entry));
  }
  if (context.after_compaction >= context.entries.size()) after_compaction = kept.size();
  context.entries = std::move(kept);
  context.after_compaction = after_compaction;
  return context;
}

}}
