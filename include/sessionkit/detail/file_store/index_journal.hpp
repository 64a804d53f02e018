// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/index_row.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The bytes of a snapshot: by these a journal names the snapshot that it extends.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  friend bool operator==(Fingerprint a, Fingerprint b) noexcept {
    return a.bytes == b.bytes && a.crc == b.crc;
  }
};

/// One change of the index: a row as it is now, or that it was removed.
struct RowChange {
  std::string name;
  std::optional<IndexRow> row;
};

/// A journal is lines `<crc> <json>`, the CRC-32C of the JSON in eight hexadecimal digits. The first says
/// which snapshot it extends; each other one is a change.
struct JournalHead {
  Fingerprint extends;
  std::string id = {}; ///< distinguishes two journals of one snapshot
};
SESSIONKIT_API std::string journal_head_line(JournalHead const& head);
/// Adds the line of one change; no row: it was removed.
SESSIONKIT_API void append_journal_line(std::string_view name, IndexRow const* row, std::string& out);

struct JournalText {
  std::optional<JournalHead> head;
  std::vector<RowChange> changes; ///< of a whole journal the last of each session
  std::size_t used = 0;           ///< bytes of whole lines; what follows is torn, or not there yet
  std::size_t bad = 0;            ///< whole lines that cannot be read; each may have been a change
};
/// The first line of a journal. Absent: it is none, or torn.
SESSIONKIT_API std::optional<JournalHead> parse_journal_begin(std::string_view text);
/// Reads from the begin of a journal, or (not `whole`) from the begin of a later line.
SESSIONKIT_API JournalText parse_journal(std::string_view text, bool whole);
/// True if this may be the begin of a journal of ours, whole or torn. Any other file is somebody else's, and
/// not ours to destroy.
SESSIONKIT_API bool may_be_journal(std::string_view text) noexcept;

}}}
