// SPDX-License-Identifier: MIT
// Defines the functions that every store has, and helpers for authors of stores.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/json/utf8_normalise.hpp>
#include <sessionkit/detail/store/list_cursor.hpp>
#include <sessionkit/session_store.hpp>

#include <algorithm>
#include <iterator>

namespace sessionkit { inline namespace v0 {

Result<bool> exists(SessionStore& store, SessionId const& id) {
  ReadRange range;
  range.order = ReadRange::newest_first;
  range.max_records = 1;
  range.heads_only = true;
  Result<RecordPage> const page = store.read(id, range);
  if (!page && page.error().code != Errc::not_found) return page.error();
  return page.ok();
}

namespace session_store_inl { namespace {

constexpr std::size_t at_once = 1000; // sessions of a page

// Summaries hold no other text.
void ask_as_written(ListQuery& query) {
  for (std::optional<std::string>* text : {&query.key, &query.agent, &query.user})
    if (*text) *text = detail::as_written(std::move(**text));
}

}}

ListQuery active_query(std::string_view key) {
  ListQuery query;
  query.key = std::string(key);
  query.archived = false;
  query.limit = 1;
  return query;
}

Result<std::optional<SessionInfo>> newest_session(SessionStore& store, ListQuery query) {
  if (!query.archived) query.archived = false;
  query.limit = 1;
  query.cursor.clear();
  session_store_inl::ask_as_written(query);
  Result<SessionPage> page = store.list(query);
  if (!page) return page.error();
  if (page->sessions.empty()) return std::optional<SessionInfo>{};
  return std::optional<SessionInfo>(std::move(page->sessions.front()));
}

SESSIONKIT_SELDOM Result<std::vector<SessionInfo>> list_all(SessionStore& store, ListQuery query) {
  query.limit = session_store_inl::at_once;
  query.cursor.clear();
  session_store_inl::ask_as_written(query);
  std::vector<SessionInfo> all;
  do {
    Result<SessionPage> page = store.list(query);
    if (!page) return page.error();
    std::move(page->sessions.begin(), page->sessions.end(), std::back_inserter(all));
    query.cursor = std::move(page->next);
  } while (!query.cursor.empty());
  return all;
}

Result<SessionPage> list_sessions(SessionStore& store, ListQuery query, std::size_t offset) {
  std::size_t const limit = query.limit;
  session_store_inl::ask_as_written(query);
  while (offset > 0) {
    query.limit = std::min(offset, session_store_inl::at_once);
    Result<SessionPage> passed = store.list(query);
    if (!passed) return passed.error();
    offset -= passed->sessions.size();
    if (passed->next.empty()) return SessionPage{};
    query.cursor = std::move(passed->next);
  }
  query.limit = limit;
  return store.list(query);
}

bool selects(ListQuery const& query, SessionInfo const& info) {
  return (!query.key || *query.key == info.key) && (!query.agent || *query.agent == info.agent)
         && (!query.user || *query.user == info.user)
         && (!query.archived || *query.archived == info.archived);
}

SESSIONKIT_SELDOM Result<SessionPage> page_of(std::vector<SessionInfo> matching, ListQuery const& query) {
  Result<std::optional<detail::ListPlace>> const behind = detail::place_behind(query);
  if (!behind) return behind.error();
  if (*behind)
    matching.erase(
        std::remove_if(matching.begin(), matching.end(),
                       [&](SessionInfo const& info) { return !(**behind < detail::place_of(info)); }),
        matching.end());
  SessionPage page;
  std::size_t const count = std::min(query.limit, matching.size());
  auto const newer = [](SessionInfo const& a, SessionInfo const& b) {
    return detail::place_of(a) < detail::place_of(b);
  };
  if (!std::is_sorted(matching.begin(), matching.end(), newer)) // else sorting would move much for nothing
    std::partial_sort(matching.begin(), matching.begin() + static_cast<std::ptrdiff_t>(count), matching.end(),
                      newer);
  if (count < matching.size() && count > 0) page.next = detail::list_cursor(matching[count - 1]);
  matching.erase(matching.begin() + static_cast<std::ptrdiff_t>(count), matching.end());
  page.sessions = std::move(matching);
  return page;
}

SESSIONKIT_SELDOM Result<BatchMatch> match_batch(Append const& batch,
                                                 std::vector<RecordPage::Item> const& behind) {
  if (behind.empty() || batch.records.empty()) return BatchMatch{};
  auto const same = [](RecordPage::Item const& there, RecordView const& ours) {
    return (ours.id.empty() || there.id == ours.id) && there.line == ours.line;
  };
  auto const first = std::find_if(behind.begin(), behind.end(),
                                  [&](auto const& there) { return same(there, batch.records.front()); });
  BatchMatch match;
  auto there = first;
  for (; there != behind.end() && match.present < batch.records.size(); ++there, ++match.present) {
    if (!same(*there, batch.records[match.present])) break;
    match.end = there->end;
  }
  if (match.present == batch.records.size() || (match.present > 0 && there == behind.end())) return match;
  for (RecordView const& ours : batch.records)
    for (RecordPage::Item const& item : behind)
      if (!ours.id.empty() && ours.id == item.id && ours.line != item.line)
        return detail::make_error(Errc::already_exists,
                                  "entry '{}' is in the log with other bytes; give the new entry another id",
                                  ours.id);
  return detail::make_error(Errc::conflict,
                            "{} entries follow the expected end of the log; refresh and append again",
                            behind.size());
}

}}
