// SPDX-License-Identifier: MIT
// Appends entries to the end of a log to which others may append too.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/dialects/dialect_detection.hpp>
#include <sessionkit/detail/dialects/header_detection.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/model/tool_results.hpp>
#include <sessionkit/detail/session/session_tail.hpp>
#include <sessionkit/detail/store/last_record.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <variant>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace session_tail_inl { namespace {

constexpr int max_rebases = 64; // in each, another writer was quicker: threads in a loop often are
constexpr int newest_native_version = 3;
constexpr std::size_t first_records = 8,
                      first_record_bytes = std::size_t{4} << 10;             // a header and some entries
constexpr std::size_t first_lines = 64, first_bytes = std::size_t{64} << 10; // of one read of a log's begin

std::size_t id_hash(std::string_view id) { return std::hash<std::string_view>{}(id); }

std::vector<EntryId> ids_of(std::vector<Entry> const& entries) {
  std::vector<EntryId> ids;
  ids.reserve(entries.size());
  for (Entry const& entry : entries) ids.push_back(entry.id);
  return ids;
}

// Encodes the drafts with the ids, times and place of the entries that were stored the first time.
SESSIONKIT_SELDOM std::optional<Batch> as_before(std::vector<Entry> drafts, std::vector<Entry> const& before,
                                                 Dialect const& dialect) {
  if (drafts.size() < before.size()) return std::nullopt;
  drafts.resize(before.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    drafts[i].id = before[i].id;
    drafts[i].at = before[i].at;
  }
  EntryId const leaf = before.front().parent;
  Result<Batch> batch = make_batch(std::move(drafts), leaf, dialect);
  if (!batch) return std::nullopt;
  return std::move(*batch);
}

// Compares lines by what they decode to, because programs may order members differently.
bool same_content(Batch const& ours, std::vector<Entry> const& before, Dialect const& dialect) {
  std::vector<Entry> read;
  for (RecordView const& record : ours.records(dialect)) {
    Result<Entry> entry = dialect.decode(record);
    if (!entry) return false;
    read.push_back(std::move(*entry));
  }
  EntryId const leaf = before.front().parent;
  Result<Batch> const a = make_batch(std::move(read), leaf, dialect);
  Result<Batch> const b = make_batch(before, leaf, dialect);
  return a && b && a->same_lines(*b);
}

}}

SESSIONKIT_SELDOM Result<void> SessionTail::locate() {
  ReadRange range{ReadRange::newest_first, {}, 4, std::size_t{16} << 10};
  for (bool first = true;; first = false) {
    Result<RecordPage> const page = store_->read(id_, range);
    if (!page) return page.error();
    if (first) {
      end_ = page->log_end;
      if (!page->items().empty()) end_crc_ = crc32c(page->items().front().line);
      if (Dialect const* known = find_dialect(page->dialect)) dialect_ = known;
    }
    for (RecordPage::Item const& item : page->items()) {
      if (item.type == "session" || !decode(*page, item)) continue;
      leaf_ = EntryId(std::string(item.id));
      return {};
    }
    if (!page->more) return {};
    range.from = page->next;
  }
}

SESSIONKIT_SELDOM Result<void> SessionTail::create(Entry header, Batch taken_over, StartRules const& rules) {
  std::vector<Entry> first;
  first.push_back(std::move(header));
  Result<Batch> batch = make_batch(std::move(first), {}, *dialect_);
  if (!batch) return batch.error();
  batch->add(std::move(taken_over));
  info_ = make_session_info(id_);
  Result<Position> const at = write(*batch, true, rules);
  if (!at) return at.error();
  end_ = at.value();
  if (info_) info_->end = end_;
  may_append_ = true;
  if (batch->entries.size() > 1)
    leaf_ = dialect_->has_ids ? batch->entries.back().id : ids_by_place(*batch, end_).back();
  return {};
}

Result<void> SessionTail::check_append(AppendRequest const& request) {
  if (request.id && !dialect_->has_ids)
    return make_error(Errc::unsupported,
                      "session '{}': {} lines have no ids; append without one, or convert the session "
                      "to native",
                      id_.str(), dialect_->name);
  if (auto checked = check_first_lines(); !checked) return checked.error();
  if (request.on_conflict == OnConflict::fail && !request.saw_others && !unseen_.empty())
    return make_error(
        Errc::conflict,
        "session '{}': {} entries of another writer have not been seen; refresh and append again", id_.str(),
        unseen_.size());
  return {};
}

