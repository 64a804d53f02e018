// SPDX-License-Identifier: MIT
// Makes a store of one transcript of any name.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/detail/file_store/reader_options.hpp>
#include <sessionkit/detail/file_store/transcript_folder.hpp>
#include <sessionkit/detail/file_store/transcript_store.hpp>
#include <sessionkit/detail/store/store_extras.hpp>
#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>

namespace sessionkit { inline namespace v0 {

namespace transcript_store_inl { namespace {

// The file's name without directory and extension, made into a session id.
SessionId session_id_of_path(std::string_view path) {
  path.remove_prefix(detail::name_begin(path));
  std::size_t const dot = path.find_last_of('.');
  if (dot != std::string_view::npos && dot > 0) path = path.substr(0, dot);
  std::string clean;
  for (char const c : path.substr(0, 128)) {
    bool const word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    clean += word || (!clean.empty() && (c == '.' || c == '_' || c == '-')) ? c : clean.empty() ? 'x' : '-';
  }
  return SessionId::parse(clean.empty() ? "session" : clean).value();
}

// Counts and compacts as the program whose dialect this is; each message is stored as it comes.
Profile profile_of_dialect(std::string_view dialect) {
  Profile profile = profiles::native;
  Profile const& whose = dialect == "panel"  ? profiles::ai_panel
                         : dialect == "flat" ? profiles::claw0
                                             : profiles::native;
  profile.estimator = whose.estimator;
  profile.compaction = whose.compaction;
  if (dialect == "bare") { // as ZeroClaw, which stores neither calls nor summaries there
    profile.tools = ToolPolicy::none;
    profile.compaction.view_only = true;
  }
  return profile;
}

class TranscriptStore final : public SessionStore, public detail::StoreExtras {
 public:
  SESSIONKIT_SELDOM TranscriptStore(detail::FileOps& ops, std::string path, SessionId id,
                                    Profile const& profile, FileStoreOptions options)
      : SessionStore(profile, this),
        ops_(&ops),
        path_(std::move(path)),
        id_(std::move(id)),
        options_(std::move(options)),
        process_(path_, ops) {}
  TranscriptStore(TranscriptStore const&) = delete;
  TranscriptStore& operator=(TranscriptStore const&) = delete;
  SESSIONKIT_SELDOM ~TranscriptStore() override = default;

  std::optional<SessionId> only_session() const override { return id_; }

  Result<Position> append(SessionId const& id, Append const& batch) override {
    if (auto r = process_.check(); !r) return r.error();
    if (id != id_)
      return batch.expected == Position{} ? Result<Position>(holds_one(id)) : Result<Position>(missing(id));
    if (auto r = check_writable(); !r) return r.error();
    auto const asked = ops_->now();
    return writer_->append(options_.on_event, [&](detail::DueSync& due) {
      return writer_->append_in_turn(*ops_, options_, batch, asked, due, [this] { return target(); });
    });
  }

  Result<Position> durable_position(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r.error();
    if (id != id_) return missing(id);
    std::lock_guard<std::mutex> const lock(writer_->mutex);
    return writer_->writer ? writer_->writer->durable_position() : Position{};
  }

  Result<std::shared_ptr<void>> hold(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r.error();
    if (id != id_) return missing(id);
    if (auto r = check_writable(); !r) return r.error();
    return detail::hold_transcript(*ops_, options_, writer_, target());
  }
  bool is_exclusive() const noexcept override { return options_.exclusive; }

  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override {
    if (auto r = process_.check(); !r) return r.error();
    if (id != id_) return missing(id);
    Result<detail::OpenFile> const file = open();
    if (!file) return file.error();
    return reader(*file).read(range);
  }

  Result<SessionInfo> info(SessionId const& id) override {
    if (auto r = process_.check(); !r) return r.error();
    if (id != id_) return missing(id);
    Result<detail::OpenFile> const file = open();
    if (!file) return file.error();
    detail::FileReader log = reader(*file);
    std::optional<SessionInfo> known;
    {
      std::lock_guard<std::mutex> const lock(known_mutex_);
      known = known_;
    }
    Result<detail::FileSummary> const fresh =
        detail::summarise(log, id_, std::move(known), options_.on_summary_progress);
    if (!fresh) return fresh.error();
    std::lock_guard<std::mutex> const lock(known_mutex_);
    known_ = fresh->info;
    return fresh->summary();
  }

