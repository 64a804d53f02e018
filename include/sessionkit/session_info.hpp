// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/record.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The data that `fold` needs from entry to entry. Stores keep it with the summary and do not use it.
struct FoldState {
  std::vector<std::string> recent_requests = {}; ///< the last few request ids, to recognise repeats
  std::uint64_t copied =
      0; ///< entries that a fork copied; their usage is counted in the original session only
  /// Messages after the last compaction, including kept messages that the compaction stored again (in
  /// dialects without ids).
  std::uint64_t since_compaction = 0;
  /// How many of the next messages may be messages that an ai-panel compaction stored again; each message is
  /// counted once.
  std::uint64_t repeats = 0;
  std::vector<std::uint32_t> recent_words = {}; ///< checksums of the last few messages, for lines without ids
  std::vector<std::uint32_t> kept_words = {};   ///< checksums of the messages that ai-panel will write again
};

/// The row of a session list: a bounded summary of a log, kept up to date entry by entry.
struct SessionInfo {
  SessionId id;
  std::string key = {}, agent = {}, user = {}, cwd = {};
  std::string title = {}; ///< set by a `TitleChange`; empty: none
  bool title_by_person = false, archived = false;
  std::string first_user_text = {}; ///< the first 200 code points of the first text of the user
  Timestamp created = {};
  Timestamp updated = {};     ///< time of the last entry; for a fork without entries of its own, of the fork
  std::uint64_t entries = 0;  ///< lines that gave an entry, without the header
  std::uint64_t messages = 0; ///< user, assistant and tool messages, on all branches
  std::uint64_t turns = 0;    ///< messages of the user
  /// The number of tokens that the model would see. It is the provider's count of the last answer that has
  /// one, or the count that the last compaction states, plus estimates of the entries after it. It is absent
  /// after a branch, until an answer has a count.
  std::optional<std::uint64_t> tokens = 0;
  std::uint64_t damaged = 0; ///< lines that gave no entry
  Usage usage = {};          ///< summed over assistant messages, repeats of one request id counted once
  std::string provider = {}, model = {}, thinking_level = {};
  std::map<std::string, RawJson> state = {};
  std::map<std::string, std::string> labels = {}; ///< entry id to label
  std::string parent_session = {};
  EntryId last = {};         ///< the last entry of the log: where a session continues by default
  Position end = {};         ///< end of the last entry folded in
  std::uint32_t end_crc = 0; ///< CRC-32C of that entry's line; a difference shows that the log is another one
  FoldState fold_state = {}; ///< for `fold` alone

  /// The title to show, in one line: `title`, or the first text of the user, cut at `max_code_points`, if
  /// there is none. Control characters become spaces.
  SESSIONKIT_API std::string display_title(std::size_t max_code_points = 30) const;
};

/// The empty summary of a session that has no entries yet.
inline SessionInfo make_session_info(SessionId id) {
  SessionInfo info{std::move(id)};
  return info;
}

/// Adds one entry, which ends at `end`, to the summary. This function alone defines the meaning of the
/// fields. It is pure, and its cost does not grow with the log.
SESSIONKIT_API void fold(SessionInfo& info, Entry const& entry, Position end, std::string_view line);

/// The same for a record, decoded in `dialect`; a line that cannot be decoded counts as damaged.
SESSIONKIT_API void fold(SessionInfo& info, RecordPage::Item const& item,
                         std::string_view dialect = "native");

/// Returns, for each entry of a log (oldest first), whether it adds nothing. Two kinds of entries add
/// nothing: copies of the messages that a panel compaction keeps, and a compaction that does not count
/// because its write was cut short.
SESSIONKIT_API std::vector<bool> written_again(std::vector<Entry> const& log);

}}
