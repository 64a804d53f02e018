// SPDX-License-Identifier: MIT
// Reads a long context in parts, so that its entries are not in memory all at once.
#pragma once
#include <sessionkit/detail/history/context_builder.hpp>
#include <sessionkit/detail/history/long_context.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace long_context_inl { namespace {

constexpr std::size_t part_bytes = std::size_t{256} << 10; // with their entries, in the processor's cache

// An id that is the place of its line: an old version of pi wrote the log.
bool is_place(std::string_view id) noexcept { return !id.empty() && id.front() == '@'; }

// Decodes the records of a path, newest first, until there are enough, and only finds those before them.
class NewestReader {
 public:
  NewestReader(SessionStore& store, SessionId const& id, std::size_t limit)
      : builder_(store, id), limit_(limit) {}

  bool add(RecordPage const& page, RecordPage::Item const& item) {
    bytes_ += item.line.size();
    if (is_long_) return find(page, item);
    bool const more = builder_.add(page, item);
    is_long_ = more && bytes_ > limit_ && builder_.is_plain();
    if (is_long_) newest_bytes_ = bytes_;
    return more;
  }

  // False: the context must be read as a whole.
  bool sound() const noexcept { return !is_mixed_ && builder_.sound(); }

  Result<LongContext> finish(Result<WalkResult> walked) && {
    Result<Context> newest = std::move(builder_).finish(std::move(walked));
    if (!newest) return newest.error();
    std::reverse(older_.begin(), older_.end());
    return LongContext{std::move(*newest), std::move(older_), is_long_ ? bytes_ - newest_bytes_ : 0};
  }

 private:
  bool find(RecordPage const& page, RecordPage::Item const& item) {
    is_mixed_ = page.dialect != "native" || item.type == "compaction" || is_place(item.id);
    older_.push_back(item.end);
    return !is_mixed_;
  }

  ContextBuilder builder_;
  std::size_t limit_;
  std::uint64_t bytes_ = 0, newest_bytes_ = 0;
  bool is_long_ = false, is_mixed_ = false;
  std::vector<Position> older_;
};

}}

Result<LongContext> load_newest(SessionStore& store, SessionId const& id, EntryId const& leaf,
                                std::size_t limit) {
  long_context_inl::NewestReader reader(store, id, limit);
  Result<WalkResult> walked = walk_path(
      store, id, leaf,
      [&](RecordPage const& page, RecordPage::Item const& item) { return reader.add(page, item); }, {}, true);
  if (walked && walked->found && !walked->doubtful && walked->damage.empty() && reader.sound())
    return std::move(reader).finish(std::move(walked));
  Result<Context> all = load_context(store, id, leaf);
  if (!all) return all.error();
  return LongContext{std::move(*all)};
}

Result<bool> read_older(SessionStore& store, SessionId const& id, LongContext const& context,
                        std::function<bool(std::vector<Entry>)> const& visit) {
  ReadRange range{ReadRange::oldest_first, std::nullopt, std::numeric_limits<std::size_t>::max(),
                  long_context_inl::part_bytes, true};
  for (auto next = context.older.begin(); next != context.older.end();) {
    Result<RecordPage> const page = store.read(id, range);
    if (!page) return page.error();
    if (!page->damage.empty()) return false;
    std::vector<Entry> entries;
    entries.reserve(page->items().size());
    for (RecordPage::Item const& item : page->items()) {
      if (next == context.older.end() || item.end != *next) continue;
      ++next;
      Result<Entry> entry = decode(*page, item);
      if (!entry || entry->as<Compaction>()) return false;
      entries.push_back(std::move(*entry));
    }
    if (!entries.empty() && !visit(std::move(entries))) return false;
    if (!page->more && next != context.older.end()) return false; // the log was replaced
    range.from = page->next;
  }
  return true;
}

}}}
