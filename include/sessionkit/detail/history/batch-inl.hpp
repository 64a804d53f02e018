// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/batch.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

// Acknowledged and never read again is what must not happen.
Error unreadable_line(Entry const& entry) {
  return {
      Errc::invalid_argument, 0,
      fmt::format(
          "entry '{}' would be a line that nobody can read, nested deeper than 128 or no JSON; make its JSON "
          "flatter",
          entry.id.str())};
}

struct CopiedLine {
  Entry entry;
  std::string line;
  Dialect const* dialect;
};

// Version 1 names the first kept entry by the number of its line, the header's being 0.
void name_first_kept(Entry& entry, std::vector<CopiedLine> const& path) {
  auto* const compaction = std::get_if<Compaction>(&entry.body);
  if (!compaction || !compaction->first_kept_index || !compaction->first_kept.empty()) return;
  std::uint64_t const index = *compaction->first_kept_index;
  if (index > 0 && index <= path.size()) compaction->first_kept = path[index - 1].entry.id;
}

Result<std::vector<CopiedLine>> read_path(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  std::vector<CopiedLine> path;
  Result<WalkResult> const walked =
      walk_path(store, id, leaf, [&](RecordPage const& page, RecordPage::Item const& item) {
        if (Result<Entry> entry = decode(page, item))
          path.push_back({std::move(*entry), std::string(item.line), find_dialect(page.dialect)});
        return true;
      });
  if (!walked) return walked.error();
  std::reverse(path.begin(), path.end());
  return path;
}

}

Result<Batch> copy_path(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  if (leaf.empty()) return Batch{};
  Result<std::vector<CopiedLine>> path = read_path(store, id, leaf);
  if (!path) return path.error();
  for (CopiedLine& copied : *path) { // an id that is a place in the old log means nothing in the new one
    std::string const& text = copied.entry.id.str();
    if (copied.dialect->has_ids && copied.entry.link == Parent::previous && text.front() == '@')
      copied.entry.id = EntryId("at" + text.substr(1));
  }
  Batch batch;
  EntryId before;
  for (CopiedLine& copied : *path) {
    Entry& entry = copied.entry;
    Parent const link = before.empty() ? Parent::root : Parent::entry;
    bool const follows = !copied.dialect->has_ids || (entry.link == link && entry.parent == before);
    if (follows) {
      batch.lines += copied.line;
    } else { // a gap in the chain
      entry.link = link;
      entry.parent = before;
      name_first_kept(entry, *path);
      Result<void> const encoded = native_dialect().encode(entry, batch.lines);
      if (!encoded) return encoded.error();
    }
    batch.end_line();
    before = entry.id;
    batch.entries.push_back(entry);
  }
  return batch;
}

std::vector<RecordView> Batch::records(Dialect const& dialect, std::deque<std::string>& scratch) const {
  std::vector<RecordView> views;
  views.reserve(ends.size());
  std::deque<std::string> unescaped;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::string_view const line = this->line(i);
    RecordView view;
    dialect.head(line, view, unescaped);
    // The head's own texts may have been escapes in the line: the entry has them plain.
    if (entries[i].as<Header>())
      view.id = scratch.emplace_back(view.id);
    else
      view.id = dialect.has_ids ? std::string_view(entries[i].id.str()) : std::string_view();
    view.type = scratch.emplace_back(view.type);
    view.parent = entries[i].parent.str();
    view.link = entries[i].link;
    views.push_back(view);
  }
  return views;
}

Result<Batch> make_batch(std::vector<Entry> entries, EntryId const& leaf, Dialect const& dialect) {
  Batch batch;
  batch.entries = std::move(entries);
  EntryId parent = leaf;
  for (Entry& entry : batch.entries) {
    if (entry.as<Header>()) {
      entry.link = Parent::root;
    } else {
      // A derived id is never written: such an entry follows by standing behind the other.
      bool const by_place = !dialect.has_ids || (!parent.empty() && parent.str().front() == '@');
      entry.link = by_place ? Parent::previous : parent.empty() ? Parent::root : Parent::entry;
      entry.parent = entry.link == Parent::entry ? parent : EntryId{};
      parent = entry.id;
    }
    Result<void> const encoded = dialect.encode(entry, batch.lines);
    if (!encoded) return encoded.error();
    batch.end_line();
    if (!check_json(batch.line(batch.ends.size() - 1))) return unreadable_line(entry);
  }
  return batch;
}

std::vector<Message> split_tool_results(Message const& message) {
  std::vector<Message> messages;
  Message rest = message;
  rest.parts.clear();
  for (Part const& part : message.parts) {
    if (!std::holds_alternative<ToolResult>(part)) {
      rest.parts.push_back(part);
      continue;
    }
    Message one;
    one.role = Role::tool;
    one.parts.push_back(part);
    messages.push_back(std::move(one));
  }
  if (messages.empty()) return {message};
  if (messages.size() == 1 || rest.parts.empty()) messages.front().metadata = message.metadata;
  if (rest.role == Role::tool) rest.role = Role::user;
  if (!rest.parts.empty()) messages.push_back(std::move(rest));
  return messages;
}

bool is_only_results(Message const& message) noexcept {
  return !message.parts.empty()
         && std::all_of(message.parts.begin(), message.parts.end(),
                        [](Part const& part) { return std::holds_alternative<ToolResult>(part); });
}

std::vector<std::string> join_results(Message& message, Message more) {
  std::move(more.parts.begin(), more.parts.end(), std::back_inserter(message.parts));
  message.content_is_string = false;
  std::vector<std::string> lost;
  if (!more.metadata.is_object()) return lost;
  std::string all = message.metadata.is_object() ? message.metadata.str() : "{}";
  all.pop_back(); // open for what comes
  std::string const before = all + '}';
  for_members(more.metadata.str(), [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    std::string_view const first = find_member(before, name);
    if (first.empty())
      JsonWriter(all).member_raw(name, value);
    else if (first != value && name != "timestamp")
      lost.push_back(std::move(name));
    return true;
  });
  message.metadata = RawJsonAccess::trust(all + '}');
  return lost;
}

}}}