// A format that nobody recognised, or a newer one: its own program would lose lines that we append.
SESSIONKIT_SELDOM Result<void> SessionTail::check_first_lines() {
  if (may_append_ || dialect_->in_documents) return {};
  ReadRange range;
  range.max_records = session_tail_inl::first_records;
  range.max_bytes = session_tail_inl::first_record_bytes;
  DialectSearch search(dialect_);
  std::uint64_t bytes = 0;
  bool ours = false; // there is an entry that this dialect alone writes
  Dialect const* others = nullptr;
  for (bool first = true, more = true; more && !search.is_enough(bytes); first = false) {
    Result<RecordPage> const page = store_->read(id_, range);
    if (!page) return page.error();
    if (first && dialect_ == &native_dialect())
      if (auto checked = check_native_header(*page); !checked) return checked;
    for (RecordPage::Item const& item : page->items()) {
      bytes += item.line.size();
      search.look(item.line);
      DialectSearch one;
      if (is_header_line(item.line) || !one.look(item.line)) continue;
      ours = ours || &one.dialect() == dialect_;
      if (others == nullptr && &one.dialect() != dialect_) others = &one.dialect();
    }
    more = page->more;
    range = ReadRange{ReadRange::oldest_first, page->next, session_tail_inl::first_lines,
                      session_tail_inl::first_bytes};
  }
  if (!search.is_known())
    return make_error(
        Errc::unsupported,
        "session '{}': its first {} lines are in no format that is known, so no program would read "
        "what is appended; start a new session",
        id_.str(), search.unknown());
  if (&search.dialect() != dialect_)
    return make_error(
        Errc::conflict,
        "session '{}' has lines of {} and was opened as one of {}; open it again, or convert it", id_.str(),
        search.dialect().name, dialect_->name);
  if (others != nullptr && !ours)
    return make_error(
        Errc::conflict,
        "session '{}' has a header of {} and entries of {}, so no program would read all of it; repair its "
        "header first",
        id_.str(), dialect_->name, others->name);
  may_append_ = true;
  return {};
}

Result<void> SessionTail::check_native_header(RecordPage const& page) const {
  Result<Entry> const entry =
      page.items().empty() ? Error{Errc::unsupported} : decode(page, page.items().front());
  Header const* const header = entry ? entry->as<Header>() : nullptr;
  if (header == nullptr || header->id.empty())
    return make_error(
        Errc::unsupported,
        "session '{}' does not begin with a session header, so no program would read what is appended; "
        "convert it, or start a new session",
        id_.str());
  if (header->version > session_tail_inl::newest_native_version)
    return make_error(
        Errc::unsupported_version,
        "session '{}' is in version {} of its format, and this library writes version {}; it can be "
        "read and forked",
        id_.str(), header->version, session_tail_inl::newest_native_version);
  return {};
}

Result<std::vector<EntryId>> SessionTail::append(std::vector<Entry> drafts, AppendRequest const& request) {
  auto settled = settle_doubt(drafts, request.durable);
  if (!settled) return settled.error();
  if (*settled) return std::move(**settled);
  if (!request.id) return append_new(drafts, request);

  Result<std::vector<EntryId>> before = already_stored(drafts);
  if (!before) return before;
  drafts.erase(drafts.begin(), drafts.begin() + static_cast<std::ptrdiff_t>(before->size()));
  if (drafts.empty()) {
    if (request.durable) // the process that wrote it may have died before it could sync
      if (auto synced = sync(); !synced) return synced.error();
    return before;
  }
  Result<std::vector<EntryId>> rest = append_new(drafts, request);
  if (!rest) return rest;
  before->insert(before->end(), rest->begin(), rest->end());
  return before;
}

Result<std::vector<EntryId>> SessionTail::append_new(std::vector<Entry> const& drafts,
                                                     AppendRequest const& request) {
  for (int tries = 0;; ++tries) {
    Result<Batch> batch = make_batch(drafts, leaf_, *dialect_);
    if (!batch) return batch.error();
    Result<Position> const at = write(*batch, request.durable);
    if (at) return advance(*batch, *at);
    if (at.error().code == Errc::outcome_unknown) in_doubt_ = std::move(*batch);
    bool const rebases = request.on_conflict == OnConflict::rebase
                         || (request.on_conflict == OnConflict::fork && dialect_->has_ids);
    if (at.error().code != Errc::conflict || !rebases || tries == session_tail_inl::max_rebases)
      return at.error();
    EntryId const ours = leaf_;
    bool replaced = false;
    Result<std::vector<Entry>> const theirs = read_on(&replaced);
    if (!theirs) return theirs.error();
    if (request.on_conflict == OnConflict::fork && !replaced) leaf_ = ours;
    unseen_.insert(unseen_.end(), theirs->begin(), theirs->end());
    if (on_event_)
      on_event_({Event::write_rebased, id_.str(),
                 format_text("{} entries of another writer came first; appending {} them", theirs->size(),
                             request.on_conflict == OnConflict::fork ? "beside" : "behind")});
  }
}

