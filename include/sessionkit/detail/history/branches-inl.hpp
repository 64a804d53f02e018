// SPDX-License-Identifier: MIT
// Finds what was said in the same place of a conversation.
#pragma once
#include <sessionkit/branches.hpp>

#include <set>

namespace sessionkit { inline namespace v0 {

SESSIONKIT_SELDOM Branches::Branches(Log const& log) {
  std::vector<std::size_t> const parents = parents_of(log.entries);
  for (std::size_t i = 0; i < log.entries.size(); ++i) {
    Entry const& entry = log.entries[i];
    if (entry.as<Header>() != nullptr || entry.id.empty() || places_.count(entry.id) > 0) continue;
    EntryId const parent = parents[i] == no_parent ? EntryId() : log.entries[parents[i]].id;
    auto const above = places_.find(parent);
    EntryId before;
    if (above != places_.end()) before = above->second.counts ? parent : above->second.before;
    bool const counts = entry.as<Message>() != nullptr || entry.as<Compaction>() != nullptr;
    places_[entry.id] = {parent, before, counts};
    order_.push_back(entry.id);
    if (counts) said_after_[before].push_back(entry.id);
  }
}

SESSIONKIT_SELDOM std::vector<EntryId> Branches::beside(EntryId const& entry) const {
  auto const place = places_.find(entry);
  if (place == places_.end() || !place->second.counts) return {};
  std::vector<EntryId> const& all = said_after_.at(place->second.before);
  return all.size() > 1 ? all : std::vector<EntryId>{};
}

SESSIONKIT_SELDOM EntryId Branches::before(EntryId const& entry) const {
  auto const place = places_.find(entry);
  return place == places_.end() ? EntryId() : place->second.before;
}

SESSIONKIT_SELDOM EntryId Branches::newest_end(EntryId const& entry) const {
  std::set<EntryId> below;
  EntryId end;
  for (EntryId const& id : order_) {
    if (id != entry && below.count(places_.at(id).parent) == 0) continue;
    below.insert(id);
    end = id;
  }
  return end;
}

}}
