// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/dialects/line_members.hpp>
#include <sessionkit/detail/file_store/store_index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <unordered_set>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

constexpr std::int64_t settled_after_ns = 50'000'000; // times of directories are that coarse, at most
constexpr int sweep_share = 100; // looking at all transcripts again takes one part of the time in so many
constexpr std::size_t first_look = 1000; // transcripts that are looked at before the first list

// `selects` for a row, without making its summary.
bool row_selected(ListQuery const& query, IndexRow const& row) {
  SessionInfo const& info = row.info;
  return (!query.key || *query.key == (row.key.empty() ? info.key : row.key))
         && (!query.agent || *query.agent == info.agent) && (!query.user || *query.user == info.user)
         && (!query.archived || *query.archived == info.archived);
}

// The same for a row that is not read yet.
bool written_row_selected(ListQuery const& query, std::string_view row) {
  auto const says = [row](std::string_view member, std::optional<std::string> const& wanted) {
    return !wanted || to_text(find_member(row, member)) == *wanted;
  };
  return says("key", query.key) && says("agentId", query.agent) && says("user", query.user);
}

}

StoreIndex::StoreIndex(FileOps& ops, int directory, std::string const& root, Profile const& profile,
                       FileStoreOptions const& options, TranscriptFolder& folder)
    : ops_(&ops),
      profile_(profile),
      root_(root),
      options_(&options),
      folder_(&folder),
      file_(ops, directory, root, options.durability != Durability::os, index_codec(profile.layout)),
      journal_(ops, directory, root, file_) {}

Error StoreIndex::missing(SessionId const& id) const {
  return Error{Errc::not_found, 0,
               fmt::format("there is no session '{}' in {}; create it or look elsewhere", id.str(), root_)};
}

std::string StoreIndex::path_of(SessionId const& id) const {
  return folder_->path() + "/" + folder_->file_of(id);
}

// `mutex_` is held.
SessionInfo StoreIndex::told(IndexRow const& row) const {
  SessionInfo info = row.told();
  if (auto const known = known_.find(info.id.str()); known != known_.end())
    info.damaged += known->second.trailing;
  return info;
}

Result<void> StoreIndex::begin() {
  if (by_key()) load(); // it knows what files are called
  if (!file_.is_missing()) return {};
  Result<std::vector<SessionId>> const found = folder_->list();
  if (!found) return found.error();
  new_ = found->empty();
  if (!by_key()) return {};
  std::lock_guard<std::mutex> const lock(mutex_);
  rebuild_ = new_ ? "" : file_.path() + " was missing";
  return {};
}

void StoreIndex::note_append(SessionId const& id, Append const& batch, Position end) {
  std::lock_guard<std::mutex> const lock(mutex_);
  touched_.insert(id.str());
  removed_.erase(id.str());
  absent_.erase(id.str());
  stale_.insert(id.str());
  bool const titled = std::any_of(batch.records.begin(), batch.records.end(),
                                  [](RecordView const& record) { return record.type == title_line_type; });
  if (batch.after == nullptr && !titled && !rows_.has(id.str())) return;
  rows_.change(id, [&](IndexRow& row) {
    row.changed();
    if (titled) row.title.clear(), row.titled = true;
    if (batch.after == nullptr) return; // it folds when it is asked for
    if (end < row.info.end) return;     // it stood there already, and more does now
    SessionId const own = row.info.id;
    row.info = *batch.after;
    row.info.id = own;
    row.info.end = end;
    row.info.end_crc = crc32c(batch.records.back().line);
    known_[id.str()] = Known{{}, 0, true};
    stale_.erase(id.str());
  });
}

void StoreIndex::note_removed(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(mutex_);
  rows_.erase(id.str());
  known_.erase(id.str());
  stale_.erase(id.str());
  removed_.insert(id.str());
  touched_.insert(id.str());
}

Result<SessionInfo> StoreIndex::info(SessionId const& id) {
  load();
  if (auto r = refresh(id, false); !r) return r.error();
  std::lock_guard<std::mutex> const lock(mutex_);
  IndexRow const* const row = rows_.find(id.str());
  return row != nullptr ? told(*row) : Result<SessionInfo>(missing(id));
}

