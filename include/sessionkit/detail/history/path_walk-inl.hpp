// SPDX-License-Identifier: MIT
// Follows parents from a leaf to the root of a session, also where damage broke the path.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/history/path_walk.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/dialect.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace path_walk_inl { namespace {

constexpr std::size_t first_window = std::size_t{256} << 10;
constexpr std::size_t largest_window = std::size_t{1} << 20; // stays in the processor's cache

// Where ids are, made once a parent was missing: shows without reading whether the next one is there.
class IdIndex {
 public:
  static Result<IdIndex> build(SessionStore& store, SessionId const& id) {
    IdIndex index;
    Result<WalkResult> const all =
        for_each_record(store, id, std::nullopt, [&](RecordPage const&, RecordPage::Item const& item) {
          index.ends_.emplace_back(std::hash<std::string_view>{}(item.id), item.end.value());
          return true;
        });
    if (!all) return all.error();
    std::sort(index.ends_.begin(), index.ends_.end());
    return index;
  }
  bool is_before(std::string_view id, Position child) const {
    std::pair<std::size_t, std::uint64_t> const key{std::hash<std::string_view>{}(id), 0};
    auto const at = std::lower_bound(ends_.begin(), ends_.end(), key);
    return at != ends_.end() && at->first == key.first && at->second < child.value();
  }

 private:
  std::vector<std::pair<std::size_t, std::uint64_t>> ends_;
};

class PathWalk {
 public:
  PathWalk(SessionStore& store, SessionId const& id, OnPath const& on_path, OnBreak const& on_break,
           bool heads_only)
      : store_(store), id_(id), on_path_(on_path), on_break_(on_break), heads_only_(heads_only) {}

  Result<WalkResult> run(EntryId const& leaf) {
    wanted_ = leaf.str();
    any_ = leaf.empty();
    std::optional<Position> from;
    for (;;) {
      Result<void> const read = read_back(from);
      if (!read) return read.error();
      if (done_ || !result_.found || any_) break;
      if (heads_only_) {
        result_.doubtful = true;
        break;
      }
      if (!before_child_) {
        bridge();
        break;
      }
      if (!index_) {
        Result<IdIndex> index = IdIndex::build(store_, id_);
        if (!index) return index.error();
        index_ = std::move(*index);
      }
      if (!bridge()) break;
      from = before_child_;
    }
    keep_each_damage_once();
    return std::move(result_);
  }

 private:
  // Pages that overlap report the same damage. Afterwards it is in the order of the log.
  SESSIONKIT_SELDOM void keep_each_damage_once() {
    std::map<std::pair<std::uint64_t, DamageKind>, Damage> by_place;
    for (Damage& damage : result_.damage)
      by_place.emplace(std::pair(damage.offset, damage.kind), std::move(damage));
    result_.damage.clear();
    for (auto& [place, damage] : by_place) result_.damage.push_back(std::move(damage));
  }

  // Until the path ends, or the log does with the wanted entry still missing.
  Result<void> read_back(std::optional<Position> from) {
    ReadRange range{ReadRange::newest_first, from, std::numeric_limits<std::size_t>::max(), first_window,
                    heads_only_};
    for (bool first = !from;; first = false) {
      Result<RecordPage> page = store_.read(id_, range);
      if (!page) return page.error();
      if (first) result_.end = page->log_end;
      std::move(page->damage.begin(), page->damage.end(), std::back_inserter(result_.damage));
      for (RecordPage::Item const& item : page->items()) {
        if (item.type == "session") continue;
        visit(*page, item);
        if (done_) return {};
      }
      if (!page->more) return {};
      range.from = page->next;
      range.max_bytes = std::min(range.max_bytes * 2, largest_window);
    }
  }

  void visit(RecordPage const& page, RecordPage::Item const& item) {
    if (result_.found && !before_child_) before_child_ = item.end;
    if (!any_ && item.id != wanted_) return;
    if (!result_.found && any_ && !is_whole(page, item)) return;
    result_.found = true;
    child_ = item.id;
    child_end_ = item.end;
    before_child_.reset();
    done_ = !on_path_(page, item) || item.link == Parent::root
            || (item.link == Parent::entry && item.parent.empty());
    any_ = item.link == Parent::previous;
    wanted_ = item.parent;
    // With the index at hand a missing parent shows at once.
    if (!done_ && !any_ && index_ && !index_->is_before(wanted_, child_end_)) done_ = !bridge();
  }

  // A line torn after its head is nobody's leaf.
  bool is_whole(RecordPage const& page, RecordPage::Item const& item) {
    if (is_whole_object(item.line)) return true;
    Result<Entry> const entry = decode(page, item);
    if (!entry) result_.damage.push_back(undecodable_line(item, entry.error()));
    result_.doubtful = result_.doubtful || !entry;
    return entry.ok();
  }

  // The wanted parent is not there: the entry before the child takes its place. False: no more is wanted.
  bool bridge() {
    result_.doubtful = true;
    result_.damage.push_back(
        {child_end_.value(), 0, DamageKind::missing_parent,
         detail::format_text(
             "entry '{}' names parent '{}', which does not stand before it; the entry before it "
             "in the log, if any, takes its place",
             child_, wanted_)});
    any_ = true;
    return !on_break_ || on_break_(wanted_);
  }

  SessionStore& store_;
  SessionId const& id_;
  OnPath const& on_path_;
  OnBreak const& on_break_;
  bool heads_only_;
  WalkResult result_;
  std::optional<IdIndex> index_;
  std::string wanted_, child_;
  Position child_end_;
  std::optional<Position> before_child_; ///< end of the entry before the child
  bool any_ = false, done_ = false;
};

}}

Damage undecodable_line(RecordPage::Item const& item, Error const& error) {
  std::uint64_t const end = item.end.value();
  std::uint64_t const length = item.line.size();
  return {end > length ? end - length : 0, length, DamageKind::bad_json, error.message};
}

Result<WalkResult> walk_path(SessionStore& store, SessionId const& id, EntryId const& leaf,
                             OnPath const& on_path, OnBreak const& on_break, bool heads_only) {
  return path_walk_inl::PathWalk(store, id, on_path, on_break, heads_only).run(leaf);
}

Result<WalkResult> for_each_record(SessionStore& store, SessionId const& id, std::optional<Position> from,
                                   OnPath const& visit) {
  WalkResult result;
  ReadRange range{ReadRange::oldest_first, from, std::numeric_limits<std::size_t>::max(),
                  std::size_t{1} << 20};
  for (;;) {
    Result<RecordPage> page = store.read(id, range);
    if (!page) return page.error();
    result.end = page->log_end;
    std::move(page->damage.begin(), page->damage.end(), std::back_inserter(result.damage));
    for (RecordPage::Item const& item : page->items()) {
      result.found = true;
      if (!visit(*page, item)) return result;
    }
    if (!page->more) return result;
    range.from = page->next;
  }
}

}}}
