// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/file_store/store_index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::uint64_t small_snapshot = std::uint64_t{256} << 10; // bytes: written for nothing
constexpr std::uint64_t close_share = 8; // a journal of this part of the snapshot is worth writing that anew
constexpr int rebuild_share = 100; // trying to write a rebuilt index takes one part of the time in so many

}

void StoreIndex::load() {
  auto const is_loaded = [this] {
    std::lock_guard<std::mutex> const lock(mutex_);
    return loaded_;
  };
  if (is_loaded()) return; // and waits for no thread that writes
  std::lock_guard<std::mutex> const writing(writing_);
  if (is_loaded()) return;
  IndexUpdate news;
  news.whole = true;
  if (shared())
    news.state = file_.load(news.index);
  else
    news = journal_.look();
  apply(std::move(news));
  std::lock_guard<std::mutex> const lock(mutex_);
  loaded_ = true;
}

// Rows that other processes wrote. One thread at a time is enough: what it finds serves all.
void StoreIndex::catch_up() {
  load();
  if (shared()) return;
  std::unique_lock<std::mutex> const writing(writing_, std::try_to_lock);
  if (writing) apply(journal_.look());
}

void StoreIndex::apply(IndexUpdate news) {
  std::lock_guard<std::mutex> const lock(mutex_);
  std::string why = std::move(news.doubt);
  if (news.whole && news.state == IndexFile::unavailable) why = file_.path() + " could not be read";
  if (news.whole && news.state == IndexFile::unreadable)
    why = file_.path() + " is no index that could be read and is moved aside";
  if (news.whole && news.state == IndexFile::missing && !new_) why = file_.path() + " was missing";
  if (news.whole && news.state == IndexFile::good) new_ = false;
  if (rebuild_.empty()) rebuild_ = std::move(why);
  for (IndexChange& change : news.changes) apply_change(std::move(change));
  if (!news.whole) return;
  IndexNews const ours{touched_, removed_, !rebuild_.empty() || new_, by_key()};
  rows_.assign(merge_index(rows_.take(), std::move(news.index), ours));
  for (auto const& [name, row] : rows_.index().rows) folder_->learn(row.info.id, row.file);
  for (auto known = known_.begin(); known != known_.end();) { // of a row that said less than this one does
    std::optional<Position> const end = rows_.end_of(known->first);
    known = end && end->value() > known->second.seen.size ? known_.erase(known) : std::next(known);
  }
  swept_.settled = false; // rows came of which nobody knows whether their transcripts are there
}

void StoreIndex::apply_change(IndexChange change) {
  if (!change.row) {
    if (touched_.count(change.name) > 0) return;
    rows_.erase(change.name);
    known_.erase(change.name);
    swept_.settled = false; // somebody may have made it again before this was written
    return;
  }
  IndexRow const* const ours = rows_.find(change.name);
  if (ours != nullptr && change.row->info.end < ours->info.end) { // older than ours, or of a log made anew
    known_.erase(change.name);
    stale_.insert(change.name);
    return;
  }
  bool const fresh = ours == nullptr;
  SessionId const id = change.row->info.id;
  rows_.change(id, [&](IndexRow& row) { row = std::move(*change.row); });
  known_.erase(change.name);
  if (fresh) swept_.settled = false;
}

bool StoreIndex::is_rebuilding() {
  std::lock_guard<std::mutex> const lock(mutex_);
  return !rebuild_.empty();
}

// The index is a cache: that it could not be written now changes no answer.
void StoreIndex::end_of_turn() {
  std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
  if (!turn && !shared()) return; // another thread is at it; ours waits for the next turn
  if (!turn) turn.lock();
  (void)(shared() ? write_whole(index_patience) : update(index_patience));
  turn.unlock();
  tell();
}

void StoreIndex::close() {
  bool touched = false;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    touched = !touched_.empty();
  }
  if (touched) load();
  bool const small = journal_.snapshot_bytes() <= small_snapshot;
  if (touched) (void)(shared() || small ? write_whole(index_patience) : update(index_patience));
  std::uint64_t const journal = journal_.written();
  if (journal > 0
      && (journal_.snapshot_bytes() <= small_snapshot
          || journal_.bytes() * close_share >= journal_.snapshot_bytes()))
    (void)write_whole(index_patience);
  tell();
}

