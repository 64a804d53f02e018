// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/dialect.hpp>
#include <sessionkit/session_store.hpp>

#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Entries on their way into a log, with their lines.
struct Batch {
  std::vector<Entry> entries = {};
  std::string lines = {};             ///< each with its line end
  std::vector<std::size_t> ends = {}; ///< where in `lines` each line ends, its line end not counted

  std::string_view line(std::size_t i) const noexcept {
    std::size_t const begin = i == 0 ? 0 : ends[i - 1] + 1;
    return std::string_view(lines).substr(begin, ends[i] - begin);
  }
  void end_line() {
    ends.push_back(lines.size());
    lines += '\n';
  }

  /// Views into this batch.
  std::vector<RecordView> records(Dialect const& dialect, std::deque<std::string>& scratch) const;
  bool same_lines(Batch const& other) const noexcept { return lines == other.lines && ends == other.ends; }
};

/// Links the entries one behind the other, the first behind `leaf` (empty: a new root), and encodes them.
/// Dialects without ids write no links.
Result<Batch> make_batch(std::vector<Entry> entries, EntryId const& leaf, Dialect const& dialect);

/// The entries from the first to `leaf`, line for line. Where a line does not name the entry before it
/// (version 1, a break that damage made) it is encoded anew, so that the copy is whole.
Result<Batch> copy_path(SessionStore& store, SessionId const& id, EntryId const& leaf);

/// One message as the entries' dialects want it: tool results stand alone, one in each message of role tool.
std::vector<Message> split_tool_results(Message const& message);

/// True if tool results are all there is in it.
bool is_only_results(Message const& message) noexcept;

/// Puts the results of `more` behind those of `message`, for dialects that join them. Answers the names of
/// the members of `more.metadata` that stand there already with another value and are lost; times are not
/// told.
std::vector<std::string> join_results(Message& message, Message more);

}}}
