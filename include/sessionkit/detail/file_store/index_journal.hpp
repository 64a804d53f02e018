// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/store/index_row.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Identifies a snapshot by its bytes, so that a journal can name the snapshot that it extends.
struct Fingerprint {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  friend bool operator==(Fingerprint a, Fingerprint b) noexcept {
    return a.bytes == b.bytes && a.crc == b.crc;
  }
};

/// One change of the index: the new row of a session, or no row if the row was removed.
struct RowChange {
  std::string name;
  std::optional<IndexRow> row;
};

/// The first line of a journal, which names the snapshot that the journal extends. Each later line is a
/// change. A line is `<crc> <json>`, where `<crc>` is the CRC-32C of the JSON in eight hexadecimal digits.
struct JournalHead {
  Fingerprint extends;
  std::string id = {}; ///< distinguishes two journals of one snapshot
};
SESSIONKIT_API std::string journal_head_line(JournalHead const& head);
/// Appends the line of one change. `row` is null if the row was removed. If `names_version` is not zero, the
/// line also says that the directory in this version (`TimeProof`) has exactly the transcripts of the index.
SESSIONKIT_API void append_journal_line(std::string_view name, IndexRow const* row, std::string& out,
                                        std::uint64_t names_version = 0);

struct JournalText {
  std::optional<JournalHead> head;
  std::list<RowChange> changes;    ///< from a whole journal, only the last change of each session
  std::size_t used = 0;            ///< bytes of whole lines; the bytes after them are torn or incomplete
  std::size_t bad = 0;             ///< whole lines that cannot be read; each may have been a change
  std::uint64_t names_version = 0; ///< from the last line that has one; 0: no line has one
};
/// Reads the first line of a journal. Absent if the text is no journal, or if the line is torn.
SESSIONKIT_API std::optional<JournalHead> parse_journal_begin(std::string_view text);
/// Reads the lines of a journal. `text` begins with the first line if `whole` is true, else with a later
/// line.
SESSIONKIT_API JournalText parse_journal(std::string_view text, bool whole);
/// True if the text may be the beginning of a journal of ours, whole or torn. Any other file belongs to
/// another program and must not be destroyed.
SESSIONKIT_API bool may_be_journal(std::string_view text) noexcept;

}}}
