// SPDX-License-Identifier: MIT
// Implements the store that keeps each session as one document of go-kratos/blades.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/mutex.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/exchange/blades_document.hpp>
#include <sessionkit/detail/exchange/blades_readings.hpp>
#include <sessionkit/detail/exchange/blades_store.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/json_text.hpp>
#include <sessionkit/detail/store/append_decision.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

namespace blades_store_inl { namespace {

constexpr std::string_view suffix = ".json";
constexpr int in_place_tries = 3; // a program on blades writes its file in place and may be doing so
constexpr std::chrono::milliseconds in_place_pause{10};
constexpr std::int64_t settled_ns = 1'000'000'000; // a younger file may change without another time

Profile profile_of(Profile profile) {
  profile.dialect = detail::blades_dialect().name;
  return profile;
}

bool is_state(RecordView const& record) {
  RecordView head;
  std::deque<std::string> scratch;
  return detail::blades_dialect().head(record.line, head, scratch) && head.type == detail::blades_state_type;
}

bool starts_with_header(Append const& messages) {
  return messages.expected == Position{} && !messages.records.empty();
}

// True if the batch expects the header as a reader saw it, with the time of saving.
bool has_checksum_of_header(detail::BladesDocument const& document, Append const& batch) {
  if (!batch.expected_crc || batch.expected != Position{1}) return false;
  RecordPage const shown = document.records();
  return detail::crc32c(shown.items().front().line) == *batch.expected_crc;
}

// Empty if a file of this name is no document.
std::string_view id_of_document(std::string_view file) {
  bool const document = file.size() > suffix.size() && file.substr(file.size() - suffix.size()) == suffix;
  return document ? file.substr(0, file.size() - suffix.size()) : std::string_view{};
}

SessionInfo folded(SessionId const& id, RecordPage const& page) {
  SessionInfo info = make_session_info(id);
  for (RecordPage::Item const& item : page.items()) fold(info, item, page.dialect);
  info.damaged += page.damage.size();
  return info;
}

class BladesStore final : public SessionStore {
 public:
  BladesStore(detail::FileOps& ops, std::string root, detail::OpenFile directory, BladesStoreOptions options)
      : SessionStore(profile_of(options.profile)),
        ops_(&ops),
        root_(std::move(root)),
        directory_(std::move(directory)),
        options_(std::move(options)),
        process_(root_, ops) {}

  Result<Position> append(SessionId const& id, Append const& batch) override;
  Result<RecordPage> read(SessionId const& id, ReadRange const& range) override;
  Result<SessionInfo> info(SessionId const& id) override;
  Result<SessionPage> list(ListQuery const& query) override;
  Result<void> remove(SessionId const& id) override { return take_away(id, detail::Removed::to_trash); }
  Result<void> remove_permanently(SessionId const& id) override {
    return take_away(id, detail::Removed::permanently);
  }

 private:
  struct Text {
    detail::OpenFile file;
    detail::FileStatus status; // before it was read
    bool settled = false;
    std::string text;
  };
  struct Stored {
    Text from; // its text is in the document
    detail::BladesDocument document;
  };
  using Found = std::optional<Stored>;
  struct Row {
    detail::FileStatus file;
    SessionInfo info;
  };

  static std::string name_of(SessionId const& id) { return id.str() + std::string(suffix); }
  std::string path_of(SessionId const& id) const { return root_ + "/" + name_of(id); }
  Error missing(SessionId const& id) const { return detail::no_such_session(id, root_); }
  Result<void> check_writable() const;
  Result<detail::LockedFile> lock() {
    return detail::lock_directory(*ops_, directory_.get(), root_, options_.lock_wait);
  }
  Result<Text> read_text(SessionId const& id);
  Result<Found> find(SessionId const& id);
  Result<detail::AppendPlan> decide(SessionId const& id, Append const& messages, bool changes_state,
                                    RecordPage const* log);
  // These are absent or false if another program saved the document meanwhile: then it must be read again.
  Result<std::optional<Position>> try_append(SessionId const& id, Append const& batch);
  Result<std::optional<Position>> write(SessionId const& id, Append const& batch,
                                        std::vector<RecordView> const& records, Found found);
  Result<bool> store(SessionId const& id, detail::BladesDocument const& document,
                     detail::FileStatus const& replaced);
  Result<bool> store_again(SessionId const& id, Stored const& stored);
  Result<void> check_key(SessionId const& id, std::string_view key);
  Result<void> take_away(SessionId const& id, detail::Removed removed);
  Result<SessionInfo> row_of(SessionId const& id);
  Result<std::vector<SessionInfo>> rows();
  Result<void> sync_names();
  Error unknown(SessionId const& id, Error const& failure) const;
  void report_strangers(SessionId const& id, RecordPage const& page);