// One small write, whatever the number of sessions.
Result<void> StoreIndex::update(std::chrono::milliseconds lock_wait) {
  load();
  (void)prepare({});
  std::set<std::string> touched, removed;
  Result<void> written;
  bool outgrown = false;
  {
    std::lock_guard<std::mutex> const writing(writing_);
    auto const make = [&](IndexUpdate news) {
      apply(std::move(news));
      std::lock_guard<std::mutex> const lock(mutex_);
      std::string lines;
      if (!rebuild_.empty() || !journal_.may_append()) return lines;
      touched.swap(touched_);
      removed.swap(removed_);
      for (std::string const& name : removed) append_journal_line(name, nullptr, lines);
      for (std::string const& name : touched)
        if (IndexRow* const row = rows_.find(name); row != nullptr && removed.count(name) == 0)
          append_journal_line(name, row, lines);
      return lines;
    };
    written = journal_.append(make, lock_wait);
    outgrown = journal_.bytes() > std::max(small_snapshot, journal_.snapshot_bytes());
  }
  give_back(touched, removed, written.ok());
  if (!written && written.error().code == Errc::timed_out) return written;
  if (is_rebuilding()) return write_rebuilt(lock_wait);
  return !written || outgrown ? write_whole(lock_wait) : written;
}

// All rows are compared for it: where the index cannot be written, that is not done at each turn.
Result<void> StoreIndex::write_rebuilt(std::chrono::milliseconds lock_wait) {
  auto const began = ops_->now();
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (began < next_rebuild_) return {};
  }
  Result<void> written = write_whole(lock_wait);
  std::lock_guard<std::mutex> const lock(mutex_);
  next_rebuild_ = ops_->now() + rebuild_share * (ops_->now() - began);
  return written;
}

void StoreIndex::give_back(std::set<std::string> const& touched, std::set<std::string> const& removed,
                           bool written) {
  std::lock_guard<std::mutex> const lock(mutex_);
  if (!written) {
    touched_.insert(touched.begin(), touched.end());
    removed_.insert(removed.begin(), removed.end());
    return;
  }
  for (std::string const& name : touched)
    if (IndexRow* const row = rows_.find(name)) row->titled = false;
}

Result<void> StoreIndex::write_whole(std::chrono::milliseconds lock_wait) {
  load();
  std::string rebuild;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    rebuild = rebuild_;
  }
  Result<Compared> const rebuilt = prepare(rebuild);
  if (!rebuilt) return rebuilt.error();
  Result<void> replaced = replace(rebuild, lock_wait);
  if (!rebuild.empty()) note_rebuilt(rebuild, *rebuilt, replaced);
  return replaced;
}

// Makes the rows that are about to be written true. Answers which were compared with their transcripts.
Result<StoreIndex::Compared> StoreIndex::prepare(std::string const& rebuild) {
  keep_remade();
  std::set<std::string> stale;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::set_intersection(touched_.begin(), touched_.end(), stale_.begin(), stale_.end(),
                          std::inserter(stale, stale.end()));
    if (shared()) stale = touched_;
  }
  Compared compared;
  if (rebuild.empty() && !by_key()) {
    for (std::string const& name : stale)
      if (auto const id = SessionId::parse(name))
        if (auto const row = refresh(*id, false); !row && row.error().code == Errc::not_found) drop(*id);
    return compared;
  }
  Result<std::vector<SessionId>> const ids = folder_->list(); // the newest of each key is told
  if (!ids) return ids.error();
  auto const count = [&compared](auto const& read) {
    if (read)
      ++compared.rows;
    else if (read.error().code != Errc::not_found && compared.unread++ == 0)
      compared.why_unread = read.error().message;
  };
  for (SessionId const& id : *ids) {
    bool const known = has_row(id);
    if (!rebuild.empty() && known && !shared())
      count(look(id, true));
    else if (!rebuild.empty() || stale.count(id.str()) > 0 || !known)
      count(refresh(id, false));
  }
  if (by_key() || !shared()) drop_vanished(*ids);
  return compared;
}

