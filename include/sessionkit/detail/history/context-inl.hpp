// SPDX-License-Identifier: MIT
// Builds the context of a session: the entries from the first one that the last compaction keeps.
#pragma once
#include <sessionkit/context.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/history/context_builder.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace context_inl { namespace {

Error no_entry(SessionId const& id, EntryId const& leaf) {
  return detail::make_error(Errc::not_found,
                            "session '{}' has no entry '{}'; list its entries to find the id", id.str(),
                            leaf.str());
}

// `sound`: a look at whole lines would find no more.
Result<Context> read_context(SessionStore& store, SessionId const& id, EntryId const& leaf, bool heads_only,
                             bool& sound) {
  detail::ContextBuilder builder(store, id);
  Result<detail::WalkResult> walked = detail::walk_path(
      store, id, leaf,
      [&](RecordPage const& page, RecordPage::Item const& item) { return builder.add(page, item); },
      [&](std::string const& parent) { return builder.broken(parent); }, heads_only);
  sound = walked && walked->found && !walked->doubtful && builder.sound();
  if (walked && !walked->found && !leaf.empty()) return no_entry(id, leaf);
  return std::move(builder).finish(std::move(walked));
}

}}

Result<Context> load_context(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  bool sound = false;
  Result<Context> context = context_inl::read_context(store, id, leaf, true, sound);
  return sound ? std::move(context) : context_inl::read_context(store, id, leaf, false, sound);
}

Result<std::vector<Entry>> load_path(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  std::vector<Entry> entries;
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        if (Result<Entry> entry = decode(page, item)) entries.push_back(std::move(*entry));
        return true;
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  std::reverse(entries.begin(), entries.end());
  return entries;
}

Result<std::vector<Position>> path_positions(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  std::vector<Position> ends;
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const&, RecordPage::Item const& item) {
        ends.push_back(item.end);
        return true;
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  std::reverse(ends.begin(), ends.end());
  return ends;
}

Result<void> walk_back(SessionStore& store, SessionId const& id, EntryId const& leaf,
                       std::function<bool(Entry const&)> const& visit) {
  Result<detail::WalkResult> const walked =
      detail::walk_path(store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> const entry = decode(page, item);
        return !entry || visit(*entry);
      });
  if (!walked) return walked.error();
  if (!walked->found && !leaf.empty()) return context_inl::no_entry(id, leaf);
  return {};
}

Result<Log> load_log(SessionStore& store, SessionId const& id, LogLines lines) {
  Log log;
  Result<detail::WalkResult> walked = detail::for_each_record(
      store, id, std::nullopt, [&](RecordPage const& page, RecordPage::Item const& item) {
        Result<Entry> entry = decode(page, item);
        if (!entry) return log.damage.push_back(detail::undecodable_line(item, entry.error())), true;
        log.entries.push_back(std::move(*entry));
        if (lines == LogLines::kept) log.lines.emplace_back(item.line);
        return true;
      });
  if (!walked) return walked.error();
  std::move(walked->damage.begin(), walked->damage.end(), std::back_inserter(log.damage));
  log.end = walked->end;
  return log;
}

std::vector<std::size_t> parents_of(std::vector<Entry> const& entries) {
  std::unordered_map<std::string_view, std::size_t> seen;
  std::vector<std::size_t> parents(entries.size(), no_parent);
  std::size_t previous = no_parent;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Entry const& entry = entries[i];
    if (entry.as<Header>()) continue;
    auto const named = entry.link == Parent::entry ? seen.find(entry.parent.str()) : seen.end();
    if (entry.link != Parent::root) parents[i] = named != seen.end() ? named->second : previous;
    seen[entry.id.str()] = previous = i;
  }
  return parents;
}

std::vector<EntryId> leaves_of(Log const& log) {
  std::unordered_set<std::string> parents;
  for (std::size_t const parent : parents_of(log.entries))
    if (parent != no_parent) parents.insert(log.entries[parent].id.str());
  std::vector<EntryId> leaves;
  for (Entry const& entry : log.entries)
    if (!entry.as<Header>() && parents.insert(entry.id.str()).second) leaves.push_back(entry.id);
  return leaves;
}

}}
