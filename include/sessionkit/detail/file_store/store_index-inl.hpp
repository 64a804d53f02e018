// SPDX-License-Identifier: MIT
// Lists the sessions of a store from its index, and keeps the index on the disk for the next process.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/detail/file_store/store_index.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace store_index_inl { namespace {

// How long to wait for the lock of the index: a cache is not worth more of a host's time.
constexpr std::chrono::milliseconds patience{100};
constexpr std::uint64_t close_share = 8; // a journal of this part of the snapshot is worth writing that again
constexpr std::size_t least_renewed = 16; // reading fewer transcripts costs less than writing their versions
constexpr std::int64_t renew_pause_ns = 600'000'000'000; // ten minutes
constexpr int rebuild_share = 100; // trying to write a rebuilt index takes one part of the time in so many

// No other thread ends a turn while this exists.
class TurnEnd {
 public:
  explicit TurnEnd(std::atomic<bool>& ending) noexcept : ending_(&ending) {}
  TurnEnd(TurnEnd const&) = delete;
  TurnEnd& operator=(TurnEnd const&) = delete;
  ~TurnEnd() { *ending_ = false; }

 private:
  std::atomic<bool>* ending_;
};

}}

SESSIONKIT_SELDOM StoreIndex::StoreIndex(FileOps& ops, int directory, std::string const& root,
                                         Profile const& profile, FileStoreOptions const& options,
                                         TranscriptFolder& folder)
    : ops_(&ops),
      directory_(directory),
      root_(root),
      profile_(profile),
      options_(&options),
      folder_(&folder),
      watch_(ops, folder, state_, root, shared(), options),
      files_(ops, directory, root,
             {profile.layout, !shared(), options.durability != Durability::os,
              [&folder] { return folder.count(); }}) {}

Result<void> StoreIndex::begin() {
  if (by_key()) load(); // it knows the names of the files
  if (!files_.is_missing()) return {};
  Result<std::vector<SessionId>> const found = folder_->list();
  if (!found) return found.error();
  Lock const lock(state_.mutex);
  new_ = found->empty();
  if (by_key()) rebuild_ = new_ ? "" : files_.path() + " was missing";
  return {};
}

void StoreIndex::note_append(SessionId const& id, Append const& batch, Position end) {
  std::int64_t const written_ns = ops_->wall_ns();
  Lock const lock(state_.mutex);
  stored_ = true;
  state_.touched.insert(id.str());
  state_.removed.erase(id.str());
  state_.absent.erase(id.str());
  state_.stale.insert(id.str());
  bool const titled = std::any_of(batch.records.begin(), batch.records.end(),
                                  [](RecordView const& record) { return record.type == title_line_type; });
  if (batch.after == nullptr && !titled && !state_.rows.has(id.str())) return;
  state_.rows.change(id, [&](IndexRow& row) {
    row.changed();
    if (titled) row.title.clear(), row.titled = true;
    if (batch.after == nullptr) return; // it folds when it is asked for
    if (end < row.info.end) return;     // it was there already, and more is now
    SessionId const own = row.info.id;
    row.info = *batch.after;
    row.info.id = own;
    row.info.end = end;
    row.info.end_crc = crc32c(batch.records.back().line);
    state_.seen[id.str()] = IndexState::Seen{{}, 0, true, written_ns};
    state_.stale.erase(id.str());
  });
}

void StoreIndex::note_removed(SessionId const& id) {
  Lock const lock(state_.mutex);
  stored_ = true;
  state_.drop(id.str());
  state_.touched.insert(id.str());
}

Result<SessionInfo> StoreIndex::info(SessionId const& id) {
  load();
  if (auto r = watch_.refresh(id, false); !r) return r.error();
  Lock const lock(state_.mutex);
  IndexRow const* const row = state_.rows.find(id.str());
  return row != nullptr ? state_.summary(*row) : Result<SessionInfo>(missing(id));
}

