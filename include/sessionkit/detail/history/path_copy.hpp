// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/dialects/encoded_entries.hpp>
#include <sessionkit/session_store.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Copies the entries from the first one to `leaf`, line for line. A line that does not name the entry before
/// it (in pi's version 1, or after damage) is encoded again, so that the copy is one path.
Result<Batch> copy_path(SessionStore& store, SessionId const& id, EntryId const& leaf);

}}}
