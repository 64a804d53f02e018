// SPDX-License-Identifier: MIT
// Keeps the rows of a store with what is known of their transcripts, and collects the changes to write.
#pragma once
#include <sessionkit/detail/dialects/member_codec.hpp>
#include <sessionkit/detail/file_store/index_state.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace index_state_inl { namespace {

// `row_selected` for a row that is not read yet. True if only the row can show it.
bool text_selected(ListQuery const& query, std::string_view row) {
  auto const says = [row](std::string_view member, std::optional<std::string> const& wanted) {
    return !wanted || to_text(find_member(row, member)) == *wanted;
  };
  return says("key", query.key) && says("agentId", query.agent) && says("user", query.user);
}

}}

bool row_selected(ListQuery const& query, IndexRow const& row) {
  SessionInfo const& info = row.info;
  return (!query.key || *query.key == (row.key.empty() ? info.key : row.key))
         && (!query.agent || *query.agent == row.agent()) && (!query.user || *query.user == info.user)
         && (!query.archived || *query.archived == info.archived);
}

std::vector<IndexRow const*> IndexState::select(ListQuery const& query,
                                                std::optional<ListPlace> const& after) {
  std::vector<IndexRow const*> matching;
  rows.newest_first(after, [&](std::string_view id, std::string_view text) {
    if (!text.empty() && !index_state_inl::text_selected(query, text)) return true;
    std::string const name(id);
    if (absent.count(name) > 0) return true;
    IndexRow const& row = *rows.find(name);
    if (row_selected(query, row)) matching.push_back(&row);
    return matching.size() <= query.limit;
  });
  return matching;
}

SessionInfo IndexState::summary(IndexRow const& row) const {
  SessionInfo info = row.summary();
  if (auto const found = seen.find(info.id.str()); found != seen.end())
    info.damaged += found->second.trailing;
  return info;
}

void IndexState::drop(std::string const& name) {
  rows.erase(name);
  seen.erase(name);
  stale.erase(name);
  renewed.erase(name);
  removed.insert(name);
}

SESSIONKIT_SELDOM void IndexState::drop_all_but(std::set<SessionId> const& there, bool only_ours,
                                                bool by_key) {
  std::vector<std::string> gone;
  rows.each([&](std::string_view name, IndexRow const*, std::string_view) {
    if (auto const id = SessionId::parse(name); id && there.count(*id) == 0)
      gone.emplace_back(std::string(name));
  });
  for (std::string const& name : gone) {
    bool const keep = only_ours && (!rows.find(name)->raw.empty() || (!by_key && touched.count(name) > 0));
    if (!keep) drop(name);
  }
}

void IndexState::apply(RowChange change) {
  if (!change.row) {
    if (touched.count(change.name) > 0) return;
    rows.erase(change.name);
    seen.erase(change.name);
    settled = false; // somebody may have made it again before this was written
    return;
  }
  seen.erase(change.name);
  IndexRow const* const ours = rows.find(change.name);
  if (ours != nullptr && change.row->info.end < ours->info.end) { // older than ours, or of a log made again
    stale.insert(change.name);
    return;
  }
  if (ours == nullptr) settled = false;
  rows.put(std::move(*change.row));
}

SESSIONKIT_SELDOM void IndexState::merge(IndexRows disk, bool rebuilt, bool by_key) {
  rows.merge(std::move(disk), {touched, removed, rebuilt, by_key});
  for (auto one = seen.begin(); one != seen.end();) { // of a row that said less than this one does
    std::optional<IndexRows::End> const end = rows.end_of(one->first);
    one = end && end->position.value() > one->second.file.size ? seen.erase(one) : std::next(one);
  }
  settled = false; // of some rows it is not known whether their transcripts exist
}

SESSIONKIT_SELDOM IndexState::Unwritten IndexState::take_unwritten(bool with_renewed) {
  if (with_renewed) touched.merge(renewed);
  return {std::exchange(touched, {}), std::exchange(removed, {})};
}

void IndexState::give_back(Unwritten const& changes, bool written) {
  if (!written) {
    touched.insert(changes.touched.begin(), changes.touched.end());
    removed.insert(changes.removed.begin(), changes.removed.end());
    return;
  }
  for (std::string const& name : changes.touched)
    if (IndexRow* const row = rows.find(name)) row->titled = false;
}

std::string IndexState::journal_lines(Unwritten const& changes, std::uint64_t names_version) {
  std::string lines;
  for (std::string const& name : changes.removed) append_journal_line(name, nullptr, lines);
  for (std::string const& name : changes.touched)
    if (IndexRow const* const row = rows.find(name); row != nullptr && changes.removed.count(name) == 0)
      append_journal_line(name, row, lines);
  if (names_version == 0) return lines;
  rows.newest_first(std::nullopt, [&](std::string_view name, std::string_view) {
    append_journal_line(name, rows.find(name), lines, names_version);
    return false;
  });
  return lines;
}

}}}