Result<LastRecord> StoreIndex::last_record(SessionId const& id) {
  load();
  if (auto r = watch_.refresh_if_changed(id); !r) return r.error();
  Lock const lock(state_.mutex);
  IndexRow const* const row = state_.rows.find(id.str());
  return row != nullptr ? LastRecord{row->info.end, row->info.end_crc} : Result<LastRecord>(missing(id));
}

// The rows shown are current, also if others appended; their order may be older.
std::vector<SessionInfo> StoreIndex::select_true(ListQuery const& query, RowCheck check) {
  std::optional<ListPlace> const after = parse_list_cursor(query.cursor);
  std::unordered_set<std::string> looked;
  for (;;) {
    std::vector<SessionInfo> matching;
    std::vector<SessionId> unseen;
    {
      Lock const lock(state_.mutex);
      std::vector<IndexRow const*> const rows = state_.select(query, after);
      matching.reserve(rows.size());
      unseen.reserve(rows.size());
      for (IndexRow const* row : rows) {
        if (looked.insert(row->info.id.str()).second) unseen.push_back(row->info.id);
        matching.push_back(state_.summary(*row));
      }
    }
    if (!watch_.look_at(unseen, check)) return matching;
  }
}

// A page of a large store, without the rest of its index. Each row that is looked at must be proved; the next
// list finds what changed in others. The newest session of a key must be right at once, so a query with a key
// gets no such page. Absent: all of the index is needed.
std::optional<SessionPage> StoreIndex::list_newest(ListQuery const& query) {
  if (query.key || query.limit >= NewestRows::most_rows || shared() || loaded_ || listed_.exchange(true))
    return std::nullopt;
  Result<std::optional<ListPlace>> const after = place_behind(query);
  std::unique_lock<std::mutex> const writing(writing_, std::try_to_lock);
  if (!after || !writing || loaded_ || has_stored()) return std::nullopt;
  watch_.begin();
  std::optional<NewestOfIndex> newest = files_.look_at_newest();
  if (!newest || !watch_.has_names_version(newest->names_version)) return std::nullopt;
  std::vector<SessionInfo> matching;
  bool proved = true;
  bool const enough = newest->rows.newest_first(*after, [&](IndexRow const& row) {
    proved = watch_.is_proved(row);
    if (proved && row_selected(query, row)) matching.push_back(row.summary());
    return proved && matching.size() <= query.limit;
  });
  if (!enough || !proved) return std::nullopt;
  return page_of_rows(std::move(matching), query);
}

bool StoreIndex::has_stored() {
  Lock const lock(state_.mutex);
  return stored_;
}

Result<SessionPage> StoreIndex::list(ListQuery const& query) {
  if (std::optional<SessionPage> page = list_newest(query)) return std::move(*page);
  catch_up();
  if (auto r = watch_.sweep(); !r) return r.error();
  if (!why_rebuild().empty() && may_write_unasked()) (void)write_rebuilt(store_index_inl::patience);
  emit_events();
  std::vector<SessionInfo> matching = select_true(query, RowCheck::times);
  if (auto r = check_unread(query); !r) return r.error();
  return page_of(std::move(matching), query);
}

// An unreadable transcript hides no other session. But if it may be the one of this key, "there is none"
// would be a guess that starts a second one.
Result<void> StoreIndex::check_unread(ListQuery const& query) {
  Lock const lock(state_.mutex);
  auto const first = state_.unread.begin();
  if (!query.key || first == state_.unread.end()) return {};
  return detail::make_error(first->second.code, first->second.system,
                            "{} (or move it out of the directory: it may be the session of key '{}')",
                            first->second.message, *query.key);
}

Result<LockedFile> StoreIndex::lock_keys() const {
  return lock_directory(*ops_, directory_, root_, options_->lock_wait);
}

// Reading renews the index of a store of ours; in the directory of another program it changes nothing.
bool StoreIndex::may_write_unasked() const { return !options_->read_only && has_our_lock(*ops_, directory_); }

