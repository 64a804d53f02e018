// SPDX-License-Identifier: MIT
// Compares an index with the transcripts in its directory, and reads as few transcripts as possible.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/file_store/directory_watch.hpp>
#include <sessionkit/detail/file_store/reader_options.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace directory_watch_inl { namespace {

constexpr int sweep_share = 100; // checking all transcripts again takes one part of the time in so many
constexpr std::size_t first_look = 1000; // transcripts that are looked at before the first list

}}

DirectoryWatch::DirectoryWatch(FileOps& ops, TranscriptFolder& folder, IndexState& state, std::string root,
                               bool shared, FileStoreOptions const& options)
    : ops_(&ops),
      folder_(&folder),
      state_(&state),
      root_(std::move(root)),
      shared_(shared),
      options_(&options) {}

SESSIONKIT_SELDOM void DirectoryWatch::begin() {
  TimeScope scope;
  if (shared_ || ops_->time_scope(folder_->directory(), scope) < 0) return; // others do not keep the versions
  proof_ = TimeProof(scope);
}

Error DirectoryWatch::missing(SessionId const& id) const {
  FileStatus now; // macOS counts links of a removed directory too, but does not open it
  bool const has_none = ops_->status(folder_->directory(), now) == 0 && now.links == 0;
  OpenFile const again(*ops_, ops_->open(folder_->directory(), ".", OpenFlags::directory));
  if (has_none || fault_of(again.get()) == SystemFault::missing) return removed_directory(root_);
  return detail::make_error(Errc::not_found, "there is no session '{}' in {}; create it or look elsewhere",
                            id.str(), root_);
}

Result<void> DirectoryWatch::refresh(SessionId const& id, bool all) {
  Result<std::string> const file = folder_->find(id);
  if (!file) return file.error();
  std::string const path = folder_->path() + "/" + *file;
  FileStatus now;
  Result<OpenFile> const opened =
      open_for_reading(*ops_, folder_->directory(), file->c_str(), false, path, &now);
  if (!opened) return opened.error().code == Errc::not_found ? missing(id) : opened.error();
  bool const shows_changes = proof_.shows_next_change(now, ops_->wall_ns());
  FileReader log(*ops_, opened->get(), path, reader_options(*options_));
  std::optional<SessionInfo> row;
  Position before;
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    if (IndexRow const* const found = state_->rows.find(id.str())) {
      before = found->info.end;
      auto const seen = state_->seen.find(id.str());
      if (!all && seen != state_->seen.end() && seen->second.checked && seen->second.file.same_version(now))
        return {};
      if (!all) row = found->info;
    }
  }
  Result<FileSummary> fresh = summarise(log, id, std::move(row), options_->on_summary_progress);
  if (!fresh) return fresh.error();
  if (!fresh->exists) return missing(id);

  std::lock_guard<std::mutex> const lock(state_->mutex);
  if (IndexRow const* const kept = state_->rows.find(id.str()))
    if (kept->info.end != before && kept->info.end > fresh->info.end) return {}; // it grew
  state_->rows.change(id, [&](IndexRow& kept) {
    bool const stale = kept.info.end != fresh->info.end || kept.info.end_crc != fresh->info.end_crc;
    bool const ours = all || state_->touched.count(id.str()) > 0; // another program's is its own to correct
    if (ours || (stale && !shared_)) {
      state_->touched.insert(id.str());
      kept.changed();
    }
    kept.info = std::move(fresh->info);
    kept.file = *file;
    if (kept.title == kept.info.display_title()) kept.title.clear();
    bool const whole = shows_changes && now.size == kept.info.end.value();
    std::uint64_t const version = whole ? proof_.version(now) : 0;
    bool const renewed = version != 0 && version != kept.file_version;
    if (renewed && state_->touched.count(id.str()) == 0) state_->renewed.insert(id.str());
    kept.file_version = version;
  });
  state_->seen[id.str()] = IndexState::Seen{now, fresh->trailing, true};
  state_->stale.erase(id.str());
  state_->absent.erase(id.str());
  return {};
}

Result<void> DirectoryWatch::refresh_if_changed(SessionId const& id) {
  Result<std::string> const file = folder_->find(id);
  if (!file) return file.error();
  FileStatus now;
  if (ops_->status_at(folder_->directory(), file->c_str(), now) == 0) {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    std::optional<IndexRows::End> const end = state_->rows.end_of(id.str());
    if (end && is_right(id.str(), *end, now, RowCheck::content)) return {};
  }
  return refresh(id, false);
}

