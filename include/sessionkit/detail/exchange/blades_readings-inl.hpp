// SPDX-License-Identifier: MIT
// Cuts pages out of a parsed document, and keeps the document for the next page.
#pragma once
#include <sessionkit/detail/exchange/blades_readings.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

RecordPage records_of_page(RecordPage const& whole, ReadRange const& range) {
  bool const backwards = range.order == ReadRange::newest_first;
  auto const& items = whole.items();
  auto const split = std::partition_point(items.begin(), items.end(), [&](RecordPage::Item const& item) {
    return range.from ? !(*range.from < item.end) : backwards;
  });
  RecordPage page;
  page.dialect = whole.dialect;
  page.log_end = whole.log_end;
  auto at = static_cast<std::size_t>(split - items.begin());
  std::size_t bytes = 0;
  while (backwards ? at > 0 : at < items.size()) {
    RecordPage::Item const& item = items[backwards ? at - 1 : at];
    if (!page.items().empty()
        && (page.items().size() >= range.max_records || bytes + item.line.size() > range.max_bytes))
      break;
    page.add(item.end, item);
    bytes += item.line.size();
    backwards ? --at : ++at;
  }
  page.more = backwards ? at > 0 : at < items.size();
  page.next = at == 0 ? Position{} : items[at - 1].end;
  if (!backwards && !page.more) page.next = whole.log_end;
  if (!range.from) page.damage = whole.damage;
  return page;
}

std::shared_ptr<BladesReading const> BladesReadings::find(SessionId const& id, ReadRange const& range,
                                                          FileStatus const& now) {
  std::lock_guard<Mutex> const guard(mutex_);
  auto const found =
      std::find_if(kept_.begin(), kept_.end(), [&](Kept const& kept) { return kept.first == id; });
  if (found == kept_.end()) return nullptr;
  bool const continues = range.from && *range.from != Position{};
  if (!found->second->version.same_version(now) || (!found->second->settled && !continues)) {
    kept_.erase(found);
    return nullptr;
  }
  kept_.splice(kept_.begin(), kept_, found);
  return found->second;
}

void BladesReadings::keep(SessionId const& id, std::shared_ptr<BladesReading const> reading) {
  std::lock_guard<Mutex> const guard(mutex_);
  drop_locked(id);
  kept_.emplace_front(id, std::move(reading));
  std::uint64_t bytes = 0;
  std::size_t fit = 0;
  for (Kept const& kept : kept_) {
    bytes += kept.second->version.size;
    if (fit > 0 && (fit == most || bytes > most_bytes)) break;
    ++fit;
  }
  kept_.resize(std::min(fit, kept_.size()), kept_.front());
}

void BladesReadings::drop(SessionId const& id) {
  std::lock_guard<Mutex> const guard(mutex_);
  drop_locked(id);
}

void BladesReadings::drop_locked(SessionId const& id) {
  kept_.remove_if([&](Kept const& kept) { return kept.first == id; });
}

}}}
