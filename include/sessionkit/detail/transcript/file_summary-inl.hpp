// SPDX-License-Identifier: MIT
// Folds a transcript file into the summary of its session, from the start or from a summary that still holds.
#pragma once
#include <sessionkit/detail/store/tail_check.hpp>
#include <sessionkit/detail/transcript/file_summary.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_summary_inl { namespace {

bool costs_an_entry(Damage const& damage) noexcept {
  return is_damage(damage.kind) && damage.kind != DamageKind::torn_tail;
}

}}

bool shows_nothing(RecordPage const& page) noexcept {
  return page.log_end == Position{}
         && std::none_of(page.damage.begin(), page.damage.end(), file_summary_inl::costs_an_entry);
}

Result<FileSummary> summarise(FileReader& log, SessionId const& id, std::optional<SessionInfo> known) {
  FileSummary out{make_session_info(id)};
  if (known && known->end != Position{}) {
    Result<bool> const all = log.ends_with(known->end, known->end_crc); // nearly always
    if (!all) return all.error();
    if (*all) return FileSummary{std::move(*known), 0, true};
    Result<bool> const holds =
        still_holds({known->end, known->end_crc}, [&](ReadRange const& page) { return log.read(page); });
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
      if (file_summary_inl::costs_an_entry(damage))
        ++(damage.offset < out.info.end.value() ? out.info.damaged : out.trailing);
    more = page->more;
    range.from = page->next;
  }
  out.exists = out.exists || out.trailing > 0 || out.info.end != Position{};
  return out;
}

}}}
