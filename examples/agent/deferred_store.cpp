// SPDX-License-Identifier: MIT
#include "deferred_store.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/memory_store.hpp>

#include <utility>
#include <vector>

namespace agent {

namespace sk = sessionkit;
using Guard = std::lock_guard<std::mutex>;

namespace {

/// Adds the rows of all sessions that the query selects, but those in `but`.
sk::Result<void> add_rows(sk::SessionStore& store, sk::ListQuery const& query,
                          std::set<sk::SessionId> const& but, std::vector<sk::SessionInfo>& rows) {
  auto all = sk::list_all(store, query);
  if (!all) return all.error();
  for (auto& info : *all)
    if (but.count(info.id) == 0) rows.push_back(std::move(info));
  return {};
}

}

DeferredStore::DeferredStore(std::shared_ptr<sk::SessionStore> behind)
    : SessionStore(behind->profile()),
      behind_(std::move(behind)),
      memory_(sk::make_memory_store(behind_->profile())) {}

// Positions of a session are those of the copy in memory from the first call on.
sk::Result<void> DeferredStore::load(sk::SessionId const& id) {
  if (memory_->info(id)) return {};
  auto const copied = sk::copy_session(*behind_, *memory_, id);
  if (!copied && copied.error().code != sk::Errc::not_found) return copied.error();
  return {};
}

sk::Result<sk::Position> DeferredStore::append(sk::SessionId const& id, sk::Append const& batch) {
  if (!batch.unless_active.empty() && batch.expected == sk::Position{}) {
    auto const active = list(sk::active_query(batch.unless_active));
    if (!active) return active.error();
    if (!active->sessions.empty() && active->sessions.front().id != id)
      return sk::Error{sk::Errc::conflict, 0,
                       "the key has the session " + active->sessions.front().id.str() + "; open that one"};
  }
  Guard const lock(mutex_);
  if (auto const loaded = load(id); !loaded) return loaded.error();
  auto end = memory_->append(id, batch);
  if (end && !batch.records.empty()) changed_.insert(id);
  return end;
}

sk::Result<sk::RecordPage> DeferredStore::read(sk::SessionId const& id, sk::ReadRange const& range) {
  Guard const lock(mutex_);
  if (auto const loaded = load(id); !loaded) return loaded.error();
  return memory_->read(id, range);
}

sk::Result<sk::SessionInfo> DeferredStore::info(sk::SessionId const& id) {
  Guard const lock(mutex_);
  if (auto const loaded = load(id); !loaded) return loaded.error();
  return memory_->info(id);
}

sk::Result<sk::SessionPage> DeferredStore::list(sk::ListQuery const& query) {
  std::vector<sk::SessionInfo> rows;
  {
    Guard const lock(mutex_);
    if (auto const read = add_rows(*behind_, query, changed_, rows); !read) return read.error();
    for (auto const& id : changed_)
      if (auto info = memory_->info(id); info && sk::selects(query, *info)) rows.push_back(*std::move(info));
  }
  return sk::page_of(std::move(rows), query);
}

sk::Result<void> DeferredStore::remove(sk::SessionId const& id) {
  return remove_from_both(id, &sk::SessionStore::remove);
}
sk::Result<void> DeferredStore::remove_permanently(sk::SessionId const& id) {
  return remove_from_both(id, &sk::SessionStore::remove_permanently);
}

sk::Result<void> DeferredStore::remove_from_both(sk::SessionId const& id, Remove from_one) {
  Guard const lock(mutex_);
  bool const unsaved = memory_->remove(id).ok() && changed_.erase(id) != 0;
  auto removed = ((*behind_).*from_one)(id);
  if (!removed && removed.error().code == sk::Errc::not_found && unsaved) return {};
  return removed;
}

sk::Result<void> DeferredStore::save() {
  Guard const lock(mutex_);
  sk::Result<void> first;
  for (auto each = changed_.begin(); each != changed_.end();) {
    auto const saved = save(*each);
    if (!saved && first) first = saved.error();
    each = saved ? changed_.erase(each) : std::next(each);
  }
  return first;
}

sk::Result<void> DeferredStore::save(sk::SessionId const& id) {
  auto const copied = sk::copy_session(*memory_, *behind_, id);
  if (!copied) return copied.error();
  if (copied->after == sk::CopyState::same) return {};
  return sk::Error{sk::Errc::conflict, 0,
                   "another program changed session " + id.str()
                       + ", so what was said here is not stored; begin a new session"};
}

}
