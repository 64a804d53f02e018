// SPDX-License-Identifier: MIT
// Implements the store that keeps sessions as transcripts in a directory, with open writers and an index.
#pragma once
#include <sessionkit/detail/base/exceptions.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/foreign_folder.hpp>
#include <sessionkit/detail/file_store/reader_options.hpp>
#include <sessionkit/detail/file_store/store_index.hpp>
#include <sessionkit/detail/store/append_decision.hpp>
#include <sessionkit/detail/store/store_extras.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>
#include <sessionkit/detail/transcript/quarantine.hpp>

namespace sessionkit { inline namespace v0 {

namespace file_store_inl { namespace {

std::string transcripts_path(std::string const& root, Profile const& profile,
                             FileStoreOptions const& options) {
  return options.transcripts.empty() ? detail::TranscriptFolder::usual_path(root, profile.layout)
                                     : options.transcripts;
}

class FileStore final : public SessionStore, public detail::StoreExtras {
 public:
  SESSIONKIT_SELDOM FileStore(detail::FileOps& ops, std::string root, detail::OpenFile directory,
                              detail::OpenFile folder, Profile const& profile, FileStoreOptions options)
      : SessionStore(profile, this),
        ops_(&ops),
        root_(std::move(root)),
        directory_(std::move(directory)),
        options_(std::move(options)),
        process_(root_, ops),
        folder_(ops, directory_.get(), transcripts_path(root_, profile, options_), profile.layout,
                std::move(folder)),
        index_(ops, directory_.get(), root_, profile, options_, folder_) {}
  FileStore(FileStore const&) = delete;
  FileStore& operator=(FileStore const&) = delete;
  SESSIONKIT_SELDOM ~FileStore() override {
    if (process_.is_this_one())
      detail::without_throwing([this] { index_.close(); }); // out of memory: the index is a cache
  }

  detail::StoreIndex& index() noexcept { return index_; }
  std::string path_of(SessionId const& id) const { return folder_.path() + "/" + folder_.file_of(id); }
  /// Empty in a forked child: finding the name may take a lock.
  std::string transcript_path(SessionId const& id) const override {
    return process_.is_this_one() ? path_of(id) : std::string{};
  }

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r.error();
    return index_.info(id);
  }
  Result<detail::LastRecord> last_record(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r.error();
    return index_.last_record(id);
  }
  Result<SessionPage> list(ListQuery const& query) override {
    if (auto r = process_.check(); !r) return r.error();
    return index_.list(query);
  }
  Result<void> remove(SessionId const& id) override { return take_away(id, detail::Removed::to_trash); }
  Result<void> remove_permanently(SessionId const& id) override {
    return take_away(id, detail::Removed::permanently);
  }
  Result<Position> durable_position(SessionId const& id) override;
  Result<std::shared_ptr<void>> hold(SessionId const& id) override;
  bool is_exclusive() const noexcept override { return options_.exclusive; }

 private:
  detail::CachedWriter::Target target_of(SessionId const& id) const {
    unsigned const above = profile().layout == StoreLayout::by_id ? 1 : 2;
    return {{folder_.directory(), folder_.file_of(id), path_of(id), above}, id.str()};
  }
  Result<detail::OpenFile> open_log(SessionId const& id) const;
  Result<void> take_away(SessionId const& id, detail::Removed removed);
  Result<void> remove_log(SessionId const& id, detail::CachedWriter const& log, detail::Removed removed);
  Result<void> check_key(SessionId const& id, std::string_view key);
  Result<void> check_writable() const {
    if (!options_.read_only) return {};
    return detail::make_error(Errc::unsupported,
                              "{} was opened to be read only; open it without that to write", root_);
  }

