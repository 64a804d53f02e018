// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/session/pending_messages.hpp>
#include <sessionkit/detail/session/session_tail.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Checks that the session can store this plan's compaction now. `seen` is the session's current context.
Result<void> check_compaction(CompactionPlan const& plan, Context const& seen, SessionTail const& tail,
                              PendingMessages const& pending, Profile const& profile);

/// Returns a compaction in the form in which a dialect without ids stores it: one batch with the compaction,
/// followed by the messages that it keeps. `stored` is the context without pending messages.
Result<std::vector<EntryBody>> with_kept(SessionTail const& tail, Compaction compaction,
                                         Context const& stored);

}}}
