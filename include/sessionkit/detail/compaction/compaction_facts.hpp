// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Facts from tool calls, which a compaction copies word for word. Each list has the order in which the calls
/// mention the facts.
struct Facts {
  std::vector<std::string> read_files = {}, modified_files = {}, calls = {};

  void add(ToolUse const& call);
  /// Adds the calls of an answer. If the answer failed or was cut short, adds only the calls whose ids are in
  /// `answered`.
  void add(Entry const& entry, std::vector<std::string_view> const& answered);
  /// Adds the files that pi lists in the details of a compaction.
  void add_details(RawJson const& details);
  /// Removes duplicates, and removes the modified files from `read_files`. Keeps the newest 1000 facts of
  /// each list.
  void settle();
};
/// Returns the facts as blocks of lines that follow a summary: pi's `<read-files>` and `<modified-files>`,
/// and `<tool-calls>`. The text begins with a blank line, and is empty if there are no facts. If it would
/// exceed `most_tokens` tokens, the oldest facts are dropped: first calls, then files that were read, then
/// modified files.
SESSIONKIT_API std::string facts_text(Facts facts, std::size_t most_tokens);
/// Removes the blocks of `facts_text` from the end of a summary, even if another program wrote them, and
/// returns their facts.
SESSIONKIT_API Facts take_facts(std::string& summary);

}}}
