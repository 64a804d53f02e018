// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/transcript/log_summary.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {

// Does the line that ends where `known` ends still have the bytes it had?
Result<bool> still_holds(LogReader& log, SessionInfo const& known) {
  ReadRange last;
  last.order = ReadRange::newest_first;
  last.from = known.end;
  last.max_records = 1;
  last.max_bytes = 1; // one line, in small steps
  Result<RecordPage> const page = log.read(last);
  if (!page) return page.error();
  if (page->items().empty()) return false;
  RecordPage::Item const& item = page->items().front();
  bool const got_its_end = item.end.value() == known.end.value() + 1; // it lacked its line end then
  return (item.end == known.end || got_its_end) && crc32c(item.line) == known.end_crc;
}

bool costs_an_entry(Damage const& damage) noexcept {
  return is_damage(damage.kind) && damage.kind != DamageKind::torn_tail;
}

}

bool shows_nothing(RecordPage const& page) noexcept {
  return page.log_end == Position{} && std::none_of(page.damage.begin(), page.damage.end(), costs_an_entry);
}

Result<LogSummary> summarise(LogReader& log, SessionId const& id, std::optional<SessionInfo> known) {
  LogSummary out{make_session_info(id)};
  if (known && known->end != Position{}) {
    Result<bool> const all = log.ends_with(known->end, known->end_crc); // nearly always
    if (!all) return all.error();
    if (*all) return LogSummary{std::move(*known), 0, true};
    Result<bool> const holds = still_holds(log, *known);
    if (!holds) return holds.error();
    if (*holds) out.info = std::move(*known);
  }
  ReadRange range;
  range.from = out.info.end;
  range.max_records = std::numeric_limits<std::size_t>::max();
  for (bool more = true; more;) {
    Result<RecordPage> const page = log.read(range);
    if (!page) return page.error();
    for (RecordPage::Item const& item : page->items()) {
      fold(out.info, item, page->dialect);
      out.exists = true;
    }
    if (!page->items().empty()) out.info.damaged += std::exchange(out.trailing, 0);
    for (Damage const& damage : page->damage)
      if (costs_an_entry(damage)) ++(damage.offset < out.info.end.value() ? out.info.damaged : out.trailing);
    more = page->more;
    range.from = page->next;
  }
  out.exists = out.exists || out.trailing > 0 || out.info.end != Position{};
  return out;
}

}}}