// Writes no index: the caller holds its lock. A row that says "archived" may be old, so all of the key count.
SESSIONKIT_SELDOM Result<std::optional<SessionInfo>> StoreIndex::active_session(std::string_view key) {
  catch_up();
  watch_.doubt_names();
  if (auto r = watch_.sweep(); !r) return r.error();
  ListQuery query = active_query(key);
  query.archived.reset();
  query.limit = std::numeric_limits<std::size_t>::max();
  std::vector<SessionInfo> const all = select_true(query, RowCheck::content);
  if (auto r = check_unread(query); !r) return r.error();
  auto const active =
      std::find_if(all.begin(), all.end(), [](SessionInfo const& info) { return !info.archived; });
  return active == all.end() ? std::optional<SessionInfo>{} : std::optional<SessionInfo>(*active);
}

void StoreIndex::load() {
  if (loaded_) return; // and waits for no thread that writes
  Lock const writing(writing_);
  if (loaded_) return;
  watch_.begin();
  JournalDelta delta = files_.look();
  names_version_ = delta.names_version;
  apply(std::move(delta));
  watch_.believe_names(names_version_);
  loaded_ = true;
}

// Rows that other processes wrote. One thread at a time is enough: what it finds serves all.
void StoreIndex::catch_up() {
  load();
  std::unique_lock<std::mutex> const writing(writing_, std::try_to_lock);
  if (writing) apply(files_.look());
}

SESSIONKIT_SELDOM void StoreIndex::apply(JournalDelta delta) {
  Lock const lock(state_.mutex);
  std::string why = std::move(delta.doubt);
  if (delta.whole && delta.state == JournalDelta::unavailable) why = files_.path() + " could not be read";
  if (delta.whole && delta.state == JournalDelta::unreadable)
    why = files_.path() + " is no index that could be read and is moved aside";
  if (delta.whole && delta.state == JournalDelta::missing && !new_) why = files_.path() + " was missing";
  if (delta.whole && delta.state == JournalDelta::good) new_ = false;
  if (rebuild_.empty()) rebuild_ = std::move(why);
  for (RowChange& change : delta.changes) state_.apply(std::move(change));
  if (!delta.whole) return;
  state_.merge(std::move(delta.rows), !rebuild_.empty() || new_, by_key());
  state_.rows.each([&](std::string_view, IndexRow const* row, std::string_view) {
    if (row != nullptr) folder_->learn(row->info.id, row->file);
  });
}

std::string StoreIndex::why_rebuild() {
  Lock const lock(state_.mutex);
  return rebuild_;
}

SESSIONKIT_SELDOM Result<void> StoreIndex::rewrite() {
  Result<void> written = write_whole(options_->lock_wait);
  {
    Lock const writing(writing_);
    if (written && !files_.journal_is_new())
      written = detail::make_error(Errc::io_error, "{}: cannot delete it", files_.journal_path());
  }
  emit_events();
  return written;
}

// The index is a cache: a failure to write it changes no answer.
void StoreIndex::end_of_turn() {
  if (shared()) {
    (void)write_whole(store_index_inl::patience);
  } else {
    if (ending_turn_.exchange(true)) return; // another thread is at it; ours waits for the next turn
    store_index_inl::TurnEnd const end{ending_turn_};
    (void)append_rows(store_index_inl::patience);
  }
  emit_events();
}

// Each list in another container reads the transcripts again, and must not write the index each time. The
// state's mutex is held.
SESSIONKIT_SELDOM bool StoreIndex::is_worth_renewing() const {
  return state_.renewed.size() >= store_index_inl::least_renewed
         && ops_->wall_ns() - files_.snapshot_written_ns() > store_index_inl::renew_pause_ns;
}