// True if the row needs no look into the transcript; the mutex is held.
bool DirectoryWatch::is_right(std::string const& name, IndexRows::End const& end, FileStatus const& now,
                              RowCheck check) {
  auto seen = state_->seen.find(name);
  bool const whole = now.kind == FileStatus::regular && now.size == end.position.value();
  if (whole && !shared_ && state_->stale.count(name) == 0) {
    if (check != RowCheck::content && proof_.is_possible() && end.file_version == proof_.version(now))
      return true;
    seen = state_->seen.try_emplace(name).first;
    if (seen->second.file.inode == 0) seen->second.file = now;
  }
  return seen != state_->seen.end() && seen->second.file.same_version(now)
         && (check == RowCheck::size || seen->second.checked);
}

Result<bool> DirectoryWatch::look(SessionId const& id, RowCheck check) {
  FileStatus now;
  Result<std::string> const file = folder_->find(id);
  if (!file) return file.error();
  int const failed = ops_->status_at(folder_->directory(), file->c_str(), now);
  if (fault_of(failed) == SystemFault::missing) return missing(id);
  bool ours = false;
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    std::optional<IndexRows::End> const end = state_->rows.end_of(id.str());
    ours = end && end->position != Position{};
    if (ours && failed == 0 && is_right(id.str(), *end, now, check)) return false;
  }
  bool const never_ours = now.kind == FileStatus::directory || now.kind == FileStatus::other;
  if (failed == 0 && never_ours && !ours) return missing(id);
  Result<void> const fresh = refresh(id, false);
  if (fresh || (ours && fresh.error().code != Errc::not_found)) return true;
  return fresh.error();
}

bool DirectoryWatch::look_at(std::vector<SessionId> const& ids, RowCheck check) {
  bool changed = false;
  for (SessionId const& id : ids) {
    Result<bool> const found = look(id, check);
    changed = changed || !found || *found;
    std::lock_guard<std::mutex> const lock(state_->mutex);
    bool const gone = !found && found.error().code == Errc::not_found;
    if (gone) state_->absent.insert(id.str()), state_->stale.erase(id.str());
    if (found || gone)
      state_->unread.erase(id.str());
    else
      state_->unread.insert_or_assign(id.str(), found.error());
  }
  return changed;
}

void DirectoryWatch::note_versions() {
  if (!proof_.is_possible()) return;
  std::vector<SessionId> written;
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    for (std::string const& name : state_->touched)
      if (auto const seen = state_->seen.find(name);
          seen != state_->seen.end() && seen->second.written_ns != 0)
        written.push_back(SessionId::parse(name).value());
  }
  for (SessionId const& id : written) {
    FileStatus now;
    if (ops_->status_at(folder_->directory(), folder_->file_of(id).c_str(), now) < 0) continue;
    bool const shows_changes = proof_.shows_next_change(now, ops_->wall_ns());
    std::lock_guard<std::mutex> const lock(state_->mutex);
    IndexRow* const row = state_->rows.find(id.str());
    auto const seen = state_->seen.find(id.str());
    if (row == nullptr || seen == state_->seen.end() || state_->stale.count(id.str()) > 0) continue;
    bool const ours = now.size == row->info.end.value() && now.changed_ns <= seen->second.written_ns;
    if (ours && shows_changes) row->file_version = proof_.version(now);
  }
}

SESSIONKIT_SELDOM std::vector<SessionId> DirectoryWatch::doubtful() {
  std::lock_guard<std::mutex> const lock(state_->mutex);
  std::set<std::string> names = state_->stale;
  for (auto const& [name, error] : state_->unread) names.insert(name);
  std::vector<SessionId> ids;
  ids.reserve(names.size());
  for (std::string const& name : names) ids.push_back(SessionId::parse(name).value());
  return ids;
}

std::vector<SessionId> DirectoryWatch::newest(std::size_t count) {
  std::lock_guard<std::mutex> const lock(state_->mutex);
  std::vector<SessionId> ids;
  state_->rows.newest_first(std::nullopt, [&](std::string_view name, std::string_view) {
    if (auto id = SessionId::parse(name)) ids.push_back(std::move(*id));
    return ids.size() < count;
  });
  return ids;
}

// The transcripts to look at: all, or (not `all`) those that may have changed. If the directory's time alone
// changed, a file may have replaced another: then it is `all`.
SESSIONKIT_SELDOM Result<std::vector<SessionId>> DirectoryWatch::list_directory(bool& all) {
  FileStatus now;
  bool const known = ops_->status(folder_->directory(), now) == 0;
  std::vector<SessionId> doubt = doubtful();
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    if (!all && known && state_->settled && now.same_version(directory_)) return doubt;
  }
  Result<FileNames> const there = folder_->names();
  if (!there) return there.error();
  if (known && now.links == 0) return removed_directory(root_);
  std::uint64_t names = 0;
  there->each([&](std::string_view name) { names += name_hash(name); });

  std::lock_guard<std::mutex> const lock(state_->mutex);
  all = all || (!now.same_version(directory_) && names == names_);
  state_->absent.clear();
  if (all) doubt.clear();
  if (all || there->size() != state_->rows.size() || names != state_->rows.names_sum())
    compare_names(*there, all, doubt);
  directory_ = now;
  std::int64_t const wall_ns = ops_->wall_ns();
  bool const old = wall_ns - now.modified_ns > coarseness_of(now.modified_ns);
  state_->settled = known && (old || proof_.shows_next_change(now, wall_ns));
  names_ = names;
  return doubt;
}

