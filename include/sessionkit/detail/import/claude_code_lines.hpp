// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/import/foreign_lines.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The members of a line of Claude Code that the importer reads.
inline constexpr std::array<std::string_view, 20> claude_members{
    "type",          "uuid",        "parentUuid",         "message",
    "isSidechain",   "cwd",         "isCompactSummary",   "version",
    "subtype",       "timestamp",   "toolUseResult",      "isMeta",
    "apiBlockIndex", "content",     "isAbortedMidStream", "isVisibleInTranscriptOnly",
    "attachment",    "customTitle", "isApiErrorMessage",  "logicalParentUuid"};

constexpr std::size_t claude_member(std::string_view name) noexcept {
  std::size_t i = 0;
  while (claude_members[i] != name) ++i;
  return i;
}

/// A line that is a node of Claude Code's tree. Views point into the text of the file.
struct ClaudeNode {
  enum Kind { user, assistant, attachment, local_command, boundary, other };
  Kind kind = other;
  std::uint64_t offset = 0;
  std::string_view line;
  std::array<std::string_view, claude_members.size()> raw = {};
  std::string uuid = {}, parent = {};
  std::string message_id = {};    ///< of an answer; its lines share it
  bool summary = false;           ///< the summary of a compaction
  bool side_line_follows = false; ///< a line that is no node is the next one in the file
  std::size_t unit = 0;           ///< index of the unit that the node belongs to (claude_code_tree.hpp)

  std::string_view operator[](std::string_view name) const { return raw[claude_member(name)]; }
  std::string_view message() const { return (*this)["message"]; }
  std::string text(std::string_view name) const { return to_text((*this)[name]); }
  bool flag(std::string_view name) const { return (*this)[name] == "true"; }
};

/// The lines of one file.
struct ClaudeLines {
  std::vector<ClaudeNode> nodes = {};
  ImportReport report = {};
  std::optional<TitleChange> title = {};
  std::string cwd = {}, version = {};
};

/// Reads the lines. Lines of subagents that an older version wrote into the session's own file are counted
/// and left out; in a file that has no others, they are the conversation.
ClaudeLines read_claude_lines(std::string_view text, ImportLimits const& limits);

/// Calls `use` with each block of a message that is of this type.
template <class Use> void each_claude_block(ClaudeNode const& node, std::string_view type, Use&& use) {
  for_elements(find_member(node.message(), "content"), [&](std::string_view block) {
    if (member_text(block, "type") == type) use(block);
    return true;
  });
}

}}}
