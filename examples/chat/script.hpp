// SPDX-License-Identifier: MIT
#pragma once
#include "chat.hpp"

namespace chat {

/// The first half of the program's own demonstration: a conversation with a tool call.
void play_beginning(Options const& options);

/// The second half, played by another process: it restores and continues the conversation, then continues one
/// that pi began.
void play_continuation(Options const& options);

}
