// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>
#include <sessionkit/profile.hpp>

namespace sessionkit { inline namespace v0 {

/// The target whose histories are those of the profile's program: what it makes of unanswered messages of the
/// user, its estimator, what it writes before summaries, and `faithful` where it regroups what it stored and
/// no more. Provider, model and system prompt are
/// the caller's to add.
SESSIONKIT_API Target target_of(Profile const& profile);

/// The context without what the profile's program would not have stored for the model: the tool traffic,
/// unless its `ToolPolicy` is `full`.
SESSIONKIT_API Context view_of(Profile const& profile, Context context);

}}
