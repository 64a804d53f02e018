// SPDX-License-Identifier: MIT
// Copies a path of a session line for line, so that another session can begin with it.
#pragma once
#include <sessionkit/detail/history/path_copy.hpp>
#include <sessionkit/detail/history/path_walk.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace path_copy_inl { namespace {

struct CopiedLine {
  Entry entry;
  std::string line, type;
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
          path.push_back({std::move(*entry), std::string(item.line), std::string(item.type),
                          find_dialect(page.dialect)});
        return true;
      });
  if (!walked) return walked.error();
  std::reverse(path.begin(), path.end());
  return path;
}

}}

SESSIONKIT_SELDOM Result<Batch> copy_path(SessionStore& store, SessionId const& id, EntryId const& leaf) {
  if (leaf.empty()) return Batch{};
  Result<std::vector<path_copy_inl::CopiedLine>> path = path_copy_inl::read_path(store, id, leaf);
  if (!path) return path.error();
  for (path_copy_inl::CopiedLine& copied :
       *path) { // an id that is a place in the old log means nothing in the new one
    std::string const& text = copied.entry.id.str();
    if (copied.dialect->has_ids && copied.entry.link == Parent::previous && text.front() == '@')
      copied.entry.id = EntryId("at" + text.substr(1));
  }
  Batch batch;
  EntryId before;
  for (path_copy_inl::CopiedLine& copied : *path) {
    Entry& entry = copied.entry;
    Parent const link = before.empty() ? Parent::root : Parent::entry;
    bool const follows = !copied.dialect->has_ids || (entry.link == link && entry.parent == before);
    if (follows) {
      batch.lines += copied.line;
    } else { // a gap in the chain
      entry.link = link;
      entry.parent = before;
      path_copy_inl::name_first_kept(entry, *path);
      Result<void> const encoded = native_dialect().encode(entry, batch.lines);
      if (!encoded) return encoded.error();
    }
    batch.end_line();
    before = entry.id;
    batch.entries.push_back(entry);
    if (follows)
      batch.types.push_back(std::move(copied.type));
    else
      batch.note_type(native_dialect());
  }
  return batch;
}

}}}
