// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/profile.hpp>

namespace sessionkit { inline namespace v0 {

/// The target whose histories are those of the profile's program. It has the program's rule for consecutive
/// messages of the user, its estimator and its text before summaries. Its mode is `faithful` if the program
/// only regroups what it stored. The caller adds provider, model and system prompt.
SESSIONKIT_API Target target_of(Profile const& profile);

/// The context without the calls and results that the profile's program would not store, if its `ToolPolicy`
/// is not `full`.
SESSIONKIT_API Context view_of(Profile const& profile, Context context);

}}
