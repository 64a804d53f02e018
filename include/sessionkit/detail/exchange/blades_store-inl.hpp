// SPDX-License-Identifier: MIT
// Implements the store that keeps each session as one document of go-kratos/blades.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/base/replace_file.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/dialects/blades_codec.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/detail/exchange/blades_document.hpp>
#include <sessionkit/detail/exchange/blades_store.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/json_text.hpp>
#include <sessionkit/detail/store/append_decision.hpp>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace blades_store_inl { namespace {

constexpr std::string_view suffix = ".json";
constexpr int in_place_tries = 3; // a program on blades writes its file in place and may be at it
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
  Result<void> remove(SessionId const& id) override;

 private:
  using Found = std::optional<detail::BladesDocument>;
  struct Row {
    detail::FileStatus file;
    SessionInfo info;
  };

  static std::string name_of(SessionId const& id) { return id.str() + std::string(suffix); }
  std::string path_of(SessionId const& id) const { return root_ + "/" + name_of(id); }
  Error missing(SessionId const& id) const { return detail::no_such_session(id, root_); }
  Result<void> check_writable() const;
  Result<detail::OpenFile> lock() {
    return detail::lock_directory(*ops_, directory_.get(), root_, options_.lock_wait);
  }
  Result<std::string> read_text(SessionId const& id, detail::FileStatus& file);
  Result<Found> find(SessionId const& id, detail::FileStatus* file = nullptr);
  Result<detail::AppendPlan> decide(SessionId const& id, Append const& messages, bool changes_state,
                                    RecordPage const* log);
  Result<Position> write(SessionId const& id, Append const& batch, std::vector<RecordView> records,
                         Found found);
  Result<void> store(SessionId const& id, detail::BladesDocument const& document);
  Result<void> check_key(SessionId const& id, std::string_view key);
  Result<SessionInfo> row_of(SessionId const& id);
  Result<std::vector<SessionInfo>> rows();
  Result<void> sync(SessionId const& id);
  void report_strangers(SessionId const& id, RecordPage const& page);

  detail::FileOps* ops_;
  std::string root_;
  detail::OpenFile directory_;
  BladesStoreOptions options_;
  detail::OpeningProcess process_;
  std::mutex mutex_; // for the members below
  std::map<SessionId, Row> rows_;
  std::map<SessionId, std::uint32_t> states_; // the last line of a state that was appended here
  std::set<SessionId> reported_;              // their unknown roles were reported
  bool unsynced_ = false;                     // a sync of the directory failed
};

Result<void> BladesStore::check_writable() const {
  if (!options_.read_only) return {};
  return detail::make_error(Errc::unsupported, "{} was opened to be read only; open it without that to write",
                            root_);
}

Result<std::string> BladesStore::read_text(SessionId const& id, detail::FileStatus& status) {
  std::string const path = path_of(id);
  Result<detail::OpenFile> const file =
      detail::open_for_reading(*ops_, directory_.get(), name_of(id).c_str(), false, path, &status);
  if (!file) return file.error();
  if (status.size > options_.max_document)
    return detail::make_error(Errc::unsupported, "{}: the document has {} bytes, max_document allows {}",
                              path, status.size, options_.max_document);
  std::string text(static_cast<std::size_t>(status.size), '\0');
  if (auto r = detail::read_exactly(*ops_, file->get(), text.data(), text.size(), 0, path); !r)
    return r.error();
  return text;
}

// Absent: there is no such session.
Result<BladesStore::Found> BladesStore::find(SessionId const& id, detail::FileStatus* file) {
  for (int tries = 1;; ++tries) {
    detail::FileStatus status;
    Result<std::string> text = read_text(id, status);
    if (!text && text.error().code == Errc::not_found) return Found{};
    if (!text) return text.error();
    Result<detail::BladesDocument> document = detail::BladesDocument::parse(std::move(*text), path_of(id));
    if (document) {
      if (file != nullptr) *file = status;
      return Found(std::move(*document));
    }
    if (document.error().code != Errc::corrupt || tries == in_place_tries) return document.error();
    ops_->pause(in_place_pause);
  }
}