  detail::FileOps* ops_;
  std::string root_;
  detail::OpenFile directory_;
  BladesStoreOptions options_;
  detail::OpeningProcess process_;
  detail::Mutex mutex_; // for the members below
  std::map<SessionId, Row> rows_;
  std::map<SessionId, std::uint32_t> states_; // the last line of a state that was appended here
  std::set<SessionId> reported_;              // their unknown roles were reported
  detail::BladesReadings readings_;
  std::atomic<bool> above_synced_{false}; // the name of this directory
};

Result<void> BladesStore::check_writable() const {
  if (!options_.read_only) return {};
  return detail::make_error(Errc::unsupported, "{} was opened to be read only; open it without that to write",
                            root_);
}

Result<BladesStore::Text> BladesStore::read_text(SessionId const& id) {
  Text read;
  std::string const path = path_of(id);
  std::int64_t const now = ops_->wall_ns();
  Result<detail::OpenFile> file =
      detail::open_for_reading(*ops_, directory_.get(), name_of(id).c_str(), false, path, &read.status);
  if (!file) return file.error();
  if (read.status.size > options_.max_document)
    return detail::make_error(Errc::unsupported, "{}: the document has {} bytes, max_document allows {}",
                              path, read.status.size, options_.max_document);
  read.settled = now - read.status.modified_ns > settled_ns;
  read.text.resize(static_cast<std::size_t>(read.status.size));
  if (auto r = detail::read_exactly(*ops_, file->get(), read.text.data(), read.text.size(), 0, path); !r)
    return r.error();
  read.file = std::move(*file);
  return read;
}

// Absent: there is no such session.
Result<BladesStore::Found> BladesStore::find(SessionId const& id) {
  for (int tries = 1;; ++tries) {
    Result<Text> read = read_text(id);
    if (!read && read.error().code == Errc::not_found) return Found{};
    bool const shrank = !read && read.error().code == Errc::io_error && read.error().system == 0;
    if (!read && !shrank) return read.error();
    Result<detail::BladesDocument> document =
        shrank ? read.error() : detail::BladesDocument::parse(std::move(read->text), path_of(id));
    if (document) return Found(Stored{std::move(*read), std::move(*document)});
    if ((document.error().code != Errc::corrupt && !shrank) || tries == in_place_tries)
      return document.error();
    ops_->pause(in_place_pause);
  }
}

// A state is applied with the messages of its batch and leaves no line behind, so messages alone decide.
Result<detail::AppendPlan> BladesStore::decide(SessionId const& id, Append const& messages,
                                               bool changes_state, RecordPage const* log) {
  std::optional<detail::LastRecord> last;
  if (log != nullptr) last = {log->log_end, detail::crc32c(log->items().back().line)};
  Append asked = messages;
  {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    auto const state = states_.find(id);
    if (state != states_.end() && asked.expected_crc == state->second) asked.expected_crc.reset();
  }
  if (log != nullptr && changes_state && asked.records.empty() && asked.expected != log->log_end)
    return detail::make_error(
        Errc::conflict, "session '{}': entries follow the expected end; refresh and append again", id.str());
  detail::AppendDecision decision(id, asked, last);
  if (decision.wants_line())
    decision.line_at_expected(
        std::any_of(log->items().begin(), log->items().end(),
                    [&](RecordPage::Item const& item) { return decision.expects(item); }));
  if (decision.wants_behind())
    for (RecordPage::Item const& item : log->items())
      if (item.end > asked.expected && item.type != detail::blades_state_type && !decision.see(item)) break;
  return decision.plan();
}

Result<Position> BladesStore::append(SessionId const& id, Append const& batch) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_writable(); !r) return r.error();
  detail::LineLimits const limits{options_.max_document, true};
  if (auto r = detail::check_lines(batch.records, limits, "session '" + id.str() + "'"); !r) return r.error();
  Result<detail::LockedFile> const held = lock();
  if (!held) return held.error();
  for (int tries = 0; tries < in_place_tries; ++tries) {
    Result<std::optional<Position>> const end = try_append(id, batch);
    if (!end) return end.error();
    if (*end) return **end;
  }
  return detail::make_error(
      Errc::conflict, "session '{}': another program keeps saving its document; append again", id.str());
}