  Result<detail::LastRecord> last_record(SessionId const& id) override {
    Result<SessionInfo> const info = this->info(id);
    if (!info) return info.error();
    return detail::LastRecord{info->end, info->end_crc};
  }

  Result<SessionPage> list(ListQuery const& query) override {
    Result<SessionInfo> info = this->info(id_);
    if (!info) return info.error();
    std::vector<SessionInfo> matching;
    if (selects(query, *info)) matching.push_back(std::move(*info));
    return page_of(std::move(matching), query);
  }

  Result<void> remove(SessionId const&) override {
    if (auto r = process_.check(); !r) return r;
    return detail::make_error(Errc::unsupported,
                              "{}: a transcript opened by its path is not removed; remove the file", path_);
  }

 private:
  detail::CachedWriter::Target target() const {
    return {{detail::working_directory, path_, path_}, id_.str()};
  }
  Result<void> check_writable() const {
    if (!options_.read_only) return {};
    return detail::make_error(Errc::unsupported,
                              "{} was opened to be read only; open it without that to write", path_);
  }
  Result<detail::OpenFile> open() const {
    return detail::open_for_reading(*ops_, detail::working_directory, path_.c_str(), true, path_);
  }
  detail::FileReader reader(detail::OpenFile const& file) const {
    detail::FileReader log(*ops_, file.get(), path_, detail::reader_options(options_));
    log.keep_begin_in(last_begin_);
    return log;
  }
  Error holds_one(SessionId const& id) const {
    return detail::make_error(
        Errc::unsupported,
        "{}: a transcript store holds one session, '{}', and makes none; create '{}' in a "
        "file store, or copy the transcript and open the copy",
        path_, id_.str(), id.str());
  }
  Error missing(SessionId const& id) const {
    return detail::make_error(Errc::not_found, "{} holds session '{}', not '{}'", path_, id_.str(), id.str());
  }

  detail::FileOps* ops_;
  std::string path_;
  SessionId id_;
  FileStoreOptions options_;
  detail::OpeningProcess process_;
  std::shared_ptr<detail::CachedWriter> writer_ = std::make_shared<detail::CachedWriter>();
  mutable detail::LastBegin last_begin_;
  std::mutex known_mutex_;
  std::optional<SessionInfo> known_;
};

}}

namespace detail {

SESSIONKIT_SELDOM Result<std::shared_ptr<SessionStore>> open_transcript(FileOps& ops, std::string const& path,
                                                                        FileStoreOptions options) {
  if (auto r = check_lease_options(options, path); !r) return r.error();
  Result<OpenFile> const file = open_for_reading(ops, detail::working_directory, path.c_str(), true, path);
  if (!file) return file.error();
  FileReader log(ops, file->get(), path, reader_options(options));
  Result<RecordPage> const page = log.first();
  if (!page) return page.error();
  std::optional<SessionId> id;
  if (!page->items().empty())
    if (Result<Entry> const entry = decode(*page, page->items().front()))
      if (auto const* header = entry->as<Header>())
        if (Result<SessionId> named = SessionId::parse(header->id)) id = std::move(*named);
  if (!id) id = transcript_store_inl::session_id_of_path(path);
  Profile const profile =
      options.profile ? *options.profile : transcript_store_inl::profile_of_dialect(page->dialect);
  return std::shared_ptr<SessionStore>(std::make_shared<transcript_store_inl::TranscriptStore>(
      ops, path, std::move(*id), profile, std::move(options)));
}

}

std::optional<SessionId> transcript_session(SessionStore const& store) {
  detail::StoreExtras const* const extras = detail::extras_of(store);
  return extras ? extras->only_session() : std::nullopt;
}

SESSIONKIT_SELDOM Result<std::shared_ptr<SessionStore>> open_transcript(std::string const& path,
                                                                        FileStoreOptions options) {
  return detail::open_transcript(detail::system_file_ops(), path, std::move(options));
}

}}
