// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <functional>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Shortens a valid history: how many of its leading messages to leave out. A pure function; the rebuilder
/// moves the cut outwards to the start of a turn, so that a call never parts from its result and the newest
/// turn stays.
using HistoryPolicy = std::function<std::size_t(std::vector<Message> const&)>;

/// Keep the last `n` turns; a turn begins with a message of the user that is not only tool results.
SESSIONKIT_API HistoryPolicy turn_limit(std::size_t n);
/// Keep the last `n` messages.
SESSIONKIT_API HistoryPolicy message_limit(std::size_t n);

}}
