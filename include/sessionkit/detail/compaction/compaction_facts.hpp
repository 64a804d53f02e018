// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The certain facts in tool calls; each list is in order of mention.
struct Facts {
  std::vector<std::string> read_files = {}, modified_files = {}, calls = {};

  void add(ToolUse const& call);
  /// Adds the calls of an answer. If it failed or was cut short, only those with ids in `answered` count.
  void add(Entry const& entry, std::vector<std::string_view> const& answered);
  /// The files that pi notes in the details of a compaction.
  void add_details(RawJson const& details);
  /// Removes duplicates, and removes modified files from the files that were read.
  void settle();
};
/// The facts as blocks of lines that follow a summary (pi's `<read-files>` and `<modified-files>`, and
/// `<tool-calls>`). It begins with a blank line and is empty if there are no facts. Over `most_tokens`
/// the oldest facts are dropped: calls first, then files that were read.
SESSIONKIT_API std::string facts_text(Facts facts, std::size_t most_tokens);
/// Takes the blocks off the end of a summary, no matter which program wrote them.
SESSIONKIT_API Facts take_facts(std::string& summary);

}}}
