// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/session/session_state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace sessionkit { inline namespace v0 {

namespace {

constexpr int most_rebases = 8;
constexpr int newest_native_version = 3;

std::size_t id_hash(std::string_view id) { return std::hash<std::string_view>{}(id); }

std::vector<EntryId> ids_of(std::vector<Entry> const& entries) {
  std::vector<EntryId> ids;
  ids.reserve(entries.size());
  for (Entry const& entry : entries) ids.push_back(entry.id);
  return ids;
}

// The drafts as they were stored the first time, if they are the same in all but id, time and place.
std::optional<detail::Batch> as_before(std::vector<Entry> drafts, std::vector<Entry> const& before,
                                       Dialect const& dialect) {
  if (drafts.size() < before.size()) return std::nullopt;
  drafts.resize(before.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    drafts[i].id = before[i].id;
    drafts[i].at = before[i].at;
  }
  EntryId const leaf = before.front().parent;
  Result<detail::Batch> batch = detail::make_batch(std::move(drafts), leaf, dialect);
  if (!batch) return std::nullopt;
  return std::move(*batch);
}

// Lines compared as they are read: programs may have ordered members differently.
bool same_content(detail::Batch const& ours, std::vector<Entry> const& before, Dialect const& dialect) {
  std::deque<std::string> scratch;
  std::vector<Entry> read;
  for (RecordView const& record : ours.records(dialect, scratch)) {
    Result<Entry> entry = dialect.decode(record);
    if (!entry) return false;
    read.push_back(std::move(*entry));
  }
  EntryId const leaf = before.front().parent;
  Result<detail::Batch> const a = detail::make_batch(std::move(read), leaf, dialect);
  Result<detail::Batch> const b = detail::make_batch(before, leaf, dialect);
  return a && b && a->same_lines(*b);
}

}

Result<std::vector<Entry>> Session::State::draft(std::vector<EntryBody> bodies,
                                                 std::optional<EntryId> const& named) const {
  std::vector<Entry> entries(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Entry& entry = entries[i];
    bool const last = i + 1 == bodies.size();
    if (named)
      entry.id =
          last ? *named
               : EntryId(named->str().empty() ? std::string{} : fmt::format("{}.{}", named->str(), i + 1));
    else
      entry.id = EntryId(fresh_id());
    entry.at = now();
    entry.body = std::move(bodies[i]);
    auto const* line = entry.as<Unknown>();
    bool const stands_again = line && line->type == "message"; // the hook saw it when it was said
    if (options.before_append && !stands_again) options.before_append(entry);
    if (entry.id.empty() || entry.id.str().front() == '@')
      return Error{
          Errc::invalid_argument, 0,
          fmt::format(
              "session '{}': '{}' cannot be an entry's id; give one that is not empty and does not begin "
              "with '@'",
              id.str(), entry.id.str())};
  }
  return entries;
}

Result<Position> Session::State::write(detail::Batch const& batch, bool durable) {
  std::deque<std::string> scratch;
  Append append;
  append.expected = end;
  append.expected_crc = end_crc;
  append.records = batch.records(*dialect, scratch);
  append.durable = durable;
  if (info && info->end == end && dialect->has_ids) { // else the summary needs ids that the store will give
    for (std::size_t i = 0; i < batch.entries.size(); ++i)
      fold(*info, batch.entries[i], Position{end.value() + batch.ends[i] + 1}, batch.line(i));
    append.after = &*info;
  }
  Result<Position> at = store->append(id, append);
  if (at) end_crc = append.after ? info->end_crc : detail::crc32c(batch.line(batch.ends.size() - 1));
  if (!at || !append.after) info.reset(); // folded in vain, or behind the log
  return at;
}

std::vector<EntryId> Session::State::stored(detail::Batch const& batch, Position at) {
  end = at;
  ++writes;
  if (info) info->end = at;
  if (known_ids)
    for (Entry const& entry : batch.entries) known_ids->insert(id_hash(entry.id.str()));
  std::vector<EntryId> ids = dialect->has_ids ? ids_of(batch.entries) : ids_by_place(batch, at);
  leaf = ids.back();
  return ids;
}

