// SPDX-License-Identifier: MIT
// Reads the entries that were appended to a path since it was read last.
#pragma once
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/session/recent_entries.hpp>
#include <sessionkit/dialect.hpp>

#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

bool read_on(RecentEntries& recent, SessionTail const& tail) {
  if (recent.leaf == tail.leaf()) {
    Result<bool> const ours = tail.still_ours();
    return ours && *ours;
  }
  bool const has_ids = tail.dialect().has_ids;
  bool follows = true;
  Result<WalkResult> const walked = for_each_record(
      *tail.store(), tail.id(), recent.end, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> entry = decode(page, item);
        follows = entry && !entry->as<Header>() && page.dialect == recent.dialect
                  && (has_ids ? item.link == Parent::entry && item.parent == recent.leaf.str()
                              : item.link == Parent::previous);
        if (!follows) return false;
        recent.entries.push_back(std::move(*entry));
        recent.leaf = EntryId(std::string(item.id));
        recent.end = item.end;
        return item.end < tail.end();
      });
  return follows && walked && walked->damage.empty() && recent.leaf == tail.leaf();
}

}}}
