// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/crc32c.hpp>
#include <sessionkit/detail/file_store.hpp>
#include <sessionkit/detail/line_members.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include <fcntl.h>

namespace sessionkit { inline namespace v0 {

namespace {

// Long for one file: what is in this class shares its rows and their lock.
constexpr std::chrono::milliseconds index_patience{100}; // a cache is not worth more of a host's time

class FileStore final : public SessionStore, public detail::SyncsFiles {
 public:
  FileStore(detail::FileOps& ops, std::string root, detail::OpenFile directory, detail::OpenFile folder,
            Profile const& profile, FileStoreOptions options)
      : SessionStore(profile),
        ops_(&ops),
        root_(std::move(root)),
        directory_(std::move(directory)),
        options_(std::move(options)),
        process_(ops.process()),
        folder_(ops, directory_.get(), root_, profile.layout, std::move(folder)),
        file_(ops, directory_.get(), root_, options_.durability != Durability::os,
              detail::index_codec(profile.layout)) {}
  FileStore(FileStore const&) = delete;
  FileStore& operator=(FileStore const&) = delete;
  ~FileStore() override {
    if (ops_->process() != process_ || touched_.empty()) return;
    try {
      (void)write_index(index_patience);
    } catch (...) { // out of memory: the index is a cache
    }
  }

  Result<void> begin();
  Result<std::size_t> reindex();
  std::string path_of(SessionId const& id) const { return folder_.path() + "/" + file_name(id); }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override;
  Result<Position> durable_position(SessionId const& id) override;

 private:
  // What is known of a session beside its row.
  struct Known {
    detail::FileStatus seen = {}; // the transcript when the row was compared with it; inode 0: never
    std::uint64_t trailing = 0;
  };

  static SessionInfo told(detail::IndexRow const& row, std::uint64_t trailing) {
    SessionInfo info = row.told();
    info.damaged += trailing;
    return info;
  }
  bool by_key() const noexcept { return profile().layout != StoreLayout::by_id; }
  bool has_row(SessionId const& id) {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    return index_.rows.count(id.str()) > 0;
  }
  void drop(SessionId const& id);
  void drop_vanished(std::vector<SessionId> const& there);
  std::string file_name(SessionId const& id) const { return folder_.file_of(id); }
  Result<std::vector<SessionId>> transcripts() const { return folder_.list(); }
  Error missing(SessionId const& id) const {
    return Error{Errc::not_found, 0,
                 fmt::format("there is no session '{}' in {}; create it or look elsewhere", id.str(), root_)};
  }
  Result<detail::OpenFile> open_log(SessionId const& id) const;
  void tell(std::vector<Event> const& events) const;
  void note_append(SessionId const& id, Append const& batch, Position end);
  void load_index();
  Result<SessionInfo> refresh(SessionId const& id, bool anew);
  Result<SessionInfo> look(SessionId const& id);
  Result<void> move_to_trash(SessionId const& id);
  void end_of_turn();
  Result<void> write_index(std::chrono::milliseconds lock_wait);
  void tell_rebuilt(std::string const& why, std::size_t rows, Result<void> const& written);
  std::string merged_index(bool changed, detail::SessionIndex disk);

  detail::FileOps* ops_;
  std::string root_;
  detail::OpenFile directory_;
  FileStoreOptions options_;
  int process_;
  detail::OpenLogs logs_;
  mutable detail::TranscriptFolder folder_; // learns names as it is asked

  std::mutex rows_mutex_; // of all below; never held while a file is read or written, but to load the index
  detail::SessionIndex index_;
  std::unordered_map<std::string, Known> known_;
  std::set<std::string> touched_, removed_; // since the index was written
  std::uint64_t turns_ = 0;                 // likewise
  bool loaded_ = false;
  std::string rebuild_;         // why all rows are folded anew before the index is written; empty: no need
  bool told_unwritten_ = false; // that it could not be, which is told once