// What the store calls entries whose lines have no ids.
std::vector<EntryId> Session::State::ids_by_place(detail::Batch const& batch, Position at) const {
  std::vector<EntryId> ids;
  ReadRange range{ReadRange::newest_first, at, batch.entries.size(), batch.lines.size() + batch.ends.size()};
  while (ids.size() < batch.entries.size()) {
    Result<RecordPage> const page = store->read(id, range);
    if (!page || page->items().empty()) break;
    for (RecordPage::Item const& item : page->items()) ids.emplace_back(std::string(item.id));
    range.from = page->next;
    range.max_records = batch.entries.size() - ids.size();
  }
  ids.resize(batch.entries.size()); // stored all the same, where they could not be read back
  std::reverse(ids.begin(), ids.end());
  return ids;
}

// Lines behind those of a format nobody recognised, or of a newer one, would be lost on its own program.
Result<void> Session::State::check_header() {
  if (may_append || dialect != &native_dialect()) return {};
  ReadRange first;
  first.max_records = 1;
  first.max_bytes = 1;
  Result<RecordPage> const page = store->read(id, first);
  if (!page) return page.error();
  Result<Entry> const entry =
      page->items().empty() ? Error{Errc::unsupported} : decode(*page, page->items().front());
  Header const* const header = entry ? entry->as<Header>() : nullptr;
  if (header == nullptr || header->id.empty())
    return Error{
        Errc::unsupported, 0,
        fmt::format(
            "session '{}' does not begin with a session header, so no program would read what is appended; "
            "convert it, or start a new session",
            id.str())};
  if (header->version > newest_native_version)
    return Error{
        Errc::unsupported_version, 0,
        fmt::format(
            "session '{}' is in version {} of its format, and this library writes version {}; it can be "
            "read and forked",
            id.str(), header->version, newest_native_version)};
  may_append = true;
  return {};
}

Result<void> Session::State::begin(Entry header, detail::Batch taken_over) {
  std::vector<Entry> first;
  first.push_back(std::move(header));
  Result<detail::Batch> batch = detail::make_batch(std::move(first), {}, *dialect);
  if (!batch) return batch.error();
  std::size_t const shift = batch->lines.size();
  batch->lines += taken_over.lines;
  for (std::size_t const line_end : taken_over.ends) batch->ends.push_back(shift + line_end);
  for (Entry& entry : taken_over.entries) batch->entries.push_back(std::move(entry));
  info = make_session_info(id);
  Result<Position> const at = write(*batch, true);
  if (!at) return at.error();
  end = at.value();
  if (info) info->end = end;
  may_append = true;
  if (batch->entries.size() > 1)
    leaf = dialect->has_ids ? batch->entries.back().id : ids_by_place(*batch, end).back();
  return {};
}

Result<void> Session::State::append_one(EntryBody body) {
  std::vector<EntryBody> bodies;
  bodies.push_back(std::move(body));
  Result<std::vector<EntryId>> const ids = append(std::move(bodies), {});
  if (!ids) return ids.error();
  return {};
}

Result<void> Session::State::check(Plan const& plan) {
  if (plan.id && !dialect->has_ids)
    return Error{Errc::unsupported, 0,
                 fmt::format("session '{}': {} lines have no ids; append without one, or convert the session "
                             "to native",
                             id.str(), dialect->name)};
  if (auto checked = check_header(); !checked) return checked.error();
  if (plan.on_conflict == OnConflict::fail && !plan.saw_others && !unseen.empty())
    return Error{
        Errc::conflict, 0,
        fmt::format("session '{}': {} entries of another writer have not been seen; refresh and append again",
                    id.str(), unseen.size())};
  return {};
}

Result<std::vector<EntryId>> Session::State::append(std::vector<EntryBody> bodies, Plan const& plan) {
  if (profile.timing == WriteTiming::never)
    return Error{Errc::unsupported, 0,
                 fmt::format("session '{}': its profile '{}' stores nothing; open it with another one",
                             id.str(), profile.name)};
  if (auto checked = check(plan); !checked) return checked.error();
  Result<std::vector<Entry>> drafts = draft(std::move(bodies), plan.id);
  if (!drafts) return drafts.error();
  return store_drafts(std::move(*drafts), plan);
}

