// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

namespace cli {

/// True for an entry that an importer made of what the other program added by itself: instructions, notes,
/// settings. The hosts' own entries are never hidden.
bool is_hidden(sessionkit::Entry const& entry);

}
