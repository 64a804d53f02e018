// SPDX-License-Identifier: MIT
#include "branches.hpp"

#include <set>

namespace chat_host {

namespace sk = sessionkit;

bool is_shown(sk::Entry const& entry) {
  return entry.as<sk::Message>() != nullptr || entry.as<sk::Compaction>() != nullptr;
}

Branches::Branches(sk::Log const& log) {
  std::set<sk::EntryId> shown;
  sk::EntryId previous;
  for (auto const& entry : log.entries) {
    if (entry.as<sk::Header>() != nullptr) continue;
    auto parent = entry.link == sk::Parent::entry ? entry.parent : sk::EntryId();
    // The library takes the entry before where the parent is missing.
    if (entry.link == sk::Parent::previous || (!parent.empty() && places_.count(parent) == 0))
      parent = previous;
    auto const above = places_.find(parent);
    bool const at_begin = above == places_.end();
    auto const before = at_begin ? sk::EntryId() : shown.count(parent) != 0 ? parent : above->second.before;
    places_[entry.id] = {parent, before};
    order_.push_back(entry.id);
    previous = entry.id;
    if (!is_shown(entry)) continue;
    shown.insert(entry.id);
    said_after_[before].push_back(entry.id);
  }
}

std::vector<sk::EntryId> Branches::beside(sk::EntryId const& entry) const {
  auto const place = places_.find(entry);
  if (place == places_.end()) return {};
  auto const all = said_after_.find(place->second.before);
  if (all == said_after_.end() || all->second.size() < 2) return {};
  return all->second;
}

sk::EntryId Branches::before(sk::EntryId const& entry) const {
  auto const place = places_.find(entry);
  return place == places_.end() ? sk::EntryId() : place->second.before;
}

sk::EntryId Branches::newest_end(sk::EntryId const& entry) const {
  std::set<sk::EntryId> below;
  sk::EntryId end;
  for (auto const& id : order_) {
    if (id != entry && below.count(places_.at(id).parent) == 0) continue;
    below.insert(id);
    end = id;
  }
  return end;
}

}