  std::mutex index_turn_; // held by the thread that writes the index at the end of a turn
  std::mutex writing_;    // of the index file
  detail::IndexFile file_;
};

// An index that is missing where transcripts are was lost; where none are, the store is new.
Result<void> FileStore::begin() {
  if (by_key()) load_index(); // it knows what files are called
  detail::FileStatus status;
  int const failed = ops_->status_at(directory_.get(), "sessions.json", status);
  if (failed != -ENOENT) return {};
  Result<std::vector<SessionId>> const found = transcripts();
  if (!found) return found.error();
  loaded_ = true;
  rebuild_ = found->empty() ? "" : "was missing";
  return {};
}

void FileStore::tell(std::vector<Event> const& events) const {
  if (options_.on_event)
    for (Event const& event : events) options_.on_event(event);
}

Result<detail::OpenFile> FileStore::open_log(SessionId const& id) const {
  Result<detail::OpenFile> file =
      detail::open_for_reading(*ops_, folder_.directory(), file_name(id).c_str(), false, path_of(id));
  if (!file && file.error().code == Errc::not_found) return missing(id);
  return file;
}

Result<Position> FileStore::append(SessionId const& id, Append const& batch) {
  if (ops_->process() != process_) // before any lock, which a thread of the parent may hold for ever
    return Error{Errc::forked, 0,
                 root_ + ": the store was opened by the parent process; open one of your own"};
  auto const asked = ops_->now();
  auto const log = logs_.of(id.str());
  Result<Position> end = Position{};
  detail::DueSync due;
  std::vector<Event> events;
  {
    std::lock_guard<std::mutex> const lock(log->mutex);
    if (batch.expected == Position{}) folder_.choose(id, batch);
    unsigned const above = profile().layout == StoreLayout::by_id ? 1 : 2;
    detail::LogPlace const place{folder_.directory(), file_name(id), path_of(id), above};
    end = detail::append_to(*log, *ops_, place, options_, id.str(), batch, asked, due);
    events.swap(log->events);
    if (end && !batch.records.empty()) note_append(id, batch, *end);
  }
  if (auto synced = due.wait(); end && !synced) end = synced.error();
  if (!end && end.error().code == Errc::not_found) end = missing(id);
  if (end && batch.durable) end_of_turn();
  tell(events);
  return end;
}

Result<Position> FileStore::durable_position(SessionId const& id) {
  detail::FileStatus status;
  int const failed = ops_->status_at(directory_.get(), file_name(id).c_str(), status);
  if (failed == -ENOENT) return missing(id);
  if (failed < 0) return detail::file_error(-failed, path_of(id), "cannot look at the file");
  return logs_.durable(id.str());
}

void FileStore::note_append(SessionId const& id, Append const& batch, Position end) {
  std::lock_guard<std::mutex> const lock(rows_mutex_);
  touched_.insert(id.str());
  removed_.erase(id.str());
  bool const titled = std::any_of(batch.records.begin(), batch.records.end(), [](RecordView const& record) {
    return record.type == detail::title_line_type;
  });
  if (batch.after == nullptr && !titled && index_.rows.count(id.str()) == 0) return;
  auto& row = index_.rows.try_emplace(id.str(), detail::IndexRow{make_session_info(id)}).first->second;
  row.changed();
  if (titled) row.title.clear(), row.titled = true;
  if (batch.after == nullptr) return; // the row is stale and folds when it is asked for
  if (end < row.info.end) return;     // it stood there already, and more does now
  SessionId const own = row.info.id;
  row.info = *batch.after;
  row.info.id = own;
  row.info.end = end;
  row.info.end_crc = detail::crc32c(batch.records.back().line);
  known_.erase(id.str());
}

Result<RecordPage> FileStore::read(SessionId const& id, ReadRange const& range) {
  Result<detail::OpenFile> const file = open_log(id);
  if (!file) return file.error();
  detail::LogReader log(*ops_, file->get(), path_of(id), ReaderOptions{options_.max_line});
  Result<RecordPage> page = log.read(range);
  if (page && !range.from && detail::shows_nothing(*page)) return missing(id);
  return page;
}

Result<SessionInfo> FileStore::info(SessionId const& id) {
  load_index();
  return refresh(id, false);
}

Result<SessionInfo> FileStore::refresh(SessionId const& id, bool anew) {
  Result<detail::OpenFile> const opened = open_log(id);
  if (!opened) return opened.error();
  std::string const file = file_name(id);
  detail::LogReader log(*ops_, opened->get(), path_of(id), ReaderOptions{options_.max_line});
  Result<detail::FileStatus> const now = log.status();
  if (!now) return now.error();
  std::optional<SessionInfo> row;
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    auto const found = index_.rows.find(id.str());
    if (found != index_.rows.end() && !anew) {
      row = found->second.info;
      Known const& known = known_[id.str()];
      if (known.seen.same_version(*now)) return told(found->second, known.trailing);
    }
  }
  Result<detail::LogSummary> fresh = detail::summarise(log, id, row ? &*row : nullptr);
  if (!fresh) return fresh.error();
  if (!fresh->exists) return missing(id);