Result<Position> SessionTail::write(Batch const& batch, bool durable, StartRules const& rules) {
  Append append;
  append.unless_active = rules.unless_active;
  append.only_new = rules.only_new;
  append.expected = end_;
  append.expected_crc = end_crc_;
  append.records = batch.records(*dialect_);
  append.durable = durable;
  append.dialect = dialect_->name;
  if (info_ && info_->end == end_
      && dialect_->has_ids) { // else the store will give ids, and the summary needs them
    for (std::size_t i = 0; i < batch.entries.size(); ++i)
      fold(*info_, batch.entries[i], Position{end_.value() + batch.ends[i] + 1}, batch.line(i));
    append.after = &*info_;
  }
  Result<Position> at = store_->append(id_, append);
  if (at) end_crc_ = append.after ? info_->end_crc : crc32c(batch.line(batch.ends.size() - 1));
  if (!at || !append.after) info_.reset(); // the fold failed or lags behind the log
  return at;
}

std::vector<EntryId> SessionTail::advance(Batch const& batch, Position at) {
  end_ = at;
  ++writes_;
  if (info_) info_->end = at;
  if (known_ids_)
    for (Entry const& entry : batch.entries) known_ids_->insert(session_tail_inl::id_hash(entry.id.str()));
  std::vector<EntryId> ids =
      dialect_->has_ids ? session_tail_inl::ids_of(batch.entries) : ids_by_place(batch, at);
  leaf_ = ids.back();
  return ids;
}

// The ids that the store gives to entries whose lines have none.
SESSIONKIT_SELDOM std::vector<EntryId> SessionTail::ids_by_place(Batch const& batch, Position at) const {
  std::vector<EntryId> ids;
  ReadRange range{ReadRange::newest_first, at, batch.entries.size(), batch.lines.size() + batch.ends.size()};
  while (ids.size() < batch.entries.size()) {
    Result<RecordPage> const page = store_->read(id_, range);
    if (!page || page->items().empty()) break;
    for (RecordPage::Item const& item : page->items()) ids.emplace_back(std::string(item.id));
    range.from = page->next;
    range.max_records = batch.entries.size() - ids.size();
  }
  ids.resize(batch.entries.size()); // they are stored even if they could not be read back
  std::reverse(ids.begin(), ids.end());
  return ids;
}

// After `outcome_unknown`: if the same entries come again, their append is completed. Other entries follow
// what is in the log.
SESSIONKIT_SELDOM Result<std::optional<std::vector<EntryId>>>
SessionTail::settle_doubt(std::vector<Entry> const& drafts, bool durable) {
  using Settled = std::optional<std::vector<EntryId>>;
  if (!in_doubt_) return Settled{};
  std::optional<Batch> const again = session_tail_inl::as_before(drafts, in_doubt_->entries, *dialect_);
  if (!again || drafts.size() != in_doubt_->entries.size() || !again->same_lines(*in_doubt_)) {
    Result<std::vector<Entry>> const found = read_on();
    if (!found) return found.error();
    in_doubt_.reset();
    return Settled{};
  }
  Result<Position> const at = write(*in_doubt_, durable);
  if (!at) {
    if (at.error().code != Errc::conflict) return at.error();
    Result<std::vector<Entry>> const found = read_on(); // others came first: ours was not stored
    if (!found) return found.error();
    in_doubt_.reset();
    return Settled{};
  }
  Batch const batch = std::move(*in_doubt_);
  in_doubt_.reset();
  return Settled{advance(batch, *at)};
}

SESSIONKIT_SELDOM Result<void> SessionTail::learn_ids() {
  if (known_ids_) return {};
  std::unordered_set<std::size_t> ids;
  Result<WalkResult> const all =
      for_each_record(*store_, id_, std::nullopt, [&](RecordPage const&, RecordPage::Item const& item) {
        if (item.type != "session") ids.insert(session_tail_inl::id_hash(item.id));
        return true;
      });
  if (!all) return all.error();
  known_ids_ = std::move(ids);
  return {};
}

