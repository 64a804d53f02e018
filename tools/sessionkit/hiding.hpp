// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

namespace cli {

/// True for an entry that nobody said: one that an importer made of what the other program added by itself
/// (instructions, notes, settings), and the mark with which `rewind` or a host of ours chooses a branch.
/// Other entries of hosts are never hidden.
bool is_hidden(sessionkit::Entry const& entry);

}