  std::lock_guard<std::mutex> const lock(rows_mutex_);
  auto& kept = index_.rows.try_emplace(id.str(), detail::IndexRow{make_session_info(id)}).first->second;
  bool const stale = kept.info.end != fresh->info.end || kept.info.end_crc != fresh->info.end_crc;
  bool const ours = anew || touched_.count(id.str()) > 0; // what another program says is its own to mend
  if (ours || (stale && !profile().shares_index)) {
    touched_.insert(id.str());
    kept.changed();
  }
  kept.info = std::move(fresh->info);
  kept.file = file;
  if (kept.title == kept.info.display_title()) kept.title.clear();
  known_[id.str()] = Known{*now, fresh->trailing};
  return told(kept, fresh->trailing);
}

// As `refresh`, but a transcript that did not change is not opened, and what is known of one that cannot be
// read is answered as it was.
Result<SessionInfo> FileStore::look(SessionId const& id) {
  detail::FileStatus now;
  int const failed = ops_->status_at(folder_.directory(), file_name(id).c_str(), now);
  if (failed == -ENOENT) return missing(id);
  std::optional<SessionInfo> row;
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    auto const found = index_.rows.find(id.str());
    if (found != index_.rows.end() && found->second.info.end != Position{}) { // a row of ours
      auto const known = known_.find(id.str());
      row = told(found->second, known != known_.end() ? known->second.trailing : 0);
      if (failed == 0 && known != known_.end() && known->second.seen.same_version(now))
        return std::move(*row);
    }
  }
  bool const never_ours = now.kind == detail::FileStatus::directory || now.kind == detail::FileStatus::other;
  if (failed == 0 && never_ours && !row) return missing(id);
  Result<SessionInfo> fresh = refresh(id, false);
  if (!fresh && fresh.error().code != Errc::not_found && row) return std::move(*row);
  return fresh;
}

Result<SessionPage> FileStore::list(ListQuery const& query) {
  load_index();
  Result<std::vector<SessionId>> const ids = transcripts();
  if (!ids) return ids.error();
  std::vector<SessionInfo> matching;
  for (SessionId const& id : *ids) {
    Result<SessionInfo> found = look(id);
    if (found && selects(query, *found)) matching.push_back(std::move(*found));
    // What cannot be read hides no other session, but where it may be the one of this key, "there is none"
    // would be a guess that starts a second one.
    if (found || found.error().code == Errc::not_found || !query.key) continue;
    return Error{found.error().code, found.error().system,
                 fmt::format("{} (or move it out of the directory: it may be the session of key '{}')",
                             found.error().message, *query.key)};
  }
  bool rebuilt = false;
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    rebuilt = !rebuild_.empty();
  }
  if (rebuilt) (void)write_index(index_patience);
  return page_of(std::move(matching), query);
}

void FileStore::load_index() {
  std::lock_guard<std::mutex> const writing(writing_);
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    if (loaded_) return;
  }
  detail::SessionIndex disk;
  detail::IndexFile::State const state = file_.load(disk);
  std::lock_guard<std::mutex> const lock(rows_mutex_);
  if (state == detail::IndexFile::unavailable) rebuild_ = "could not be read";
  if (state == detail::IndexFile::unreadable) rebuild_ = "is no index that could be read and is moved aside";
  if (state == detail::IndexFile::missing) rebuild_ = "was missing";
  for (auto& [name, row] : index_.rows) { // appended to before anybody asked for the index
    auto const there = disk.rows.find(name);
    if (there == disk.rows.end() || there->second.info.end <= row.info.end) {
      if (there != disk.rows.end()) row.keep_foreign(there->second);
      row.changed();
      disk.rows.insert_or_assign(name, std::move(row));
    }
  }
  index_ = std::move(disk);
  for (auto const& [name, row] : index_.rows) folder_.learn(row.info.id, row.file);
  loaded_ = true;
}

Result<void> FileStore::remove(SessionId const& id) {
  {
    auto const log = logs_.of(id.str());
    std::lock_guard<std::mutex> const lock(log->mutex);
    if (ops_->process() != process_)
      return Error{Errc::forked, 0,
                   root_ + ": the store was opened by the parent process; open one of your own"};
    if (auto r = move_to_trash(id); !r) return r;
    if (log->writer && !log->writer->poisoned()) log->writer.reset();
  }
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    index_.rows.erase(id.str());
    known_.erase(id.str());
    removed_.insert(id.str());
    touched_.insert(id.str());
  }
  folder_.forget(id);
  end_of_turn();
  return {};
}