Result<std::optional<Position>> BladesStore::try_append(SessionId const& id, Append const& batch) {
  Result<Found> found = find(id);
  if (!found) return found.error();
  std::optional<RecordPage> log;
  Append messages = batch;
  if (*found) log = (*found)->document.lasting_records();
  if (*found && has_checksum_of_header((*found)->document, batch)) messages.expected_crc.reset();
  messages.records.clear();
  for (RecordView const& record : batch.records)
    if (!is_state(record)) messages.records.push_back(record);
  std::vector<RecordView> const given = messages.records;
  std::string header; // without the time of saving, which changes
  if (starts_with_header(messages)) {
    header = detail::without_time_of_saving(given.front().line);
    messages.records.front().line = header;
  }
  bool const starts = batch.expected == Position{};
  if (!*found && !starts) return missing(id);
  bool const changes_state = messages.records.size() < batch.records.size();
  if (starts && messages.records.empty() && changes_state)
    return detail::make_error(Errc::unsupported, "session '{}': a document begins with its header", id.str());
  Result<detail::AppendPlan> plan = decide(id, messages, changes_state, log ? &*log : nullptr);
  if (!plan) return plan.error();
  bool const all_there = plan->from == messages.records.size();
  if (all_there && (!changes_state || !messages.records.empty())) {
    if (!*found) return missing(id);
    bool const syncs = batch.durable || !batch.records.empty(); // who wrote it may have died before its sync
    Result<bool> const stored = syncs ? store_again(id, **found) : true;
    if (!stored) return stored.error();
    return *stored ? std::optional<Position>(plan->end) : std::nullopt;
  }
  if (!*found && detail::is_sole_start(batch))
    if (auto r = check_key(id, batch.unless_active); !r) return r.error();
  std::vector<RecordView> records(given.begin() + static_cast<std::ptrdiff_t>(plan->from), given.end());
  std::copy_if(batch.records.begin(), batch.records.end(), std::back_inserter(records), is_state);
  return write(id, batch, records, std::move(*found));
}

// `records`: the lines of the batch that are not in the document yet.
Result<std::optional<Position>> BladesStore::write(SessionId const& id, Append const& batch,
                                                   std::vector<RecordView> const& records, Found found) {
  Result<detail::BladesDocument> document =
      found ? std::move(found->document) : detail::BladesDocument::start(records.front().line, path_of(id));
  if (!document) return document.error();
  std::vector<RecordView> const added(records.begin() + (found ? 0 : 1), records.end());
  Timestamp const now = options_.clock ? options_.clock() : system_now();
  if (auto r = document->append(added, now); !r) return r.error();
  Result<bool> const stored = store(id, *document, found ? found->from.status : detail::FileStatus{});
  if (!stored) return stored.error();
  if (!*stored) return std::optional<Position>();
  std::lock_guard<detail::Mutex> const guard(mutex_);
  if (is_state(batch.records.back())) states_[id] = detail::crc32c(batch.records.back().line);
  return std::optional<Position>(document->end());
}

Result<bool> BladesStore::store(SessionId const& id, detail::BladesDocument const& document,
                                detail::FileStatus const& replaced) {
  readings_.drop(id);
  {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    rows_.erase(id);
  }
  Result<detail::OpenFile> const file =
      detail::replace_file(*ops_, directory_.get(), root_, name_of(id), document.text(), true, &replaced);
  if (!file && file.error().code == Errc::conflict) return false;
  if (!file) return file.error();
  detail::FileStatus made;
  if (int const failed = ops_->status(file->get(), made); failed < 0)
    return unknown(id, detail::file_error(-failed, path_of(id), "cannot look at it"));
  if (auto r = sync_names(); !r) {
    ops_->doubts().note({made.device, made.inode}, 0);
    return unknown(id, r.error());
  }
  detail::FileDoubts::File const old{replaced.device, replaced.inode};
  if (auto const doubt = ops_->doubts().find(old)) ops_->doubts().settle(old, doubt->failure);
  return true;
}