  detail::FileOps* ops_;
  std::string root_;
  detail::OpenFile directory_;
  FileStoreOptions options_;
  detail::OpeningProcess process_;
  detail::WriterCache logs_;
  mutable detail::TranscriptFolder folder_; // learns names as it is asked
  detail::LastBegin last_begin_;            // a session is read page by page
  detail::StoreIndex index_;
};

Result<detail::OpenFile> FileStore::open_log(SessionId const& id) const {
  Result<std::string> const name = folder_.find(id);
  if (!name) return name.error();
  Result<detail::OpenFile> file =
      detail::open_for_reading(*ops_, folder_.directory(), name->c_str(), false, path_of(id));
  if (!file && file.error().code == Errc::not_found) return index_.missing(id);
  return file;
}

Result<Position> FileStore::append(SessionId const& id, Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_writable(); !r) return r.error();
  auto const asked = ops_->now();
  auto const log = logs_.of(id.str());
  auto const target = [this, &id] { return target_of(id); };
  auto const write = [&](detail::DueSync& due) -> Result<Position> {
    if (batch.expected == Position{})
      if (auto r = folder_.choose(id, batch); !r) return r.error();
    std::optional<detail::LockedFile> alone; // until the session has its first line
    if (detail::is_sole_start(batch)) {
      Result<detail::LockedFile> lock = index_.lock_keys();
      if (!lock) return lock.error();
      alone.emplace(std::move(*lock));
      if (auto r = check_key(id, batch.unless_active); !r) return r.error();
    }
    if (profile().layout != StoreLayout::by_id)
      if (auto name = folder_.find(id); !name) return name.error();
    Result<Position> end = log->append_in_turn(*ops_, options_, batch, asked, due, target);
    if (!end && end.error().code == Errc::not_found) return index_.missing(id);
    if (end && !batch.records.empty()) index_.note_append(id, batch, *end);
    return end;
  };
  auto const settle = [&](Result<Position> const& end) {
    if (end && batch.durable) index_.end_of_turn();
  };
  return log->append(options_.on_event, write, settle);
}

SESSIONKIT_SELDOM Result<std::shared_ptr<void>> FileStore::hold(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_writable(); !r) return r.error();
  if (auto name = folder_.find(id); !name) return name.error();
  return detail::hold_transcript(*ops_, options_, logs_.of(id.str()), target_of(id));
}

// `conflict` if the session does not exist, and another one answers for the key.
Result<void> FileStore::check_key(SessionId const& id, std::string_view key) {
  Result<SessionInfo> const own = index_.info(id);
  if (own) return {};
  if (own.error().code != Errc::not_found) return own.error();
  Result<std::optional<SessionInfo>> const active = index_.active_session(key);
  if (!active) return active.error();
  return *active ? detail::key_has_session(id, key, (*active)->id.str()) : Result<void>{};
}

Result<Position> FileStore::durable_position(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  detail::FileStatus status;
  Result<std::string> const name = folder_.find(id);
  if (!name) return name.error();
  int const failed = ops_->status_at(folder_.directory(), name->c_str(), status);
  if (detail::fault_of(failed) == detail::SystemFault::missing) return index_.missing(id);
  if (failed < 0) return detail::file_error(-failed, path_of(id), "cannot look at the file");
  return logs_.durable(id.str());
}

Result<RecordPage> FileStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = process_.check(); !r) return r.error();
  Result<detail::OpenFile> const file = open_log(id);
  if (!file) return file.error();
  detail::FileReader log(*ops_, file->get(), path_of(id), detail::reader_options(options_));
  log.keep_begin_in(last_begin_);
  Result<RecordPage> page = log.read(range);
  if (!page || range.from) return page;
  Result<bool> const nothing = detail::shows_nothing(log, *page);
  if (!nothing) return nothing.error();
  if (*nothing) return index_.missing(id);
  return page;
}