// Under the transcript's lock, so that nobody is acknowledged an entry that goes to the trash unseen.
Result<void> FileStore::move_to_trash(SessionId const& id) {
  std::string const name = file_name(id), path = path_of(id);
  Result<detail::OpenFile> const file = open_log(id);
  if (!file) return file.error();
  if (auto r = detail::lock_within(*ops_, file->get(), options_.lock_wait, path); !r) return r;
  detail::FileStatus held, named;
  if (ops_->status(file->get(), held) < 0 || ops_->status_at(folder_.directory(), name.c_str(), named) < 0
      || !held.same_file(named))
    return missing(id); // somebody was faster
  Result<detail::OpenFile> const trash = detail::open_trash(*ops_, directory_.get(), root_);
  if (!trash) return trash.error();
  int failed = ops_->rename(folder_.directory(), name.c_str(), trash->get(), name.c_str(), false);
  if (failed == -EEXIST) { // one of this name was removed before
    std::string const other = fmt::format("{}.{}{}", id.str(), random_entry_id(), detail::transcript_suffix);
    failed = ops_->rename(folder_.directory(), name.c_str(), trash->get(), other.c_str(), false);
  }
  if (failed < 0) return detail::file_error(-failed, path, "cannot move the transcript to the trash");
  if (options_.durability == Durability::os) return {};
  if (auto r = detail::sync_directory(*ops_, trash->get(), root_ + "/trash"); !r) return r;
  return detail::sync_directory(*ops_, folder_.directory(), folder_.path());
}

// The index is a cache: that it could not be written now changes no answer.
void FileStore::end_of_turn() {
  std::unique_lock<std::mutex> turn(index_turn_, std::try_to_lock);
  if (!turn && !profile().shares_index) return; // another thread is at it; ours waits for the next turn
  if (!turn) turn.lock();
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    if (!detail::index_is_due(index_.rows.size(), ++turns_) && !profile().shares_index) return;
  }
  (void)write_index(index_patience);
}

Result<void> FileStore::write_index(std::chrono::milliseconds lock_wait) {
  load_index();
  std::set<std::string> stale;
  std::string rebuild;
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    stale = touched_;
    rebuild = rebuild_;
  }
  std::size_t rebuilt = 0;
  if (!rebuild.empty() || by_key()) { // the newest of each key is told
    Result<std::vector<SessionId>> const ids = transcripts();
    if (!ids) return ids.error();
    for (SessionId const& id : *ids)
      if (!rebuild.empty() || stale.count(id.str()) > 0 || !has_row(id))
        rebuilt += std::size_t{refresh(id, false).ok()};
    if (by_key()) drop_vanished(*ids);
  } else {
    for (std::string const& name : stale)
      if (auto const id = SessionId::parse(name))
        if (auto const row = refresh(*id, false); !row && row.error().code == Errc::not_found) drop(*id);
  }
  Result<void> replaced;
  {
    std::unique_lock<std::mutex> const writing(writing_);
    std::set<std::string> touched, removed;
    replaced = file_.replace(
        [&](bool changed, detail::SessionIndex disk) {
          std::lock_guard<std::mutex> const lock(rows_mutex_);
          std::string text = merged_index(changed, std::move(disk));
          touched.swap(touched_);
          removed.swap(removed_);
          rebuild_.clear();
          turns_ = 0;
          return text;
        },
        lock_wait);
    if (!replaced) {
      std::lock_guard<std::mutex> const lock(rows_mutex_);
      touched_.insert(touched.begin(), touched.end());
      removed_.insert(removed.begin(), removed.end());
      if (rebuild_.empty()) rebuild_ = rebuild;
    } else {
      std::lock_guard<std::mutex> const lock(rows_mutex_);
      for (std::string const& name : touched)
        if (auto const row = index_.rows.find(name); row != index_.rows.end()) row->second.titled = false;
    }
  }
  if (!rebuild.empty()) tell_rebuilt(rebuild, rebuilt, replaced);
  return replaced;
}

// A transcript that somebody took away takes its row along.
void FileStore::drop(SessionId const& id) {
  std::lock_guard<std::mutex> const lock(rows_mutex_);
  index_.rows.erase(id.str());
  known_.erase(id.str());
  removed_.insert(id.str());
}

