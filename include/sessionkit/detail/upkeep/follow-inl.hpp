// SPDX-License-Identifier: MIT
// Follows a log: reads the entries appended since the last look, or starts again from the first entry.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/last_record.hpp>
#include <sessionkit/follow.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace follow_inl { namespace {

// Bytes after the last whole line may be a line that is being written. They are reported when the line is
// whole or ended with a newline.
void leave_torn_out(RecordPage& page) {
  auto const open = [&](Damage const& damage) {
    return damage.kind == DamageKind::torn_tail || damage.offset >= page.next.value();
  };
  page.damage.erase(std::remove_if(page.damage.begin(), page.damage.end(), open), page.damage.end());
}

bool has_derived_id(std::string_view id) noexcept { return id.empty() || id.front() == '@'; }

}}

LogFollower::LogFollower(std::shared_ptr<SessionStore> store, SessionId id, Position from)
    : store_(std::move(store)), id_(std::move(id)), from_(from) {}

void LogFollower::remember(RecordPage::Item const& item) {
  last_ = {EntryId(std::string(item.id)), item.end, detail::crc32c(item.line)};
}

// Before the first look: checks that the session exists, and reads the record before `from_`.
Result<void> LogFollower::meet() {
  if (met_) return {};
  ReadRange range;
  range.max_records = 1;
  range.max_bytes = 1;
  if (Result<RecordPage> const any = store_->read(id_, range); !any) return any.error();
  if (from_ != Position{}) {
    Result<RecordPage> const page = store_->read(id_, detail::record_before(from_));
    if (!page) return page.error();
    if (!page->items().empty()) remember(page->items().front());
  }
  met_ = true;
  return {};
}

Result<bool> LogFollower::is_unchanged() {
  if (last_.end == Position{}) return true;
  return detail::still_holds({last_.end, last_.crc},
                             [&](ReadRange const& range) { return store_->read(id_, range); });
}

// The log was replaced. If it holds the record reported last, only what follows it is news; else all is.
Result<LogNews> LogFollower::start_over() {
  LogNews news;
  news.change = LogNews::replaced;
  Witness found;
  ReadRange range;
  range.order = ReadRange::newest_first;
  for (bool more = true; more && found.end == Position{} && last_.end != Position{};) {
    Result<RecordPage> const page = store_->read(id_, range);
    if (!page && page.error().code == Errc::not_found) break; // the new log does not exist yet
    if (!page) return page.error();
    for (RecordPage::Item const& item : page->items()) {
      bool const same_name = !follow_inl::has_derived_id(item.id) && item.id == last_.id.str();
      if (!same_name && detail::crc32c(item.line) != last_.crc) continue;
      found = {last_.id, item.end, detail::crc32c(item.line)};
      break;
    }
    more = page->more;
    range.from = page->next;
  }
  last_ = found;
  news.from = from_ = found.end;
  seen_end_ = {};
  return news;
}

Result<LogNews> LogFollower::next() {
  if (auto met = meet(); !met) return met.error();
  ReadRange range;
  range.from = from_;
  Result<RecordPage> page = store_->read(id_, range);
  if (!page && page.error().code == Errc::not_found) {
    LogNews news;
    if (!std::exchange(gone_, true)) news.change = LogNews::removed;
    return news;
  }
  if (!page) return page.error();
  bool const grew = page->log_end != seen_end_ || !page->items().empty();
  if (grew || gone_) {
    bool const shorter = page->log_end < last_.end;
    Result<bool> const same = shorter ? Result<bool>(false) : is_unchanged();
    if (!same && same.error().code != Errc::not_found) return same.error();
    if (!same) return next(); // it was removed between the two reads
    gone_ = false;
    if (!*same) return start_over();
  }
  seen_end_ = page->log_end;
  bool const cut = page->next < from_; // only bad lines followed the last record, and they are gone
  from_ = cut ? last_.end : page->next;
  if (!page->items().empty()) remember(page->items().back());
  follow_inl::leave_torn_out(*page);
  LogNews news;
  news.page = std::move(*page);
  return news;
}

Result<void> follow(LogFollower& follower, std::function<bool(LogNews const&)> const& take,
                    std::function<bool()> const& wait) {
  for (;;) {
    Result<LogNews> const news = follower.next();
    if (!news) return news.error();
    bool const nothing =
        news->change == LogNews::none && news->page.items().empty() && news->page.damage.empty();
    if (!nothing && !take(*news)) return {};
    bool const more = !nothing && (news->page.more || news->change == LogNews::replaced);
    if (!more && !wait()) return {};
  }
}

}}