Result<void> StoreIndex::refresh(SessionId const& id, bool anew) {
  Result<std::string> const named = folder_->find(id);
  if (!named) return named.error();
  std::string const& file = *named;
  std::string const path = path_of(id);
  FileStatus now;
  Result<OpenFile> const opened =
      open_for_reading(*ops_, folder_->directory(), file.c_str(), false, path, &now);
  if (!opened) return opened.error().code == Errc::not_found ? missing(id) : opened.error();
  LogReader log(*ops_, opened->get(), path, ReaderOptions{options_->max_line});
  std::optional<SessionInfo> row;
  Position before;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    IndexRow const* const found = rows_.find(id.str());
    if (found != nullptr) before = found->info.end;
    if (found != nullptr && !anew) {
      row = found->info;
      auto const known = known_.find(id.str());
      if (known != known_.end() && known->second.checked && known->second.seen.same_version(now)) return {};
    }
  }
  Result<LogSummary> fresh = summarise(log, id, std::move(row));
  if (!fresh) return fresh.error();
  if (!fresh->exists) return missing(id);

  std::lock_guard<std::mutex> const lock(mutex_);
  if (IndexRow const* const kept = rows_.find(id.str()))
    if (kept->info.end != before && kept->info.end > fresh->info.end) return {}; // it grew
  rows_.change(id, [&](IndexRow& kept) {
    bool const stale = kept.info.end != fresh->info.end || kept.info.end_crc != fresh->info.end_crc;
    bool const ours = anew || touched_.count(id.str()) > 0; // what another program says is its own to mend
    if (ours || (stale && !shared())) {
      touched_.insert(id.str());
      kept.changed();
    }
    kept.info = std::move(fresh->info);
    kept.file = file;
    if (kept.title == kept.info.display_title()) kept.title.clear();
  });
  known_[id.str()] = Known{now, fresh->trailing, true};
  stale_.erase(id.str());
  absent_.erase(id.str());
  return {};
}

// As `refresh`, but a transcript that did not change is not opened (nor, `by_size`, one that ends where its
// row says), and what is known of one that cannot be read stays as it was.
Result<void> StoreIndex::look(SessionId const& id, bool by_size) {
  FileStatus now;
  Result<std::string> const file = folder_->find(id);
  if (!file) return file.error();
  int const failed = ops_->status_at(folder_->directory(), file->c_str(), now);
  if (failed == -ENOENT) return missing(id);
  bool ours = false;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::optional<Position> const end = rows_.end_of(id.str());
    ours = end && *end != Position{};
    if (ours) {
      auto known = known_.find(id.str());
      bool const whole = failed == 0 && now.kind == FileStatus::regular && now.size == end->value();
      if (whole && !shared() && stale_.count(id.str()) == 0) {
        known = known_.try_emplace(id.str()).first;
        if (known->second.seen.inode == 0) known->second.seen = now;
      }
      if (failed == 0 && known != known_.end() && known->second.seen.same_version(now)
          && (by_size || known->second.checked))
        return {};
    }
  }
  bool const never_ours = now.kind == FileStatus::directory || now.kind == FileStatus::other;
  if (failed == 0 && never_ours && !ours) return missing(id);
  Result<void> const fresh = refresh(id, false);
  if (fresh || (ours && fresh.error().code != Errc::not_found)) return {};
  return fresh.error();
}

void StoreIndex::look_again(std::vector<SessionId> const& ids, bool by_size) {
  for (SessionId const& id : ids) {
    Result<void> const found = look(id, by_size);
    std::lock_guard<std::mutex> const lock(mutex_);
    bool const gone = !found && found.error().code == Errc::not_found;
    if (gone) absent_.insert(id.str()), stale_.erase(id.str());
    if (found || gone)
      unread_.erase(id.str());
    else
      unread_.insert_or_assign(id.str(), found.error());
  }
}

std::vector<SessionId> StoreIndex::doubtful() {
  std::lock_guard<std::mutex> const lock(mutex_);
  std::set<std::string> names = stale_;
  for (auto const& [name, error] : unread_) names.insert(name);
  std::vector<SessionId> ids;
  ids.reserve(names.size());
  for (std::string const& name : names) ids.push_back(SessionId::parse(name).value());
  return ids;
}

// The transcripts to look at: all, or (not `all`) those of which something is new. That a file took another's
// place shows in the directory's time alone: then it is `all`.
Result<std::vector<SessionId>> StoreIndex::list_directory(bool& all) {
  FileStatus now;
  bool const seen = ops_->status(folder_->directory(), now) == 0;
  std::vector<SessionId> doubt = doubtful();
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (!all && seen && swept_.settled && now.same_version(swept_.directory)) return doubt;
  }
  Result<FileNames> const there = folder_->names();
  if (!there) return there.error();
  std::uint64_t names = 0;
  there->each([&](std::string_view name) { names += name_hash(name); });

  std::lock_guard<std::mutex> const lock(mutex_);
  all = all || (!now.same_version(swept_.directory) && names == swept_.names);
  absent_.clear();
  if (all) doubt.clear();
  if (all || there->size() != rows_.size() || names != rows_.names_sum()) compare_names(*there, all, doubt);
  swept_.directory = now;
  swept_.settled = seen && ops_->wall_ns() - now.modified_ns > settled_after_ns;
  swept_.names = names;
  return doubt;
}

