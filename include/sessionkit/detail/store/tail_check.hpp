// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_store.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The last record of a log as it is remembered by a row of its session, a summary, a session or a follower.
struct LogTail {
  Position end = {};
  std::uint32_t crc = 0; ///< CRC-32C of its line
};

/// The page that shows which record ends at `end`: one record, read in small steps.
SESSIONKIT_API ReadRange record_before(Position end) noexcept;

/// True if a record that ended at `end` is the one that ends at `now`. A last line may lack its line end;
/// when it gets one, the record ends one byte later.
constexpr bool ends_there(Position now, Position end) noexcept {
  return now == end || now.value() == end.value() + 1;
}
/// True if the record is the one remembered: it ends there and its line has the same checksum.
SESSIONKIT_API bool is_tail(RecordPage::Item const& record, LogTail const& tail) noexcept;

/// True if the log still holds the record remembered. False: the log was replaced, cut or changed, and
/// everything that was derived from it is invalid. `read` answers a `Result<RecordPage>` for a `ReadRange` of
/// this log.
template <class Read> Result<bool> still_holds(LogTail const& tail, Read const& read) {
  Result<RecordPage> const page = read(record_before(tail.end));
  if (!page) return page.error();
  return !page->items().empty() && is_tail(page->items().front(), tail);
}

}}}
