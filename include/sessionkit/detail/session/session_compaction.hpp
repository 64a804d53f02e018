// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/session/pending_messages.hpp>
#include <sessionkit/detail/session/session_tail.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Whether the session can store this plan's compaction now. `seen`: the session's current context.
Result<void> check_compaction(CompactionPlan const& plan, Context const& seen, SessionTail const& tail,
                              PendingMessages const& pending, Profile const& profile);

/// A compaction as a dialect without ids stores it: in one batch, followed by the lines that it keeps.
/// `stored`: the context without pending messages.
Result<std::vector<EntryBody>> with_kept(SessionTail const& tail, Compaction compaction,
                                         Context const& stored);

}}}