// Adds the transcripts that have no row, or `all`, and finds the rows that have no transcript; the mutex is
// held.
SESSIONKIT_SELDOM void DirectoryWatch::compare_names(FileNames const& there, bool all,
                                                     std::vector<SessionId>& out) {
  IndexRows const& rows = state_->rows;
  std::size_t with_transcript = 0;
  there.each([&](std::string_view name) {
    bool const known = rows.has(name);
    with_transcript += known ? 1 : 0;
    if (all || !known)
      if (auto id = SessionId::parse(name)) out.push_back(std::move(*id));
  });
  if (with_transcript == rows.size()) return;
  std::unordered_set<std::string_view> names;
  there.each([&](std::string_view name) { names.insert(name); });
  rows.each([&](std::string_view name, IndexRow const*, std::string_view) {
    if (names.count(name) == 0) state_->absent.emplace(name);
  });
}

Result<void> DirectoryWatch::sweep() {
  auto const began = ops_->now();
  bool all = shared_, first = false;
  std::size_t rows = 0;
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    first = !swept_;
    rows = state_->rows.size();
    all = all || (first ? rows <= directory_watch_inl::first_look : began > next_);
  }
  Result<std::vector<SessionId>> const ids = list_directory(all);
  if (!ids) return ids.error();
  look_at(*ids, RowCheck::size);
  if (!all && !first) return {};
  std::int64_t share = directory_watch_inl::sweep_share;
  auto const looking = ops_->now();
  if (!all) {
    look_at(newest(directory_watch_inl::first_look), RowCheck::size);
    share *= static_cast<std::int64_t>(rows / directory_watch_inl::first_look);
  }
  std::lock_guard<std::mutex> const lock(state_->mutex);
  swept_ = true;
  next_ = ops_->now() + share * (ops_->now() - (all ? began : looking));
  return {};
}

SESSIONKIT_SELDOM std::uint64_t DirectoryWatch::names_version() {
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    if (!state_->settled || !proof_.is_possible()) return 0;
  }
  FileStatus now;
  if (ops_->status(folder_->directory(), now) < 0) return 0;
  bool const shows_changes = proof_.shows_next_change(now, ops_->wall_ns());
  std::lock_guard<std::mutex> const lock(state_->mutex);
  bool const same = state_->settled && proof_.version(now) == proof_.version(directory_);
  bool const equal = state_->absent.empty() && names_ == state_->rows.names_sum();
  return shows_changes && same && equal ? proof_.version(now) : 0;
}

bool DirectoryWatch::has_names_version(std::uint64_t version) {
  FileStatus now;
  return version != 0 && proof_.is_possible() && ops_->status(folder_->directory(), now) == 0
         && proof_.version(now) == version;
}

bool DirectoryWatch::is_proved(IndexRow const& row) {
  FileStatus now;
  if (ops_->status_at(folder_->directory(), folder_->file_of(row.info.id).c_str(), now) < 0) return false;
  return now.kind == FileStatus::regular && now.size == row.info.end.value()
         && row.file_version == proof_.version(now);
}

SESSIONKIT_SELDOM void DirectoryWatch::believe_names(std::uint64_t version) {
  FileStatus now;
  if (version == 0 || !proof_.is_possible() || ops_->status(folder_->directory(), now) < 0) return;
  if (proof_.version(now) != version) return;
  std::lock_guard<std::mutex> const lock(state_->mutex);
  directory_ = now;
  names_ = state_->rows.names_sum();
  state_->settled = true;
}

void DirectoryWatch::doubt_names() {
  std::lock_guard<std::mutex> const lock(state_->mutex);
  state_->settled = false;
}

SESSIONKIT_SELDOM void DirectoryWatch::keep_remade() {
  std::set<std::string> removed;
  {
    std::lock_guard<std::mutex> const lock(state_->mutex);
    removed = state_->removed;
  }
  for (std::string const& name : removed) {
    auto const id = SessionId::parse(name);
    FileStatus ignored;
    if (!id || ops_->status_at(folder_->directory(), folder_->file_of(*id).c_str(), ignored) < 0) continue;
    std::lock_guard<std::mutex> const lock(state_->mutex);
    state_->removed.erase(name);
    state_->touched.insert(name);
    state_->stale.insert(name);
  }
}

}}}
