// SPDX-License-Identifier: MIT
// Finds what was said in the same place of a conversation.
#pragma once
#include <sessionkit/branches.hpp>

#include <algorithm>
#include <set>

namespace sessionkit { inline namespace v0 {

namespace branches_inl { namespace {

bool is_seen(Entry const& entry) {
  return entry.as<Message>() != nullptr || entry.as<Compaction>() != nullptr;
}

}}

SESSIONKIT_SELDOM Branches::Branches(Log const& log) {
  std::set<EntryId> seen;
  EntryId previous;
  for (Entry const& entry : log.entries) {
    if (entry.as<Header>() != nullptr || entry.id.empty()) continue;
    EntryId parent = entry.link == Parent::entry ? entry.parent : EntryId();
    bool const lost = !parent.empty() && places_.count(parent) == 0; // then readers take the entry before
    if (entry.link == Parent::previous || lost) parent = previous;
    auto const above = places_.find(parent);
    EntryId before;
    if (above != places_.end()) before = seen.count(parent) != 0 ? parent : above->second.before;
    places_[entry.id] = {parent, before};
    order_.push_back(entry.id);
    previous = entry.id;
    if (!branches_inl::is_seen(entry)) continue;
    seen.insert(entry.id);
    said_after_[before].push_back(entry.id);
  }
}

SESSIONKIT_SELDOM std::vector<EntryId> Branches::beside(EntryId const& entry) const {
  auto const place = places_.find(entry);
  if (place == places_.end()) return {};
  auto const found = said_after_.find(place->second.before);
  if (found == said_after_.end()) return {};
  std::vector<EntryId> const& all = found->second;
  bool const is_seen = std::find(all.begin(), all.end(), entry) != all.end();
  return is_seen && all.size() > 1 ? all : std::vector<EntryId>{};
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
