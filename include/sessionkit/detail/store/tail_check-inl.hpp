// SPDX-License-Identifier: MIT
// Decides whether a log still holds the record that a caller remembers as its last one.
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/store/tail_check.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

ReadRange record_before(Position end) noexcept {
  ReadRange range;
  range.order = ReadRange::newest_first;
  range.from = end;
  range.max_records = 1;
  range.max_bytes = 1;
  return range;
}

bool is_tail(RecordPage::Item const& record, LogTail const& tail) noexcept {
  return ends_there(record.end, tail.end) && crc32c(record.line) == tail.crc;
}

}}}
