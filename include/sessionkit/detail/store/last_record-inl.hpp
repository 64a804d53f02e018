// SPDX-License-Identifier: MIT
// Decides whether a log still holds the record that a caller remembers as its last one.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/last_record.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

ReadRange record_before(Position end) noexcept {
  ReadRange range;
  range.order = ReadRange::newest_first;
  range.from = end;
  range.max_records = 1;
  range.max_bytes = 1;
  return range;
}

bool is_last_record(RecordPage::Item const& record, LastRecord const& last) noexcept {
  return ends_there(record.end, last.end) && crc32c(record.line) == last.crc;
}

}}}
