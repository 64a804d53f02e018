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

/// The data that `fold` carries from one entry to the next. Stores keep these data with the summary, but do
/// not use them.
struct FoldState {
  std::vector<std::string> recent_requests = {}; ///< the last few request ids, to recognise repeats
  /// The number of entries that a fork copied. The usage of these entries counts only in the original
  /// session.
  std::uint64_t copied = 0;
  /// The number of messages after the last compaction. In dialects without ids, this includes the kept
  /// messages that the compaction stored again.
  std::uint64_t since_compaction = 0;
  /// After a compaction in ai-panel's dialect, kept messages may be stored again. This is the number of such
  /// messages that may still follow. They are not counted twice.
  std::uint64_t repeats = 0;
  /// Checksums of the last few messages in ai-panel's dialect.
  std::vector<std::uint32_t> recent_words = {};
  /// Checksums of the messages that ai-panel's dialect stores again.
  std::vector<std::uint32_t> kept_words = {};
};

/// The summary of a session, as a session list shows it. `fold` updates it with each entry, and its size is
/// bounded.
struct SessionInfo {
  SessionId id;                 ///< the session's id, which never changes
  std::string key = {};         ///< the key, from the header; empty if there is none
  std::string agent = {};       ///< the agent's name, from the header; empty if there is none
  std::string user = {};        ///< the user's name, from the header; empty if there is none
  std::string cwd = {};         ///< the working directory of the host, from the header; empty if not known
  std::string title = {};       ///< set by a `TitleChange`; empty if there is none
  bool title_by_person = false; ///< true: a person chose `title`, so no generated title replaces it
  bool archived = false;        ///< true: `Session::resume` does not find the session
  std::string first_user_text = {}; ///< the first 200 code points of the first text of the user
  Timestamp created = {};           ///< the time of the header, or else of the first entry that has a time
  /// The time of the last entry that has a time, or `created` if `created` is later. `created` is later after
  /// an import of old messages (`AppendOptions::time`), and in a fork to which nothing was added.
  Timestamp updated = {};
  std::uint64_t entries = 0;  ///< the number of entries, without the header
  std::uint64_t messages = 0; ///< user, assistant and tool messages, on all branches
  std::uint64_t turns = 0;    ///< the number of messages of the user
  /// The number of tokens that the model would see. It is the provider's count in the last answer that has
  /// one, or the count in the last compaction if the compaction is newer, plus estimates of the later
  /// entries. The number is absent after a branch, until an answer has a count.
  std::optional<std::uint64_t> tokens = 0;
  std::uint64_t damaged = 0; ///< the number of lines that gave no entry
  Usage usage = {};          ///< the sum over all assistant messages; each request id counts once
  std::string provider = {}; ///< from the last `ModelChange` or answer that names a model; empty if none does
  std::string model = {};    ///< the model that this entry names
  std::string thinking_level = {};           ///< from the last `ModelChange` that has one; empty if none has
  std::map<std::string, RawJson> state = {}; ///< the values that `Session::set_state` stored, by key
  std::map<std::string, std::string> labels = {}; ///< the labels, by the id of the entry
  std::string parent_session = {}; ///< the session that was forked, from the header; empty if there is none
  RawJson metadata = {}; ///< from the header (`NewSession::metadata`): null or an object of the host
  EntryId last = {};     ///< the last entry of the log; a session continues after it by default
  Position end = {};     ///< the end of the last entry that `fold` added
  /// CRC-32C of the line of the last entry that `fold` added. If the line at `end` has another checksum,
  /// another log has replaced this one.
  std::uint32_t end_crc = 0;
  FoldState fold_state = {}; ///< only `fold` uses this

  /// Returns the title to show, in one line. If `title` is empty, the result is the first text of the user,
  /// cut at `max_code_points`. Control characters become spaces.
  SESSIONKIT_API std::string display_title(std::size_t max_code_points = 30) const;
};

/// Returns the empty summary of a session that has no entries yet.
inline SessionInfo make_session_info(SessionId id) {
  SessionInfo info{std::move(id)};
  return info;
}

/// Adds one entry to the summary. The entry ends at `end`, and `line` is its text. This function alone
/// defines the meaning of the fields of `SessionInfo`. It is pure, and its cost does not grow with the log.
SESSIONKIT_API void fold(SessionInfo& info, Entry const& entry, Position end, std::string_view line);

/// The same for a record, which is decoded in `dialect`. A line that cannot be decoded counts as damaged.
SESSIONKIT_API void fold(SessionInfo& info, RecordPage::Item const& item,
                         std::string_view dialect = "native");

/// Returns one value for each entry of a log (oldest first): true if the entry adds nothing. Two kinds of
/// entries add nothing: the copies of kept messages that follow a compaction in ai-panel's dialect, and a
/// compaction whose write was cut short.
SESSIONKIT_API std::vector<bool> written_again(std::vector<Entry> const& log);

}}
