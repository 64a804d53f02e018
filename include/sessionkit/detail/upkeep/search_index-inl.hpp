// SPDX-License-Identifier: MIT
// Keeps an index of grams up to date, and searches only where the index says that a text may be.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/base/directory_lock.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/opening_process.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/detail/base/visit.hpp>
#include <sessionkit/detail/store/store_extras.hpp>
#include <sessionkit/detail/upkeep/search.hpp>
#include <sessionkit/detail/upkeep/search_files.hpp>
#include <sessionkit/detail/upkeep/search_grams.hpp>
#include <sessionkit/detail/upkeep/search_index.hpp>
#include <sessionkit/detail/upkeep/search_texts.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace search_index_inl { namespace {

Result<detail::LastRecord> last_record_of(SessionStore& store, SessionId const& id) {
  if (detail::StoreExtras* const extras = detail::extras_of(store)) return extras->last_record(id);
  Result<SessionInfo> const info = store.info(id);
  if (!info) return info.error();
  return detail::LastRecord{info->end, info->end_crc};
}

bool is_same(detail::LastRecord const& a, detail::LastRecord const& b) noexcept {
  return a.end == b.end && a.crc == b.crc;
}

// Where the last record that the index knows ends now. Absent if the log does not have it any more.
Result<std::optional<Position>> place_of_last(SessionStore& store, SessionId const& id,
                                              detail::IndexedLog const& log) {
  Result<RecordPage> const page = store.read(id, detail::record_before(log.last().end));
  if (!page) return page.error();
  bool const holds = !page->items().empty() && page->dialect == log.dialect()
                     && detail::is_last_record(page->items().front(), log.last());
  return holds ? page->items().front().end : std::optional<Position>{};
}

bool has_oversize(RecordPage const& page) {
  return std::any_of(page.damage.begin(), page.damage.end(),
                     [](Damage const& damage) { return damage.kind == DamageKind::oversize; });
}

class IndexGuide final : public detail::SearchGuide {
 public:
  IndexGuide(SessionStore& store, detail::SearchSnapshot const& snapshot,
             std::vector<detail::Gram> const& grams)
      : store_(store), snapshot_(snapshot) {
    for (detail::SegmentPtr const& segment : snapshot.segments) found_.push_back(segment->blocks_with(grams));
  }

  std::optional<std::vector<detail::LogRange>> parts_to_read(SessionId const& id, Position from) override {
    detail::IndexedLog const* const log = snapshot_.find(id.str());
    if (log == nullptr) return std::nullopt;
    Result<detail::LastRecord> const now = last_record_of(store_, id);
    if (!now || now->end < log->last().end) return std::nullopt;
    bool const grew = !is_same(*now, log->last());
    // The last line may have got its line end; the store does not count this as a change.
    Position end{log->last().end.value() + 1};
    if (grew) {
      Result<std::optional<Position>> const place = place_of_last(store_, id, *log);
      if (!place || !*place) return std::nullopt;
      end = **place;
    }
    std::vector<detail::LogRange> parts = detail::ranges_of(*log, found_, from, end);
    std::uint64_t bytes = 0;
    for (detail::LogRange const& part : parts) bytes += part.bytes;
    if (2 * bytes > log->bytes()) return std::nullopt; // a search of everything is quicker
    if (grew) parts.push_back({std::max(from, end)});
    return parts;
  }

 private:
  SessionStore& store_;
  detail::SearchSnapshot const& snapshot_;
  std::vector<std::optional<detail::BlockNumbers>> found_; // for each segment
};

// Adds new entries to an index whose lock the caller has.
class Updater {
 public:
  Updater(detail::SearchFiles& files, detail::SearchIndexSizes const& sizes, SessionStore& store)
      : files_(files), sizes_(sizes), store_(store), snapshot_(files.current()) {}

  Result<SearchIndexUpdate> run(std::vector<SessionId> const& sessions) {
    report_.dropped = snapshot_->dropped;
    std::unordered_set<std::string> seen;
    for (SessionId const& id : sessions)
      if (seen.insert(id.str()).second)
        if (auto r = add(id); !r) return r.error();
    if (auto r = write(); !r) return r.error();
    if (auto r = merge(); !r) return r.error();
    files_.remove_others(*snapshot_);
    for (detail::SegmentPtr const& segment : snapshot_->segments) report_.bytes += segment->bytes();
    return std::move(report_);
  }

 private:
  void fail(SessionId const& id, Error const& error) { report_.failures.push_back({id, error}); }