SESSIONKIT_SELDOM Result<void> FileStore::take_away(SessionId const& id, detail::Removed removed) {
  if (auto r = process_.check(); !r) return r;
  if (auto r = check_writable(); !r) return r;
  Result<void> gone;
  {
    auto const log = logs_.of(id.str());
    std::lock_guard<std::mutex> const lock(log->mutex);
    gone = remove_log(id, *log, removed);
    if (!gone && gone.error().code != Errc::outcome_unknown) return gone;
    if (log->writer && !log->writer->poisoned()) log->writer.reset();
    index_.note_removed(id); // before anybody makes it again
  }
  if (removed == detail::Removed::permanently) {
    Result<void> forgotten = detail::Quarantine::forget(*ops_, directory_.get(), root_, folder_.file_of(id));
    Result<void> const written = index_.rewrite(); // the journal has the rows that the session had
    if (forgotten) forgotten = written;
    if (!forgotten && gone) gone = detail::removal_incomplete(id, forgotten.error());
  } else {
    index_.end_of_turn();
  }
  folder_.forget(id);
  return gone;
}

// Under the transcript's lock: no append is acknowledged whose entry this call removes without seeing it.
Result<void> FileStore::remove_log(SessionId const& id, detail::CachedWriter const& log,
                                   detail::Removed removed) {
  std::string const name = folder_.file_of(id), path = path_of(id);
  Result<std::string_view> const program =
      detail::program_of_transcript(*ops_, folder_.directory(), folder_.path(), name);
  if (!program) return program.error();
  if (!program->empty() && !detail::has_our_lock(*ops_, directory_.get()))
    return detail::make_error(Errc::unsupported,
                              "{} is a transcript of {}, and nothing was stored beside it; move it elsewhere",
                              path, *program);
  Result<detail::OpenFile> const file = open_log(id);
  if (!file) return file.error();
  detail::FileStatus held, named;
  int looked = ops_->status(file->get(), held);
  bool const leased = looked == 0 && log.writer && log.writer->has_lock_of(held);
  std::optional<detail::FileLock> lock;
  if (!leased) {
    Result<detail::FileLock> taken = detail::lock_within(*ops_, file->get(), options_.lock_wait, path);
    if (!taken) return taken.error();
    lock.emplace(std::move(*taken));
  }
  if (looked == 0) looked = ops_->status_at(folder_.directory(), name.c_str(), named);
  if (detail::fault_of(looked) == detail::SystemFault::missing || (looked == 0 && !held.same_file(named)))
    return index_.missing(id); // somebody was faster
  if (looked < 0) return detail::file_error(-looked, path, "cannot look at the transcript");
  Result<detail::OpenFile> const trash =
      detail::remove_file(*ops_, directory_.get(), root_, {folder_.directory(), name, path}, removed);
  if (!trash) return trash.error();
  if (options_.durability == Durability::os) return {};
  Result<void> synced;
  if (removed == detail::Removed::to_trash)
    synced = detail::sync_directory(*ops_, trash->get(), root_ + "/trash");
  if (synced) synced = detail::sync_directory(*ops_, folder_.directory(), folder_.path());
  return synced ? synced : detail::removal_in_doubt(id, synced.error());
}

// The directory of the transcripts; no file if the layout has none.
SESSIONKIT_SELDOM Result<detail::OpenFile> open_transcripts(detail::FileOps& ops, int directory,
                                                            std::string const& root, StoreLayout layout,
                                                            FileStoreOptions const& options) {
  if (options.transcripts.empty())
    return detail::TranscriptFolder::open(ops, directory, root, layout, options.create);
  if (layout == StoreLayout::by_id)
    return detail::make_error(
        Errc::invalid_argument,
        "{}: only claw0's layout has a directory of transcripts of its own; open the store "
        "without the directory {}",
        root, options.transcripts);
  return detail::open_store_directory(ops, options.transcripts, options.create);
}

}}