void FileStore::drop_vanished(std::vector<SessionId> const& there) {
  std::set<std::string> names;
  for (SessionId const& id : there) names.insert(id.str());
  std::vector<SessionId> gone;
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    for (auto const& [name, row] : index_.rows)
      if (names.count(name) == 0 && row.raw.empty()) gone.push_back(row.info.id);
  }
  for (SessionId const& id : gone) drop(id);
}

void FileStore::tell_rebuilt(std::string const& why, std::size_t rows, Result<void> const& written) {
  std::string kept;
  if (!written) {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    if (written.error().code == Errc::timed_out || std::exchange(told_unwritten_, true)) return;
    kept = "; kept in memory, as it cannot be written: " + written.error().message;
  }
  tell({Event{Event::index_rebuilt,
              {},
              fmt::format("{} {}; rebuilt from {} transcripts{}", file_.path(), why, rows, kept)}});
}

std::string FileStore::merged_index(bool changed, detail::SessionIndex disk) {
  if (changed) {
    detail::IndexNews const news{touched_, removed_, !rebuild_.empty(), by_key()};
    index_ = detail::merge_index(std::move(index_), std::move(disk), news);
    for (auto const& [name, row] : index_.rows) folder_.learn(row.info.id, row.file);
  }
  return detail::index_codec(profile().layout).write(index_);
}

Result<std::size_t> FileStore::reindex() {
  load_index();
  Result<std::vector<SessionId>> const ids = transcripts();
  if (!ids) return ids.error();
  std::set<std::string> there;
  for (SessionId const& id : *ids)
    if (refresh(id, true)) there.insert(id.str());
  {
    std::lock_guard<std::mutex> const lock(rows_mutex_);
    for (auto it = index_.rows.begin(); it != index_.rows.end();)
      if (there.count(it->first) == 0) {
        removed_.insert(it->first);
        it = index_.rows.erase(it);
      } else {
        ++it;
      }
  }
  if (auto r = write_index(options_.lock_wait); !r) return r.error();
  return there.size();
}

}

namespace detail {

Result<std::shared_ptr<SessionStore>> open_file_store(FileOps& ops, std::string const& root,
                                                      FileStoreOptions options) {
  Result<OpenFile> directory = open_store_directory(ops, root, options.create);
  if (!directory) return directory.error();
  Result<Profile> const found =
      options.profile ? Result<Profile>(*options.profile) : detect_profile(ops, directory->get(), root);
  if (!found) return found.error();
  Profile const& profile = *found;
  if (options.profile)
    if (auto r = check_layout(ops, directory->get(), root, profile); !r) return r.error();
  Result<OpenFile> folder =
      TranscriptFolder::open(ops, directory->get(), root, profile.layout, options.create);
  if (!folder) return folder.error();
  auto store = std::make_shared<FileStore>(ops, root, std::move(*directory), std::move(*folder), profile,
                                           std::move(options));
  if (auto r = store->begin(); !r) return r.error();
  return std::shared_ptr<SessionStore>(std::move(store));
}

}

Result<std::shared_ptr<SessionStore>> open_file_store(std::string const& root, FileStoreOptions options) {
  return detail::open_file_store(detail::system_file_ops(), root, std::move(options));
}

Result<std::shared_ptr<SessionStore>> open_agent_store(std::string const& home, std::string const& agent,
                                                       FileStoreOptions options) {
  Result<SessionId> const name = SessionId::parse(agent);
  if (!name)
    return Error{
        Errc::invalid_argument, 0,
        fmt::format("'{}' cannot name an agent's directory; use letters, digits, '.', '_' and '-'", agent)};
  return open_file_store(fmt::format("{}/agents/{}/sessions", home, agent), std::move(options));
}

Result<Position> durable_position(SessionStore& store, SessionId const& id) {
  auto* const files = dynamic_cast<detail::SyncsFiles*>(&store);
  if (files == nullptr)
    return Error{Errc::unsupported, 0,
                 "this store is no store of files, and does not tell how far a session is on the disk"};
  return files->durable_position(id);
}

Result<std::size_t> reindex_file_store(std::string const& root, FileStoreOptions options) {
  options.create = false;
  Result<std::shared_ptr<SessionStore>> const store = open_file_store(root, std::move(options));
  if (!store) return store.error();
  return static_cast<FileStore&>(**store).reindex();
}

std::string transcript_path(SessionStore const& store, SessionId const& id) {
  auto const* const files = dynamic_cast<FileStore const*>(&store);
  return files ? files->path_of(id) : std::string{};
}

}}