// A state is applied with the messages of its batch and leaves no line behind, so messages alone decide.
Result<detail::AppendPlan> BladesStore::decide(SessionId const& id, Append const& messages,
                                               bool changes_state, RecordPage const* log) {
  std::optional<detail::LogTail> tail;
  if (log != nullptr) tail = {log->log_end, detail::crc32c(log->items().back().line)};
  Append asked = messages;
  {
    std::lock_guard<std::mutex> const guard(mutex_);
    auto const state = states_.find(id);
    if (state != states_.end() && asked.expected_crc == state->second) asked.expected_crc.reset();
  }
  if (log != nullptr && changes_state && asked.records.empty() && asked.expected != log->log_end)
    return detail::make_error(
        Errc::conflict, "session '{}': entries follow the expected end; refresh and append again", id.str());
  detail::AppendDecision decision(id, asked, tail);
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
  Result<detail::OpenFile> const held = lock();
  if (!held) return held.error();
  Result<Found> found = find(id);
  if (!found) return found.error();
  std::optional<RecordPage> log;
  if (*found) log = (*found)->records();
  Append messages = batch;
  messages.records.clear();
  for (RecordView const& record : batch.records)
    if (!is_state(record)) messages.records.push_back(record);
  bool const starts = batch.expected == Position{};
  if (!*found && !starts) return missing(id);
  bool const changes_state = messages.records.size() < batch.records.size();
  if (starts && messages.records.empty() && changes_state)
    return detail::make_error(Errc::unsupported, "session '{}': a document begins with its header", id.str());
  Result<detail::AppendPlan> plan = decide(id, messages, changes_state, log ? &*log : nullptr);
  if (!plan) return plan.error();
  bool const all_there = plan->from == messages.records.size();
  if (all_there && (!changes_state || !messages.records.empty())) {
    if (batch.durable)
      if (auto r = sync(id); !r) return r.error();
    return plan->end;
  }
  if (!*found && detail::is_sole_start(batch))
    if (auto r = check_key(id, batch.unless_active); !r) return r.error();
  std::vector<RecordView> records(messages.records.begin() + static_cast<std::ptrdiff_t>(plan->from),
                                  messages.records.end());
  std::copy_if(batch.records.begin(), batch.records.end(), std::back_inserter(records), is_state);
  return write(id, batch, std::move(records), std::move(*found));
}

// `records`: the lines of the batch that are not in the document yet.
Result<Position> BladesStore::write(SessionId const& id, Append const& batch, std::vector<RecordView> records,
                                    Found found) {
  if (!found) {
    Result<detail::BladesDocument> made = detail::BladesDocument::start(records.front().line, path_of(id));
    if (!made) return made.error();
    found = std::move(*made);
    records.erase(records.begin());
  }
  Timestamp const now = options_.clock ? options_.clock() : system_now();
  if (auto r = found->append(records, now); !r) return r.error();
  if (auto r = store(id, *found); !r) return r.error();
  std::lock_guard<std::mutex> const guard(mutex_);
  if (is_state(batch.records.back())) states_[id] = detail::crc32c(batch.records.back().line);
  return found->end();
}

Result<void> BladesStore::store(SessionId const& id, detail::BladesDocument const& document) {
  Result<detail::OpenFile> const file =
      detail::replace_file(*ops_, directory_.get(), root_, name_of(id), document.text(), true);
  if (!file) return file.error();
  Result<void> const synced = detail::sync_directory(*ops_, directory_.get(), root_);
  std::lock_guard<std::mutex> const guard(mutex_);
  rows_.erase(id);
  unsynced_ = !synced;
  if (synced) return {};
  return detail::make_error(Errc::outcome_unknown,
                            "session '{}': it is stored, but may not survive power loss; append again: {}",
                            id.str(), synced.error().message);
}