Result<std::vector<EntryId>> Session::State::store_drafts(std::vector<Entry> drafts, Plan const& plan) {
  auto settled = settle_doubt(drafts, plan.durable);
  if (!settled) return settled.error();
  if (*settled) return std::move(**settled);
  if (!plan.id) return append_drafts(drafts, plan);

  Result<std::vector<EntryId>> before = already_stored(drafts);
  if (!before) return before;
  drafts.erase(drafts.begin(), drafts.begin() + static_cast<std::ptrdiff_t>(before->size()));
  if (drafts.empty()) {
    if (plan.durable) // it may have been written by a process that died before it could sync
      if (auto synced = sync(); !synced) return synced.error();
    return before;
  }
  Result<std::vector<EntryId>> rest = append_drafts(drafts, plan);
  if (!rest) return rest;
  before->insert(before->end(), rest->begin(), rest->end());
  return before;
}

Result<std::vector<EntryId>> Session::State::append_drafts(std::vector<Entry> const& drafts,
                                                           Plan const& plan) {
  for (int tries = 0;; ++tries) {
    Result<detail::Batch> batch = detail::make_batch(drafts, leaf, *dialect);
    if (!batch) return batch.error();
    Result<Position> const at = write(*batch, plan.durable);
    if (at) return stored(*batch, *at);
    if (at.error().code == Errc::outcome_unknown) in_doubt = std::move(*batch);
    bool const rebases =
        plan.on_conflict == OnConflict::rebase || (plan.on_conflict == OnConflict::fork && dialect->has_ids);
    if (at.error().code != Errc::conflict || !rebases || tries == most_rebases) return at.error();
    EntryId const ours = leaf;
    bool replaced = false;
    Result<std::vector<Entry>> const theirs = refresh(&replaced);
    if (!theirs) return theirs.error();
    if (plan.on_conflict == OnConflict::fork && !replaced) leaf = ours;
    unseen.insert(unseen.end(), theirs->begin(), theirs->end());
    if (options.on_event)
      options.on_event(
          {Event::write_rebased, id.str(),
           fmt::format("{} entries of another writer came first; appending {} them", theirs->size(),
                       plan.on_conflict == OnConflict::fork ? "beside" : "behind")});
  }
}

// After `outcome_unknown`: the same entries again are the old ones, to be completed; others come behind what
// stands.
Result<std::optional<std::vector<EntryId>>> Session::State::settle_doubt(std::vector<Entry> const& drafts,
                                                                         bool durable) {
  using Settled = std::optional<std::vector<EntryId>>;
  if (!in_doubt) return Settled{};
  std::optional<detail::Batch> const again = as_before(drafts, in_doubt->entries, *dialect);
  if (!again || drafts.size() != in_doubt->entries.size() || !again->same_lines(*in_doubt)) {
    Result<std::vector<Entry>> const stands = refresh();
    if (!stands) return stands.error();
    in_doubt.reset();
    return Settled{};
  }
  Result<Position> const at = write(*in_doubt, durable);
  if (!at) {
    if (at.error().code != Errc::conflict) return at.error();
    Result<std::vector<Entry>> const stands = refresh(); // others came first: ours did not stand
    if (!stands) return stands.error();
    in_doubt.reset();
    return Settled{};
  }
  detail::Batch const batch = std::move(*in_doubt);
  in_doubt.reset();
  return Settled{stored(batch, *at)};
}

// Is the entry the leaf, or before it?
Result<bool> Session::State::leads_to_leaf(EntryId const& entry) {
  bool met = false;
  if (leaf.empty()) return met;
  Result<detail::WalkResult> const walked =
      detail::walk_path(*store, id, leaf, [&](RecordPage const&, RecordPage::Item const& item) {
        met = item.id == entry.str();
        return !met;
      });
  if (!walked) return walked.error();
  return met;
}