// Adds the transcripts that have no row, or `all`, and finds the rows that have no transcript; `mutex_` is
// held.
void StoreIndex::compare_names(FileNames const& there, bool all, std::vector<SessionId>& out) {
  std::size_t rows = 0; // that have a transcript
  there.each([&](std::string_view name) {
    bool const known = rows_.has(name);
    rows += known ? 1 : 0;
    if (all || !known)
      if (auto id = SessionId::parse(name)) out.push_back(std::move(*id));
  });
  if (rows == rows_.size()) return;
  std::unordered_set<std::string_view> names;
  there.each([&](std::string_view name) { names.insert(name); });
  rows_.each_name([&](std::string_view name) {
    if (names.count(name) == 0) absent_.emplace(name);
  });
}

std::vector<SessionId> StoreIndex::newest(std::size_t count) {
  std::lock_guard<std::mutex> const lock(mutex_);
  std::vector<SessionId> ids;
  rows_.newest_first(std::nullopt, [&](std::string_view name, std::string_view) {
    if (auto id = SessionId::parse(name)) ids.push_back(std::move(*id));
    return ids.size() < count;
  });
  return ids;
}

// Makes the rows true of the transcripts. Where a program appended without our journal shows only by looking
// at each transcript, which is done so rarely that it takes a small part of the time. The first time it is
// done for the newest alone: who was killed in the middle of a turn was most likely in one of these.
Result<void> StoreIndex::sweep() {
  auto const began = ops_->now();
  bool all = shared(), first = false;
  std::size_t rows = 0;
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    first = !swept_.done;
    rows = rows_.size();
    all = all || (first ? rows <= first_look : began > swept_.next);
  }
  Result<std::vector<SessionId>> const ids = list_directory(all);
  if (!ids) return ids.error();
  look_again(*ids, true);
  if (!all && !first) return {};
  std::int64_t share = sweep_share;
  auto const looking = ops_->now();
  if (!all) {
    look_again(newest(first_look), true);
    share *= static_cast<std::int64_t>(rows / first_look);
  }
  std::lock_guard<std::mutex> const lock(mutex_);
  swept_.done = true;
  swept_.next = ops_->now() + share * (ops_->now() - (all ? began : looking));
  return {};
}

// One more than a page holds: it tells that there are more. `mutex_` is held.
std::vector<IndexRow const*> StoreIndex::select(ListQuery const& query,
                                                std::optional<ListPlace> const& behind) {
  std::vector<IndexRow const*> matching;
  rows_.newest_first(behind, [&](std::string_view id, std::string_view written) {
    if (!written.empty() && !written_row_selected(query, written)) return true;
    std::string const name(id);
    if (absent_.count(name) > 0) return true;
    IndexRow const& row = *rows_.find(name);
    if (!row_selected(query, row)) return true;
    matching.push_back(&row);
    return matching.size() <= query.limit;
  });
  return matching;
}

// What is shown is true whoever appended, though not yet in its place.
std::vector<SessionInfo> StoreIndex::select_true(ListQuery const& query) {
  std::optional<ListPlace> const behind = parse_list_cursor(query.cursor);
  std::unordered_set<std::string> looked;
  for (;;) {
    std::vector<SessionId> unseen;
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      std::vector<IndexRow const*> const rows = select(query, behind);
      for (IndexRow const* row : rows)
        if (looked.insert(row->info.id.str()).second) unseen.push_back(row->info.id);
      if (unseen.empty()) {
        std::vector<SessionInfo> matching;
        matching.reserve(rows.size());
        for (IndexRow const* row : rows) matching.push_back(told(*row));
        return matching;
      }
    }
    look_again(unseen, false);
  }
}

Result<SessionPage> StoreIndex::list(ListQuery const& query) {
  catch_up();
  if (auto r = sweep(); !r) return r.error();
  if (is_rebuilding()) (void)write_rebuilt(index_patience);
  tell();
  std::vector<SessionInfo> matching = select_true(query);
  {
    std::lock_guard<std::mutex> const lock(mutex_);
    // What cannot be read hides no other session, but where it may be the one of this key, "there is none"
    // would be a guess that starts a second one.
    if (auto const first = unread_.begin(); query.key && first != unread_.end())
      return Error{first->second.code, first->second.system,
                   fmt::format("{} (or move it out of the directory: it may be the session of key '{}')",
                               first->second.message, *query.key)};
  }
  return page_of(std::move(matching), query);
}

}}}
