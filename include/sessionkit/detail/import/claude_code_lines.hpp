// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/import/name_numbers.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of a line of Claude Code that the importer reads.
inline constexpr std::array<std::string_view, 21> claude_members{
    "type",           "uuid",        "parentUuid",         "message",
    "isSidechain",    "cwd",         "isCompactSummary",   "version",
    "subtype",        "timestamp",   "toolUseResult",      "isMeta",
    "apiBlockIndex",  "content",     "isAbortedMidStream", "isVisibleInTranscriptOnly",
    "attachment",     "customTitle", "isApiErrorMessage",  "logicalParentUuid",
    "compactMetadata"};
/// The members of a line's message that the importer reads.
inline constexpr std::array<std::string_view, 5> claude_message_members{"id", "content", "model", "usage",
                                                                        "stop_reason"};

/// Returns the values of the members with these names, in the order of `names`. A missing member gives an
/// empty view. All views point into the object.
template <std::size_t N>
std::array<std::string_view, N> members_named(std::string_view object,
                                              std::array<std::string_view, N> const& names) {
  std::array<std::string_view, N> found = {};
  for_members(object, [&](std::string_view key, std::string_view value) {
    for (std::size_t i = 0; i < N; ++i)
      if (names[i] == key) found[i] = value;
    return true;
  });
  return found;
}

template <std::size_t N>
constexpr std::size_t place_of(std::string_view name, std::array<std::string_view, N> const& names) noexcept {
  std::size_t i = 0;
  while (names[i] != name) ++i;
  return i;
}

/// A line, split into its members. Views point into the line.
class ClaudeRecord {
 public:
  explicit ClaudeRecord(std::string_view line)
      : line_(line),
        members_(members_named(line, claude_members)),
        message_members_(members_named(message(), claude_message_members)) {}

  std::string_view line() const { return line_; }
  std::string_view operator[](std::string_view name) const {
    return members_[place_of(name, claude_members)];
  }
  std::string text(std::string_view name) const { return to_text((*this)[name]); }
  bool flag(std::string_view name) const { return (*this)[name] == "true"; }
  std::string_view message() const { return (*this)["message"]; }
  std::string_view in_message(std::string_view name) const {
    return message_members_[place_of(name, claude_message_members)];
  }

 private:
  std::string_view line_;
  std::array<std::string_view, claude_members.size()> members_;
  std::array<std::string_view, claude_message_members.size()> message_members_;
};

/// A line that is a node of Claude Code's tree: its place in the file, and what links it to other lines. The
/// line is read again when its entry is made, so that the text of a conversation is never in memory as a
/// whole. `uuid`, `parent`, `logical_parent` and `message_id` are numbers of names in `ClaudeLines::names`.
struct ClaudeNode {
  enum Kind : unsigned char { user, assistant, attachment, local_command, boundary, other };
  std::uint64_t offset = 0, size = 0;
  std::uint32_t checksum = 0; ///< CRC-32C of the line
  std::uint32_t uuid = 0, parent = 0, logical_parent = 0;
  std::uint32_t message_id = 0; ///< the id of an answer, which all lines of the answer have
  Kind kind = other;
  bool summary = false;           ///< the summary of a compaction
  bool made_up = false;           ///< an answer that the program made itself
  bool may_go_on = false;         ///< the `stop_reason` is missing, or it is `tool_use`
  bool side_line_follows = false; ///< a line that is no node comes before the next node
  std::size_t unit = 0;           ///< index of the unit that the node belongs to (claude_code_tree.hpp)
};

/// A call or a result: the node that contains it, and the id of the call.
struct ClaudeCall {
  std::size_t node = 0;
  std::uint32_t id = 0;
};

/// The lines of one file.
struct ClaudeLines {
  std::vector<ClaudeNode> nodes = {};
  std::vector<ClaudeCall> calls = {}, results = {};
  NameNumbers names = {};
  ImportReport report = {};
  std::optional<TitleChange> title = {};
  std::string cwd = {}, version = {};
};

/// Reads the lines of a file. An older version wrote lines of subagents into the session's own file. Such
/// lines are counted and left out; but if a file has no other lines, they are the conversation. Fails with
/// the errors of `files`.
Result<ClaudeLines> read_claude_lines(ForeignFiles& files, std::string const& file,
                                      ImportLimits const& limits);

}}}
