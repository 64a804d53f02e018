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

/// What `fold` remembers between entries; stores keep it with the summary and do not look into it.
struct FoldState {
  std::vector<std::string> recent_requests = {}; ///< the last few request ids, to recognise repeats
  std::uint64_t copied = 0; ///< entries taken over by a fork: their usage is counted where they came from
  std::uint64_t since_compaction =
      0;                     ///< messages after the last compaction, those that are written again included
  std::uint64_t repeats = 0; ///< how many messages after the last compaction may yet say that they are in
                             ///< the log already: what a panel compaction keeps is counted once
  std::vector<std::uint32_t> recent_words = {}; ///< of lines without ids: checksums of the last few messages
  std::vector<std::uint32_t> kept_words = {};   ///< of those that ai-panel is about to write again
};

/// The row of a session list: a bounded summary of a log, kept up to date entry by entry.
struct SessionInfo {
  SessionId id;
  std::string key = {}, agent = {}, user = {}, cwd = {};
  std::string title = {}; ///< set by a `TitleChange`; empty: none
  bool title_by_person = false, archived = false;
  std::string first_user_text = {}; ///< the first 200 code points of what the user said first
  Timestamp created = {};
  Timestamp updated = {};     ///< time of the last entry; of a fork without new ones, when it was made
  std::uint64_t entries = 0;  ///< lines that gave an entry, the header not counted
  std::uint64_t messages = 0; ///< user, assistant and tool messages, on all branches
  std::uint64_t turns = 0;    ///< messages of the user
  /// Tokens the model would see: the provider's count where the last answer has one, plus estimates of what
  /// follows; after a compaction the count that it says it left, and what follows. Absent after a branch,
  /// until an answer has a count.
  std::optional<std::uint64_t> tokens = 0;
  std::uint64_t damaged = 0; ///< lines that gave no entry
  Usage usage = {};          ///< summed over assistant messages, repeats of one request id counted once
  std::string provider = {}, model = {}, thinking_level = {};
  std::map<std::string, RawJson> state = {};
  std::map<std::string, std::string> labels = {}; ///< entry id to label
  std::string parent_session = {};
  EntryId last = {}; ///< the last entry of the log: where a session continues by default
  Position end = {}; ///< end of the last entry folded in
  std::uint32_t end_crc =
      0; ///< CRC-32C of that entry's line: shows whether the log is still the one that was folded
  FoldState fold_state = {}; ///< what only `fold` reads

  /// The title to show, in one line: the chosen one, else the first user text cut at `max_code_points`;
  /// control characters are spaces.
  SESSIONKIT_API std::string display_title(std::size_t max_code_points = 30) const;
};

/// The empty summary of a session that has no entries yet.
inline SessionInfo make_session_info(SessionId id) {
  SessionInfo info{std::move(id)};
  return info;
}

/// Adds one entry, which ends at `end`, to the summary. Pure and bounded; the only place that knows what the
/// fields mean.
SESSIONKIT_API void fold(SessionInfo& info, Entry const& entry, Position end, std::string_view line);

/// The same for a record, decoded in `dialect`; a line that cannot be decoded counts as damaged.
SESSIONKIT_API void fold(SessionInfo& info, RecordPage::Item const& item,
                         std::string_view dialect = "native");

/// Which entries of a log, oldest first, add nothing to it: messages that a panel compaction keeps, where
/// they are written again after it, and a compaction that does not count because its write was cut short.
SESSIONKIT_API std::vector<bool> written_again(std::vector<Entry> const& log);

}}
