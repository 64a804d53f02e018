// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/profile.hpp>

namespace sessionkit { inline namespace v0 {

/// Returns a target whose histories are like those of the profile's program. The target has the program's
/// rule for consecutive messages of the user, its estimator and its text before summaries. The mode is
/// `faithful` if `Profile::regroups_only` is true. The caller adds provider, model and system prompt.
SESSIONKIT_API Target target_of(Profile const& profile);

/// Removes from the context the calls and results that the profile's program would not store, and returns the
/// context. Nothing is removed if the profile's `ToolPolicy` is `full`.
SESSIONKIT_API Context view_of(Profile const& profile, Context context);

}}