  Result<void> add(SessionId const& id) {
    Result<detail::LastRecord> const now = last_record_of(store_, id);
    if (!now) return fail(id, now.error()), Result<void>{};
    detail::IndexedLog const* const known = snapshot_->find(id.str());
    detail::LastRecord before;
    if (known != nullptr) {
      if (is_same(*now, known->last())) return {};
      Result<std::optional<Position>> const place = place_of_last(store_, id, *known);
      if (!place) return fail(id, place.error()), Result<void>{};
      if (*place)
        before = {**place, known->last().crc};
      else
        ++report_.restarted;
    }
    return read_log(id, before);
  }

  // A log whose dialect is found only now is read at the next update. A search may read longer lines than
  // this store, so what follows such a line is never in the index.
  Result<void> read_log(SessionId const& id, detail::LastRecord const& before) {
    piece_ = {id.str(), {}, before, before, blocks_, {}};
    std::uint64_t const entries = report_.entries;
    ReadRange range;
    if (before.end != Position{}) range.from = before.end;
    for (bool more = true; more;) {
      Result<RecordPage> const page = store_.read(id, range);
      if (!page) fail(id, page.error());
      if (!page || has_oversize(*page) || (!piece_.dialect.empty() && piece_.dialect != page->dialect)) break;
      piece_.dialect = page->dialect;
      for (RecordPage::Item const& item : page->items())
        if (auto r = add(*page, item); !r) return r;
      more = page->more;
      range.from = page->next;
    }
    report_.sessions += report_.entries != entries ? 1 : 0;
    if (auto r = end_block(); !r) return r;
    end_piece();
    return {};
  }

  Result<void> add(RecordPage const& page, RecordPage::Item const& item) {
    if (Result<Entry> const entry = decode(page, item)) {
      auto const use = [this](std::string const& text) {
        grams_.add(text);
        return false;
      };
      detail::visit(detail::SearchTexts(everything_, use), entry->body);
    }
    piece_.last = {item.end, detail::crc32c(item.line)};
    ++block_.records;
    ++report_.entries;
    block_.bytes += item.line.size() + 1;
    return block_.bytes < sizes_.block ? Result<void>{} : end_block();
  }

  Result<void> end_block() {
    if (block_.records == 0) return {};
    block_.until = piece_.last.end;
    for (detail::Gram const gram : grams_.take()) gram_blocks_.push_back(std::uint64_t{gram} << 32 | blocks_);
    piece_.blocks.push_back(std::exchange(block_, {}));
    ++blocks_;
    if (gram_blocks_.size() < sizes_.grams) return {};
    detail::IndexedPiece rest{piece_.session, piece_.dialect, piece_.last, piece_.last, 0, {}};
    end_piece();
    piece_ = std::move(rest);
    return write();
  }

  void end_piece() {
    if (!piece_.blocks.empty()) pieces_.push_back(std::move(piece_));
    piece_ = {};
  }

  // Writes what is in memory. A kill leaves the index of before.
  Result<void> write() {
    if (pieces_.empty()) return {};
    detail::sort_by_gram(gram_blocks_);
    Result<detail::SegmentName> const name =
        detail::write_segment(files_.folder(), gram_blocks_, pieces_, blocks_);
    gram_blocks_.clear();
    pieces_.clear();
    blocks_ = 0;
    return use_segment(name, snapshot_->segments.size());
  }

  // The segment replaces those from this number on.
  Result<void> use_segment(Result<detail::SegmentName> const& name, std::size_t first) {
    if (!name) return name.error();
    Result<detail::SegmentPtr> segment = detail::SearchSegment::open(files_.folder(), *name);
    if (!segment) return segment.error();
    std::vector<detail::SegmentPtr> segments = snapshot_->segments;
    segments.resize(first);
    if ((*segment)->blocks() != 0) segments.push_back(std::move(*segment));
    Result<detail::SnapshotPtr> snapshot = files_.commit(std::move(segments));
    if (!snapshot) return snapshot.error();
    snapshot_ = std::move(*snapshot);
    return {};
  }

  // The number of the first segment to merge. After it, each segment is at least twice as large as all that
  // follow it, so there are few, and a byte is merged seldom.
  std::size_t first_to_merge() const {
    std::vector<detail::SegmentPtr> const& segments = snapshot_->segments;
    std::size_t first = segments.size();
    std::uint64_t after = 0;
    for (std::size_t i = segments.size(); i > 0; --i) {
      if (segments[i - 1]->bytes() < 2 * after) first = i - 1;
      after += segments[i - 1]->bytes();
    }
    return first;
  }