// After a failed sync of the directory, a later one proves nothing: the document takes its name again.
Result<void> BladesStore::sync(SessionId const& id) {
  bool again = false;
  {
    std::lock_guard<std::mutex> const guard(mutex_);
    again = unsynced_;
  }
  if (!again) return detail::sync_directory(*ops_, directory_.get(), root_);
  Result<Found> const found = find(id);
  if (!found) return found.error();
  return *found ? store(id, **found) : Result<void>(missing(id));
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
  Result<Found> const found = find(id);
  if (!found) return found.error();
  if (!*found) return missing(id);
  RecordPage whole = (*found)->records();
  report_strangers(id, whole);
  bool const backwards = range.order == ReadRange::newest_first;
  auto const& items = whole.items();
  auto const split = std::partition_point(items.begin(), items.end(), [&](RecordPage::Item const& item) {
    return range.from ? !(*range.from < item.end) : backwards;
  });
  RecordPage page;
  page.dialect = whole.dialect;
  page.log_end = whole.log_end;
  auto at = static_cast<std::size_t>(split - items.begin());
  std::size_t bytes = 0;
  while (backwards ? at > 0 : at < items.size()) {
    RecordPage::Item const& item = items[backwards ? at - 1 : at];
    if (!page.items().empty()
        && (page.items().size() >= range.max_records || bytes + item.line.size() > range.max_bytes))
      break;
    page.add(item.end, item);
    bytes += item.line.size();
    backwards ? --at : ++at;
  }
  page.more = backwards ? at > 0 : at < items.size();
  page.next = at == 0 ? Position{} : items[at - 1].end;
  if (!backwards && !page.more) page.next = whole.log_end;
  if (!range.from) page.damage = std::move(whole.damage);
  return page;
}

// A message of an unknown role: once for each session.
void BladesStore::report_strangers(SessionId const& id, RecordPage const& page) {
  if (!options_.on_event) return;
  {
    std::lock_guard<std::mutex> const guard(mutex_);
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
    std::lock_guard<std::mutex> const guard(mutex_);
    if (auto const known = rows_.find(id); known != rows_.end() && known->second.file.same_version(now))
      return known->second.info;
  }
  detail::FileStatus file;
  Result<Found> const found = find(id, &file);
  if (!found) return found.error();
  if (!*found) return missing(id);
  SessionInfo info = folded(id, (*found)->records());
  if (ops_->wall_ns() - file.modified_ns > settled_ns) {
    std::lock_guard<std::mutex> const guard(mutex_);
    rows_.insert_or_assign(id, Row{file, info});
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
    bool const document = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
    if (!document || error) return;
    Result<SessionId> const id = SessionId::parse(std::string(name.substr(0, name.size() - suffix.size())));
    if (!id) return;
    Result<SessionInfo> row = row_of(*id);
    if (row) return all.push_back(std::move(*row));
    Errc const code = row.error().code;
    if (code == Errc::not_found) return; // removed meanwhile
    if (code != Errc::corrupt && code != Errc::unsupported_version && code != Errc::unsupported) {
      error = row.error();
      return;
    }
    detail::FileStatus file;
    Result<std::string> const text = read_text(*id, file);
    if (text && detail::check_json(*text) && !is_blades(*text)) return; // another program's, such as an index
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

Result<void> BladesStore::remove(SessionId const& id) {
  if (auto r = process_.check(); !r) return r.error();
  if (auto r = check_writable(); !r) return r.error();
  Result<detail::OpenFile> const held = lock();
  if (!held) return held.error();
  detail::FileStatus file;
  std::string const name = name_of(id);
  int failed = ops_->status_at(directory_.get(), name.c_str(), file);
  if (failed == -ENOENT) return missing(id);
  if (failed < 0) return detail::file_error(-failed, path_of(id), "cannot look at the document");
  Result<detail::OpenFile> const trash = detail::open_trash(*ops_, directory_.get(), root_);
  if (!trash) return trash.error();
  failed = ops_->rename(directory_.get(), name.c_str(), trash->get(), name.c_str(), false);
  if (failed == -EEXIST) { // one of this name was removed before
    std::string const other = detail::format_text("{}.{}{}", id.str(), random_entry_id(), suffix);
    failed = ops_->rename(directory_.get(), name.c_str(), trash->get(), other.c_str(), false);
  }
  if (failed < 0) return detail::file_error(-failed, path_of(id), "cannot move the document to the trash");
  {
    std::lock_guard<std::mutex> const guard(mutex_);
    rows_.erase(id);
    states_.erase(id);
    reported_.erase(id);
  }
  if (auto r = detail::sync_directory(*ops_, trash->get(), root_ + "/trash"); !r) return r;
  return detail::sync_directory(*ops_, directory_.get(), root_);
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
  return std::shared_ptr<SessionStore>(
      std::make_shared<blades_store_inl::BladesStore>(ops, root, std::move(*directory), std::move(options)));
}

}

Result<std::shared_ptr<SessionStore>> open_blades_store(std::string const& dir, BladesStoreOptions options) {
  return detail::open_blades_store(detail::system_file_ops(), dir, std::move(options));
}

}}