// The caller named the id: which of the entries stand in the log already, with the same content?
Result<std::vector<EntryId>> Session::State::already_stored(std::vector<Entry> const& drafts) {
  Result<std::vector<Entry>> const news = refresh();
  if (!news) return news.error();
  unseen.insert(unseen.end(), news->begin(), news->end());
  if (!known_ids) {
    std::unordered_set<std::size_t> ids;
    Result<detail::WalkResult> const all = detail::for_each_record(
        *store, id, std::nullopt, [&](RecordPage const&, RecordPage::Item const& item) {
          if (item.type != "session") ids.insert(id_hash(item.id));
          return true;
        });
    if (!all) return all.error();
    known_ids = std::move(ids);
  }
  std::vector<Entry> before;
  for (Entry const& entry : drafts) {
    if (known_ids->count(id_hash(entry.id.str())) == 0) break;
    Result<std::optional<Entry>> found = find(entry.id);
    if (!found) return found.error();
    if (!*found) break;
    before.push_back(std::move(**found));
  }
  if (before.empty()) return std::vector<EntryId>{};
  EntryId const& last = before.back().id;
  std::optional<detail::Batch> const ours = as_before(drafts, before, *dialect);
  if (!ours || !same_content(*ours, before, *dialect))
    return Error{Errc::already_exists, 0,
                 fmt::format("session '{}' has an entry '{}' with another content; choose another id",
                             id.str(), last.str())};
  Result<bool> const here = leads_to_leaf(last);
  if (!here) return here.error();
  if (!*here)
    return Error{
        Errc::already_exists, 0,
        fmt::format("session '{}' has entry '{}' on another branch; rewind to it, or choose another id",
                    id.str(), last.str())};
  return ids_of(before);
}

Result<void> Session::State::sync() {
  Append request;
  request.expected = end;
  request.durable = true;
  Result<Position> const synced = store->append(id, request);
  if (!synced) return synced.error();
  return {};
}

// Does the line we know still stand where we know it?
Result<bool> Session::State::still_ours() {
  if (end == Position{} || !end_crc) return true;
  Result<RecordPage> const page = store->read(id, ReadRange{ReadRange::newest_first, end, 1, 1});
  if (!page) return page.error();
  if (page->items().empty()) return false;
  RecordPage::Item const& last = page->items().front();
  bool const there = last.end == end || last.end.value() == end.value() + 1; // its line end came later
  return there && detail::crc32c(last.line) == *end_crc;
}

Result<std::vector<Entry>> Session::State::refresh(bool* replaced) {
  Result<bool> const ours = still_ours();
  if (!ours) return ours.error();
  if (!*ours) {
    end = {};
    leaf = {};
    info.reset();
    known_ids.reset();
    may_append = false;
    if (replaced != nullptr) *replaced = true;
  }
  std::vector<Entry> entries;
  Result<detail::WalkResult> const walked =
      detail::for_each_record(*store, id, end, [&](RecordPage const& page, RecordPage::Item const& item) {
        end_crc = detail::crc32c(item.line);
        if (Dialect const* known = *ours ? nullptr : find_dialect(page.dialect)) dialect = known;
        Result<Entry> entry = decode(page, item);
        if (!entry || entry->as<Header>()) return true;
        if (known_ids) known_ids->insert(id_hash(item.id));
        entries.push_back(std::move(*entry));
        return true;
      });
  if (!walked) return walked.error();
  if (walked->end != end) info.reset();
  end = walked->end;
  if (!entries.empty()) leaf = entries.back().id;
  return entries;
}

Result<void> Session::State::locate() {
  ReadRange range{ReadRange::newest_first, {}, 4, std::size_t{16} << 10};
  for (bool first = true;; first = false) {
    Result<RecordPage> const page = store->read(id, range);
    if (!page) return page.error();
    if (first) {
      end = page->log_end;
      if (!page->items().empty()) end_crc = detail::crc32c(page->items().front().line);
      if (Dialect const* known = find_dialect(page->dialect)) dialect = known;
    }
    for (RecordPage::Item const& item : page->items()) {
      if (item.type == "session" || !decode(*page, item)) continue;
      leaf = EntryId(std::string(item.id));
      return {};
    }
    if (!page->more) return {};
    range.from = page->next;
  }
}

Result<std::optional<Entry>> Session::State::find(EntryId const& entry) {
  std::optional<Entry> found;
  Result<detail::WalkResult> const walked =
      detail::walk_path(*store, id, entry, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> decoded = decode(page, item);
        if (decoded) found = std::move(*decoded);
        return false;
      });
  if (!walked) return walked.error();
  return found;
}

}}