void StoreIndex::close() {
  bool const large = files_.snapshot_bytes() > small_snapshot;
  std::uint64_t const names = large ? watch_.names_version() : 0;
  bool changed = false, most = false;
  {
    Lock const lock(state_.mutex);
    changed = !state_.touched.empty() || is_worth_renewing(); // by reading, too: rows that were behind
    changed = changed || (names != 0 && names != names_version_);
    most =
        (state_.touched.size() + state_.renewed.size()) * store_index_inl::close_share >= state_.rows.size();
    if (!stored_ && !(changed && may_write_unasked())) return;
    closing_ = true;
  }
  if (changed) load();
  bool const is_small = files_.snapshot_bytes() <= small_snapshot;
  if (changed)
    (void)(shared() || is_small || most ? write_whole(store_index_inl::patience)
                                        : append_rows(store_index_inl::patience));
  if (files_.written() > 0
      && (files_.snapshot_bytes() <= small_snapshot
          || files_.journal_bytes() * store_index_inl::close_share >= files_.snapshot_bytes()))
    (void)write_whole(store_index_inl::patience);
  emit_events();
}

// One small write, whatever the number of sessions.
Result<void> StoreIndex::append_rows(std::chrono::milliseconds lock_wait) {
  load();
  (void)compare_rows(false);
  std::uint64_t const names_version = closing_ ? watch_.names_version() : 0;
  IndexState::Unwritten rows;
  auto const make = [&](JournalDelta delta) {
    apply(std::move(delta));
    Lock const lock(state_.mutex);
    if (!rebuild_.empty() || !files_.may_append()) return std::string{};
    rows = state_.take_unwritten(closing_);
    return state_.journal_lines(rows, names_version == names_version_ ? 0 : names_version);
  };
  Result<void> written;
  bool outgrown = false, rebuild = false;
  {
    Lock const writing(writing_);
    written = files_.append(make, lock_wait);
    outgrown = files_.journal_bytes() > std::max(small_snapshot, files_.snapshot_bytes());
    Lock const lock(state_.mutex);
    state_.give_back(rows, written.ok());
    rebuild = !rebuild_.empty();
  }
  if (!written && written.error().code == Errc::timed_out) return written;
  if (rebuild) return write_rebuilt(lock_wait);
  return !written || outgrown ? write_whole(lock_wait) : written;
}

// It compares all rows; if the index cannot be written, it does not do so at each turn.
Result<void> StoreIndex::write_rebuilt(std::chrono::milliseconds lock_wait) {
  auto const began = ops_->now();
  {
    Lock const lock(state_.mutex);
    if (began < next_rebuild_) return {};
  }
  Result<void> written = write_whole(lock_wait);
  Lock const lock(state_.mutex);
  next_rebuild_ = ops_->now() + store_index_inl::rebuild_share * (ops_->now() - began);
  return written;
}

SESSIONKIT_SELDOM Result<void> StoreIndex::write_whole(std::chrono::milliseconds lock_wait) {
  load();
  std::string const rebuild = why_rebuild();
  Result<Compared> const compared = compare_rows(!rebuild.empty());
  if (!compared) return compared.error();
  IndexState::Unwritten rows;
  bool acted = false; // nobody else rebuilt it meanwhile
  auto const make = [&](JournalDelta delta) {
    apply(std::move(delta));
    Lock const lock(state_.mutex);
    std::string text = index_codec(profile_.layout, shared()).write(state_.rows);
    if (!shared()) NewestRows::add_to(text, state_.rows);
    if (!shared()) add_checksum(text);
    rows = state_.take_unwritten(closing_);
    state_.renewed.clear();
    acted = rebuild_ == rebuild; // else a reason came that nobody has acted on
    if (acted) rebuild_.clear();
    new_ = false;
    return text;
  };
  Lock const writing(writing_);
  Result<void> written = files_.replace(make, lock_wait);
  Lock const lock(state_.mutex);
  state_.give_back(rows, written.ok());
  if (!written && rebuild_.empty()) rebuild_ = rebuild;
  if (!rebuild.empty() && (acted || !written)) note_rebuilt(rebuild, *compared, written);
  return written;
}