// The caller chose the id: which of the entries are in the log already, with the same content?
SESSIONKIT_SELDOM Result<std::vector<EntryId>> SessionTail::already_stored(std::vector<Entry> const& drafts) {
  if (auto caught_up = catch_up(); !caught_up) return caught_up.error();
  if (auto learned = learn_ids(); !learned) return learned.error();
  std::vector<Entry> before;
  for (Entry const& entry : drafts) {
    if (known_ids_->count(session_tail_inl::id_hash(entry.id.str())) == 0) break;
    Result<std::optional<Entry>> found = find(entry.id);
    if (!found) return found.error();
    if (!*found) break;
    before.push_back(std::move(**found));
  }
  if (before.empty()) return std::vector<EntryId>{};
  EntryId const& last = before.back().id;
  std::optional<Batch> const ours = session_tail_inl::as_before(drafts, before, *dialect_);
  if (!ours || !session_tail_inl::same_content(*ours, before, *dialect_))
    return make_error(Errc::already_exists,
                      "session '{}' has an entry '{}' with another content; choose another id", id_.str(),
                      last.str());
  Result<bool> const here = leads_to_leaf(last);
  if (!here) return here.error();
  if (!*here)
    return make_error(Errc::already_exists,
                      "session '{}' has entry '{}' on another branch; rewind to it, or choose another id",
                      id_.str(), last.str());
  return session_tail_inl::ids_of(before);
}

// Is the entry the leaf or an ancestor of it?
Result<bool> SessionTail::leads_to_leaf(EntryId const& entry) const {
  bool met = false;
  if (leaf_.empty()) return met;
  Result<WalkResult> const walked =
      walk_path(*store_, id_, leaf_, [&](RecordPage const&, RecordPage::Item const& item) {
        met = item.id == entry.str();
        return !met;
      });
  if (!walked) return walked.error();
  return met;
}

Result<void> SessionTail::sync() {
  Append request;
  request.expected = end_;
  request.durable = true;
  Result<Position> const synced = store_->append(id_, request);
  if (!synced) return synced.error();
  return {};
}

// Is the last line we know still at its place?
Result<bool> SessionTail::still_ours() const {
  if (end_ == Position{} || !end_crc_) return true;
  return still_holds({end_, *end_crc_}, [&](ReadRange const& range) { return store_->read(id_, range); });
}

// Reads what follows `end_` and moves there. If the log is not the one we knew (it was removed and created
// again, or rewritten), it is read from the start and `replaced` is set.
Result<std::vector<Entry>> SessionTail::read_on(bool* replaced) {
  Result<bool> const ours = still_ours();
  if (!ours) return ours.error();
  if (!*ours) {
    end_ = {};
    leaf_ = {};
    info_.reset();
    known_ids_.reset();
    may_append_ = false;
    if (replaced != nullptr) *replaced = true;
  }
  std::vector<Entry> entries;
  Result<WalkResult> const walked =
      for_each_record(*store_, id_, end_, [&](RecordPage const& page, RecordPage::Item const& item) {
        end_crc_ = crc32c(item.line);
        if (Dialect const* known = *ours ? nullptr : find_dialect(page.dialect)) dialect_ = known;
        Result<Entry> entry = decode(page, item);
        if (!entry || entry->as<Header>()) return true;
        if (known_ids_) known_ids_->insert(session_tail_inl::id_hash(item.id));
        entries.push_back(std::move(*entry));
        return true;
      });
  if (!walked) return walked.error();
  if (walked->end != end_) info_.reset();
  end_ = walked->end;
  if (!entries.empty()) leaf_ = entries.back().id;
  return entries;
}

Result<void> SessionTail::catch_up() {
  Result<std::vector<Entry>> news = read_on();
  if (!news) return news.error();
  std::move(news->begin(), news->end(), std::back_inserter(unseen_));
  return {};
}

Result<SessionInfo> SessionTail::info() {
  if (!info_ || info_->end != end_) {
    Result<SessionInfo> info = store_->info(id_);
    if (!info) return info;
    info_ = std::move(*info);
  }
  return *info_;
}

Result<std::optional<Entry>> SessionTail::find(EntryId const& entry) const {
  std::optional<Entry> found;
  Result<WalkResult> const walked =
      walk_path(*store_, id_, entry, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> decoded = decode(page, item);
        if (decoded) found = std::move(*decoded);
        return false;
      });
  if (!walked) return walked.error();
  return found;
}

SESSIONKIT_SELDOM Result<std::vector<std::string>> SessionTail::unanswered_calls() const {
  std::vector<std::string> calls, answered;
  if (leaf_.empty()) return calls;
  Result<WalkResult> const walked =
      walk_path(*store_, id_, leaf_, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> const entry = decode(page, item);
        auto const* message = entry ? entry->as<Message>() : nullptr;
        if (!message) return true;
        for (ToolUse const* call : message->tool_uses()) calls.push_back(call->id);
        if (!is_only_results(*message)) return false;
        for (Part const& part : message->parts) answered.push_back(std::get<ToolResult>(part).tool_use_id);
        return true;
      });
  if (!walked) return walked.error();
  auto const is_answered = [&](std::string const& call) {
    return std::find(answered.begin(), answered.end(), call) != answered.end();
  };
  calls.erase(std::remove_if(calls.begin(), calls.end(), is_answered), calls.end());
  return calls;
}

}}}
