// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What a row, a summary, a session or a follower remembers of the last record of a log.
struct LastRecord {
  Position end = {};
  std::uint32_t crc = 0; ///< CRC-32C of its line
};

/// Returns the range to read in order to see which record ends at `end`: one record, read in small steps.
SESSIONKIT_API ReadRange record_before(Position end) noexcept;

/// True if a record that ended at `end` may now end at `now`. The last line of a log may lack its line end.
/// When the line end is added, the record ends one byte later.
constexpr bool ends_there(Position now, Position end) noexcept {
  return now == end || now.value() == end.value() + 1;
}
/// True if `record` is the remembered record: it ends at the same place, and its line has the same checksum.
SESSIONKIT_API bool is_last_record(RecordPage::Item const& record, LastRecord const& last) noexcept;

/// True if the log still has the remembered record. False if the log was replaced, cut or changed; then
/// everything that was derived from the log is invalid. `read` is a function that returns a
/// `Result<RecordPage>` for a `ReadRange` of this log.
template <class Read> Result<bool> still_holds(LastRecord const& last, Read const& read) {
  Result<RecordPage> const page = read(record_before(last.end));
  if (!page) return page.error();
  return !page->items().empty() && is_last_record(page->items().front(), last);
}

}}}
