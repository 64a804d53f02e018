// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/session/session_tail.hpp>
#include <sessionkit/entry.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Entries at the end of a path, and the place at which they end.
struct RecentEntries {
  std::vector<Entry> entries = {}; ///< oldest first
  EntryId leaf = {};               ///< the last entry of the path, also if `entries` is empty
  Position end = {};               ///< the end of the log when the leaf was read
  std::string_view dialect = "native";
};

/// Adds the entries that were appended after `recent` was read, up to the leaf of the tail. If there are
/// none, only the last line of the log is read. Returns false if an entry does not follow the entry before
/// it, if there is damage, or if the log was replaced. In these cases `recent` may be incomplete.
bool read_on(RecentEntries& recent, SessionTail const& tail);

}}}