namespace detail {

SESSIONKIT_SELDOM Result<void> check_lease_options(FileStoreOptions const& options, std::string const& path) {
  if (!options.exclusive || !options.read_only) return {};
  return detail::make_error(
      Errc::invalid_argument,
      "{}: a store that is read only cannot be exclusive, because it takes no locks; choose "
      "one of the two options",
      path);
}

SESSIONKIT_SELDOM Result<std::shared_ptr<SessionStore>> open_file_store(FileOps& ops, std::string const& root,
                                                                        FileStoreOptions options) {
  if (options.read_only) options.create = false;
  if (auto r = check_lease_options(options, root); !r) return r.error();
  Result<OpenFile> directory = open_store_directory(ops, root, options.create);
  if (!directory) return directory.error();
  Result<std::string> const index = begin_of_index(ops, directory->get(), root);
  if (!index) return index.error();
  LastBegin last;
  if (auto r = refuse_foreign_folder(ops, directory->get(), root, *index, last); !r) return r.error();
  StoreAccess const access{options.allow_shared_directory, options.on_event};
  if (auto r = check_store_access(ops, directory->get(), root, access); !r) return r.error();
  if (!options.transcripts.empty() && !options.profile) options.profile = profiles::claw0;
  Result<Profile> const found = options.profile ? Result<Profile>(*options.profile)
                                                : detect_profile(ops, directory->get(), root, *index, last);
  if (!found) return found.error();
  Profile const& profile = *found;
  if (options.profile)
    if (auto r = check_layout(ops, directory->get(), root, *index, profile); !r) return r.error();
  options.profile = profile;
  Result<OpenFile> folder =
      file_store_inl::open_transcripts(ops, directory->get(), root, profile.layout, options);
  if (!folder) return folder.error();
  if (*folder) {
    std::string const path = file_store_inl::transcripts_path(root, profile, options);
    if (auto r = check_store_access(ops, folder->get(), path, access); !r) return r.error();
  }
  auto store = std::make_shared<file_store_inl::FileStore>(ops, root, std::move(*directory),
                                                           std::move(*folder), profile, std::move(options));
  if (auto r = store->index().begin(); !r) return r.error();
  return std::shared_ptr<SessionStore>(std::move(store));
}

Result<std::size_t> reindex_file_store(FileOps& ops, std::string const& root, FileStoreOptions options,
                                       StoreProgress const& progress) {
  options.create = false;
  Result<std::shared_ptr<SessionStore>> const store = open_file_store(ops, root, std::move(options));
  if (!store) return store.error();
  return static_cast<file_store_inl::FileStore&>(**store).index().reindex(progress);
}

}

SESSIONKIT_SELDOM Result<std::shared_ptr<SessionStore>> open_file_store(std::string const& root,
                                                                        FileStoreOptions options) {
  return detail::open_file_store(detail::system_file_ops(), root, std::move(options));
}

SESSIONKIT_SELDOM Result<std::shared_ptr<SessionStore>>
open_agent_store(std::string const& home, std::string const& agent, FileStoreOptions options) {
  Result<SessionId> const name = SessionId::parse(agent);
  if (!name)
    return detail::make_error(Errc::invalid_argument,
                              "'{}' cannot name an agent's directory; use letters, digits, '.', '_' and '-'",
                              agent);
  return open_file_store(detail::format_text("{}/agents/{}/sessions", home, agent), std::move(options));
}

Result<std::size_t> reindex_file_store(std::string const& root, FileStoreOptions options,
                                       StoreProgress const& progress) {
  return detail::reindex_file_store(detail::system_file_ops(), root, std::move(options), progress);
}

Result<Position> durable_position(SessionStore& store, SessionId const& id) {
  detail::StoreExtras* const extras = detail::extras_of(store);
  if (extras == nullptr)
    return detail::make_error(
        Errc::unsupported,
        "this store is no store of files, and does not tell how far a session is on the disk");
  return extras->durable_position(id);
}

std::string transcript_path(SessionStore const& store, SessionId const& id) {
  detail::StoreExtras const* const extras = detail::extras_of(store);
  return extras ? extras->transcript_path(id) : std::string{};
}

}}