// For a document that has what is to be stored. After a failed sync of the directory, a later sync proves
// nothing: the document takes its name again.
Result<bool> BladesStore::store_again(SessionId const& id, Stored const& stored) {
  detail::FileDoubts::File const file{stored.from.status.device, stored.from.status.inode};
  if (ops_->doubts().find(file)) {
    Result<bool> done = store(id, stored.document, stored.from.status);
    if (done || done.error().code == Errc::outcome_unknown) return done;
    return unknown(id, done.error());
  }
  Result<void> const synced = sync_names();
  if (synced) return true;
  ops_->doubts().note(file, 0);
  return unknown(id, synced.error());
}

// The names of the documents, and at first that of their directory: its maker may have died before it could.
Result<void> BladesStore::sync_names() {
  if (auto r = detail::sync_directory(*ops_, directory_.get(), root_); !r || above_synced_) return r;
  detail::OpenFlags const flags = detail::OpenFlags::directory | detail::OpenFlags::follow_links;
  int const descriptor = detail::uninterrupted([&] { return ops_->open(directory_.get(), "..", flags); });
  if (descriptor < 0 && !detail::may_only_pass(descriptor)) // else it is not ours to sync
    return detail::file_error(-descriptor, root_ + "/..", "cannot open the directory");
  detail::OpenFile const above(*ops_, descriptor);
  if (above)
    if (auto r = detail::sync_directory(*ops_, descriptor, root_ + "/.."); !r) return r;
  above_synced_ = true;
  return {};
}

Error BladesStore::unknown(SessionId const& id, Error const& failure) const {
  return detail::make_error(Errc::outcome_unknown, failure.system,
                            "session '{}': its document is stored, but may not survive power loss; append "
                            "again: {}",
                            id.str(), failure.message);
}

Result<void> BladesStore::check_key(SessionId const& id, std::string_view key) {
  Result<std::vector<SessionInfo>> const all = rows();
  if (!all) return all.error();
  for (SessionInfo const& other : *all)
    if (selects(active_query(key), other)) return detail::key_has_session(id, key, other.id.str());
  return {};
}

Result<RecordPage> BladesStore::read(SessionId const& id, ReadRange const& range) {
  if (auto r = process_.check(); !r) return r.error();
  std::shared_ptr<detail::BladesReading const> reading;
  if (detail::FileStatus now; ops_->status_at(directory_.get(), name_of(id).c_str(), now) == 0)
    reading = readings_.find(id, range, now);
  if (!reading) {
    Result<Found> found = find(id);
    if (!found) return found.error();
    if (!*found) return missing(id);
    Text& from = (*found)->from;
    reading = std::make_shared<detail::BladesReading>(
        detail::BladesReading{std::move(from.file), from.status, from.settled, (*found)->document.records()});
    report_strangers(id, reading->records);
  }
  RecordPage page = detail::records_of_page(reading->records, range);
  if (page.more)
    readings_.keep(id, std::move(reading));
  else
    readings_.drop(id);
  return page;
}

// A message of an unknown role: once for each session.
void BladesStore::report_strangers(SessionId const& id, RecordPage const& page) {
  if (!options_.on_event) return;
  {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    if (!reported_.insert(id).second) return;
  }
  for (RecordPage::Item const& item : page.items()) {
    if (item.type != detail::blades_message_type) continue;
    std::vector<Entry> const entries = detail::read_blades_item(item.line);
    if (!entries.front().as<Custom>()) continue;
    options_.on_event(
        {Event::part_left_out, id.str(),
         detail::format_text("{}: message {} has the unknown role {}; it is kept and not sent", path_of(id),
                             item.end.value() - 2, detail::find_member(item.line, "role").substr(0, 80))});
  }
}

