// SPDX-License-Identifier: MIT
#pragma once
#include <common/stores.hpp>

namespace cli {

/// The log of a conversation that an earlier import ended with its state, and that went on since: the lines
/// of `ours`, and those of `theirs` that follow them. A state that `ours` has already does not follow again.
/// Null if `ours` has the log of another conversation.
StorePtr continued_log(sessionkit::SessionStore& theirs, sessionkit::SessionStore& ours,
                       sessionkit::SessionId const& id);

}
