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
  EntryId leaf = {};               ///< the last of them, or the entry before them
  Position end = {};               ///< the end of the log when the leaf was read
  std::string_view dialect = "native";
};

/// Reads the entries that were appended since, up to the leaf of the tail. If there are none, only the last
/// line of the log is read. False if one of the entries does not follow the one before it, if there is
/// damage, or if the log was replaced; then the entries may be incomplete.
bool read_on(RecentEntries& recent, SessionTail const& tail);

}}}