Result<void> StoreIndex::replace(std::string const& rebuild, std::chrono::milliseconds lock_wait) {
  std::set<std::string> touched, removed;
  Result<void> replaced;
  {
    std::lock_guard<std::mutex> const writing(writing_);
    auto const make = [&](bool changed, SessionIndex disk) {
      if (!shared()) apply(journal_.look()); // with what others wrote there since
      std::lock_guard<std::mutex> const lock(mutex_);
      std::string text = merged(changed && shared(), std::move(disk));
      touched.swap(touched_);
      removed.swap(removed_);
      if (rebuild_ == rebuild) rebuild_.clear(); // else a reason came that nobody has acted on
      new_ = false;
      return text;
    };
    auto const done = [&] {
      if (!shared()) journal_.restart();
    };
    replaced = file_.replace(make, lock_wait, done);
  }
  give_back(touched, removed, replaced.ok());
  std::lock_guard<std::mutex> const lock(mutex_);
  if (!replaced && rebuild_.empty()) rebuild_ = rebuild;
  return replaced;
}

// A transcript that somebody took away takes its row along.
void StoreIndex::drop(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(mutex_);
  rows_.erase(id.str());
  known_.erase(id.str());
  stale_.erase(id.str());
  removed_.insert(id.str());
}

// What we removed and could not say so yet, somebody may have made again.
void StoreIndex::keep_remade() {
  std::set<std::string> removed;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    removed = removed_;
  }
  for (std::string const& name : removed) {
    auto const id = SessionId::parse(name);
    FileStatus ignored;
    if (!id || ops_->status_at(folder_->directory(), folder_->file_of(*id).c_str(), ignored) < 0) continue;
    std::lock_guard<std::mutex> const lock(mutex_);
    removed_.erase(name);
    touched_.insert(name);
    stale_.insert(name);
  }
}

void StoreIndex::drop_vanished(std::vector<SessionId> const& there) {
  std::unordered_set<std::string_view> names;
  for (SessionId const& id : there) names.insert(id.str());
  std::vector<SessionId> gone;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::vector<std::string> missing;
    rows_.each_name([&](std::string_view name) {
      if (names.count(name) == 0) missing.emplace_back(name);
    });
    for (std::string const& name : missing)
      if (IndexRow const& row = *rows_.find(name); row.raw.empty() && (by_key() || touched_.count(name) == 0))
        gone.push_back(row.info.id);
  }
  for (SessionId const& id : gone) drop(id);
}

void StoreIndex::note_rebuilt(std::string const& why, Compared const& compared, Result<void> const& written) {
  std::string unread, kept;
  if (compared.unread > 0)
    unread = fmt::format("; {} could not be read: {}", compared.unread, compared.why_unread);
  std::lock_guard<std::mutex> const lock(mutex_);
  if (!written) {
    if (written.error().code == Errc::timed_out || std::exchange(told_unwritten_, true)) return;
    kept = "; kept in memory, as it cannot be written: " + written.error().message;
  }
  events_.push_back(
      Event{Event::index_rebuilt,
            {},
            fmt::format("{}; rebuilt from {} transcripts{}{}", why, compared.rows, unread, kept)});
}

void StoreIndex::tell() {
  std::vector<Event> events;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    events.swap(events_);
  }
  if (options_->on_event)
    for (Event const& event : events) options_->on_event(event);
}

std::string StoreIndex::merged(bool changed, SessionIndex disk) {
  if (changed) {
    IndexNews const news{touched_, removed_, !rebuild_.empty(), by_key()};
    rows_.assign(merge_index(rows_.take(), std::move(disk), news));
    for (auto const& [name, row] : rows_.index().rows) folder_->learn(row.info.id, row.file);
  }
  std::string text = index_codec(profile_.layout).write(rows_.index());
  if (!shared()) seal_index(text);
  return text;
}

Result<std::size_t> StoreIndex::reindex(StoreProgress const& progress) {
  load();
  Result<std::vector<SessionId>> const ids = folder_->list();
  if (!ids) return ids.error();
  std::set<SessionId> there;
  std::size_t done = 0;
  for (SessionId const& id : *ids) {
    if (progress) progress(done++, ids->size());
    auto const row = refresh(id, true);
    if (row || row.error().code != Errc::not_found) there.insert(id); // unread: it stays as it was
  }
  std::vector<SessionId> gone;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    rows_.each_name([&](std::string_view name) {
      if (auto id = SessionId::parse(name); id && there.count(*id) == 0) gone.push_back(std::move(*id));
    });
  }
  for (SessionId const& id : gone) drop(id);
  if (progress) progress(done, done);
  Result<void> const written = write_whole(options_->lock_wait);
  tell();
  if (!written) return written.error();
  return there.size();
}

}}}