  // A page that is damaged is dropped by the next update.
  Result<void> merge() {
    std::size_t const first = first_to_merge();
    std::vector<detail::SegmentPtr> const all = snapshot_->segments;
    if (first == all.size()) return {};
    std::vector<detail::SegmentPtr> const merged(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    Result<detail::SegmentName> const name =
        detail::merge_segments(files_.folder(), merged, plan_merge(merged, first));
    bool const damaged = std::any_of(merged.begin(), merged.end(),
                                     [](detail::SegmentPtr const& segment) { return segment->is_damaged(); });
    return damaged ? Result<void>{} : use_segment(name, first);
  }

  // Leaves out what is no longer valid, and removed sessions.
  detail::MergePlan plan_merge(std::vector<detail::SegmentPtr> const& merged, std::size_t first) {
    detail::MergePlan plan;
    plan.block_bytes = sizes_.block;
    std::unordered_set<std::string> planned;
    for (detail::SegmentPtr const& segment : merged)
      plan.numbers.emplace_back(segment->blocks(), detail::MergePlan::dropped);
    for (detail::SegmentPtr const& segment : merged)
      for (detail::IndexedPiece const& piece : segment->pieces()) {
        if (!planned.insert(piece.session).second) continue;
        Result<SessionId> const id = SessionId::parse(piece.session);
        if (!id || is_removed(*id)) continue;
        detail::plan_log(plan, snapshot_->logs.at(piece.session), first);
      }
    return plan;
  }

  bool is_removed(SessionId const& id) {
    Result<detail::LastRecord> const last = last_record_of(store_, id);
    return !last && last.error().code == Errc::not_found;
  }

  detail::SearchFiles& files_;
  detail::SearchIndexSizes sizes_;
  SessionStore& store_;
  detail::SnapshotPtr snapshot_;
  SearchIndexUpdate report_;
  SearchQuery everything_ = [] {
    SearchQuery query;
    query.thinking = true;
    return query;
  }();
  // What is not written yet:
  detail::GramSet grams_; // of the open block
  detail::IndexedBlock block_;
  detail::IndexedPiece piece_;
  detail::GramBlocks gram_blocks_;
  std::vector<detail::IndexedPiece> pieces_;
  std::uint32_t blocks_ = 0;
};

}}

struct SearchIndex::State {
  State(detail::FileOps& ops, std::string const& root, detail::OpenFile opened,
        SearchIndexOptions const& chosen)
      : directory(std::move(opened)),
        options(chosen),
        process(root, ops),
        files({&ops, directory.get(), root, chosen.durability != Durability::os}) {}

  detail::OpenFile directory;
  SearchIndexOptions options;
  detail::OpeningProcess process;
  detail::SearchFiles files;
  detail::SearchIndexSizes sizes;
};

SearchIndex::SearchIndex(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
SearchIndex::SearchIndex(SearchIndex&&) noexcept = default;
SearchIndex& SearchIndex::operator=(SearchIndex&&) noexcept = default;
SearchIndex::~SearchIndex() = default;

SESSIONKIT_SELDOM Result<SearchIndex>
SearchIndexAccess::open(detail::FileOps& ops, std::string const& directory, SearchIndexOptions options) {
  Result<detail::OpenFile> opened = detail::open_store_directory(ops, directory, options.create);
  if (!opened) return opened.error();
  OnEvent const ignored;
  detail::StoreAccess const access{options.allow_shared_directory, ignored};
  if (auto r = detail::check_store_access(ops, opened->get(), directory, access); !r) return r.error();
  return SearchIndex(std::make_unique<SearchIndex::State>(ops, directory, std::move(*opened), options));
}

void SearchIndexAccess::set_sizes(SearchIndex& index, detail::SearchIndexSizes const& sizes) {
  index.state_->sizes = sizes;
}

Result<SearchIndex> SearchIndex::open(std::string const& directory, SearchIndexOptions options) {
  return SearchIndexAccess::open(detail::system_file_ops(), directory, options);
}

Result<SearchIndexUpdate> SearchIndex::update(SessionStore& store, std::vector<SessionId> const& sessions) {
  if (auto r = state_->process.check(); !r) return r.error();
  detail::SegmentFolder const& folder = state_->files.folder();
  Result<detail::LockedFile> const lock =
      detail::lock_directory(*folder.ops, folder.directory, folder.path, state_->options.lock_wait);
  if (!lock) return lock.error();
  return search_index_inl::Updater(state_->files, state_->sizes, store).run(sessions);
}

Result<SearchPage> SearchIndex::search(SessionStore& store, std::vector<SessionId> const& sessions,
                                       SearchQuery const& query) const {
  if (auto r = state_->process.check(); !r) return r.error();
  std::vector<detail::Gram> const grams = detail::grams_to_find(query.text);
  if (grams.empty()) return sessionkit::search(store, sessions, query);
  detail::SnapshotPtr const snapshot = state_->files.current();
  search_index_inl::IndexGuide guide(store, *snapshot, grams);
  return detail::search(store, sessions, query, &guide);
}

}}