// Makes the rows to write agree with their logs: to `rebuild` all of them, else those that are stale.
SESSIONKIT_SELDOM Result<StoreIndex::Compared> StoreIndex::compare_rows(bool rebuild) {
  watch_.keep_remade();
  std::set<std::string> stale;
  {
    Lock const lock(state_.mutex);
    std::set_intersection(state_.touched.begin(), state_.touched.end(), state_.stale.begin(),
                          state_.stale.end(), std::inserter(stale, stale.end()));
    if (shared()) stale = state_.touched;
  }
  watch_.note_versions();
  Compared compared;
  if (!rebuild && !by_key()) {
    for (std::string const& name : stale) {
      SessionId const id = SessionId::parse(name).value();
      Result<void> const row = watch_.refresh(id, false);
      Lock const lock(state_.mutex);
      if (!row && row.error().code == Errc::not_found) state_.drop(name);
    }
    return compared;
  }
  Result<std::vector<SessionId>> const ids = folder_->list(); // of each key the newest is written
  if (!ids) return ids.error();
  for (SessionId const& id : *ids) {
    bool known = false;
    {
      Lock const lock(state_.mutex);
      known = state_.rows.has(id.str());
    }
    if (!rebuild && known && stale.count(id.str()) == 0) continue;
    Result<void> row;
    if (!rebuild || !known || shared())
      row = watch_.refresh(id, false);
    else if (auto const looked = watch_.look(id, RowCheck::size); !looked)
      row = looked.error();
    if (row)
      ++compared.rows;
    else if (row.error().code != Errc::not_found && compared.unread++ == 0)
      compared.why_unread = row.error().message;
  }
  Lock const lock(state_.mutex);
  if (by_key() || !shared()) state_.drop_all_but({ids->begin(), ids->end()}, true, by_key());
  return compared;
}

// The state's mutex is held.
SESSIONKIT_SELDOM void StoreIndex::note_rebuilt(std::string const& why, Compared const& compared,
                                                Result<void> const& written) {
  std::string unread, kept;
  if (compared.unread > 0)
    unread = detail::format_text("; {} could not be read: {}", compared.unread, compared.why_unread);
  if (!written) {
    if (written.error().code == Errc::timed_out || std::exchange(reported_unwritten_, true)) return;
    kept = "; kept in memory, as it cannot be written: " + written.error().message;
  }
  events_.push_back(
      Event{Event::index_rebuilt,
            {},
            detail::format_text("{}; rebuilt from {} transcripts{}{}", why, compared.rows, unread, kept)});
}

void StoreIndex::emit_events() {
  std::vector<Event> events;
  {
    Lock const lock(state_.mutex);
    events.swap(events_);
  }
  if (options_->on_event)
    for (Event const& event : events) options_->on_event(event);
}

Result<std::size_t> StoreIndex::reindex(StoreProgress const& progress) {
  load();
  if (options_->read_only || files_.is_foreign())
    return detail::make_error(Errc::unsupported,
                              files_.is_foreign()
                                  ? "{} is OpenClaw's, which makes it again itself; it is not replaced"
                                  : "{} is not replaced: the store was opened to be read only",
                              files_.path());
  Result<std::vector<SessionId>> const ids = folder_->list();
  if (!ids) return ids.error();
  std::set<SessionId> there;
  std::size_t done = 0;
  for (SessionId const& id : *ids) {
    if (progress) progress(done++, ids->size());
    auto const row = watch_.refresh(id, true);
    if (row || row.error().code != Errc::not_found) there.insert(id); // unread: it stays as it was
  }
  {
    Lock const lock(state_.mutex);
    state_.drop_all_but(there, false, by_key());
  }
  if (progress) progress(done, done);
  Result<void> const written = write_whole(options_->lock_wait);
  emit_events();
  if (!written) return written.error();
  return there.size();
}

}}}
