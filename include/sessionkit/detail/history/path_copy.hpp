// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/dialects/encoded_entries.hpp>
#include <sessionkit/session_store.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The entries from the first to `leaf`, line for line. Where a line does not name the entry before it
/// (version 1, a break that damage made) it is encoded again, so that the copy is whole.
Result<Batch> copy_path(SessionStore& store, SessionId const& id, EntryId const& leaf);

}}}