Result<SessionInfo> BladesStore::row_of(SessionId const& id) {
  detail::FileStatus now;
  if (ops_->status_at(directory_.get(), name_of(id).c_str(), now) == 0) {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    if (auto const known = rows_.find(id); known != rows_.end() && known->second.file.same_version(now))
      return known->second.info;
  }
  Result<Found> const found = find(id);
  if (!found) return found.error();
  if (!*found) return missing(id);
  SessionInfo info = folded(id, (*found)->document.records());
  if ((*found)->from.settled) {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    rows_.insert_or_assign(id, Row{(*found)->from.status, info});
  }
  return info;
}

Result<SessionInfo> BladesStore::info(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  return row_of(id);
}

Result<std::vector<SessionInfo>> BladesStore::rows() {
  detail::FileNames names;
  int const failed = ops_->list(directory_.get(), names);
  if (failed < 0) return detail::file_error(-failed, root_, "cannot list the directory");
  std::vector<SessionInfo> all;
  std::optional<Error> error;
  names.each([&](std::string_view name) {
    Result<SessionId> const id = SessionId::parse(id_of_document(name));
    if (!id || error) return;
    Result<SessionInfo> row = row_of(*id);
    if (row) return all.push_back(std::move(*row));
    Errc const code = row.error().code;
    if (code == Errc::not_found) return; // removed meanwhile
    if (code != Errc::corrupt && code != Errc::unsupported_version && code != Errc::unsupported) {
      error = row.error();
      return;
    }
    Result<Text> const read = read_text(*id);
    if (read && detail::check_json(read->text) && !is_blades(read->text))
      return; // another program's, such as an index
    all.push_back(make_session_info(*id));
    all.back().damaged = 1;
  });
  if (error) return *std::move(error);
  return all;
}

Result<SessionPage> BladesStore::list(ListQuery const& query) {
  if (auto r = process_.check(); !r) return r.error();
  Result<std::vector<SessionInfo>> all = rows();
  if (!all) return all.error();
  all->erase(std::remove_if(all->begin(), all->end(),
                            [&](SessionInfo const& info) { return !selects(query, info); }),
             all->end());
  return page_of(std::move(*all), query);
}

Result<void> BladesStore::take_away(SessionId const& id, detail::Removed removed) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_writable(); !r) return r.error();
  Result<detail::LockedFile> const held = lock();
  if (!held) return held.error();
  detail::FileStatus file;
  std::string const name = name_of(id);
  int failed = ops_->status_at(directory_.get(), name.c_str(), file);
  if (detail::fault_of(failed) == detail::SystemFault::missing) return missing(id);
  if (failed < 0) return detail::file_error(-failed, path_of(id), "cannot look at the document");
  Result<detail::OpenFile> const trash =
      detail::remove_file(*ops_, directory_.get(), root_, {directory_.get(), name, path_of(id)}, removed);
  if (!trash) return trash.error();
  {
    std::lock_guard<detail::Mutex> const guard(mutex_);
    rows_.erase(id);
    states_.erase(id);
    reported_.erase(id);
  }
  readings_.drop(id);
  Result<void> synced;
  if (removed == detail::Removed::to_trash)
    synced = detail::sync_directory(*ops_, trash->get(), root_ + "/trash");
  if (synced) synced = sync_names();
  return synced ? synced : detail::removal_in_doubt(id, synced.error());
}

}}

namespace detail {

Result<std::shared_ptr<SessionStore>> open_blades_store(FileOps& ops, std::string const& root,
                                                        BladesStoreOptions options) {
  if (options.read_only) options.create = false;
  Result<OpenFile> directory = open_store_directory(ops, root, options.create);
  if (!directory) return directory.error();
  StoreAccess const access{options.allow_shared_directory, options.on_event};
  if (auto r = check_store_access(ops, directory->get(), root, access); !r) return r.error();
  if (!options.read_only) remove_drafts(ops, directory->get(), root, blades_store_inl::suffix);
  return std::shared_ptr<SessionStore>(
      std::make_shared<blades_store_inl::BladesStore>(ops, root, std::move(*directory), std::move(options)));
}

}

Result<std::shared_ptr<SessionStore>> open_blades_store(std::string const& dir, BladesStoreOptions options) {
  return detail::open_blades_store(detail::system_file_ops(), dir, std::move(options));
}

}}
