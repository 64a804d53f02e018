// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// The parts a compaction is made of: what an entry says, which facts tool calls hold, how a conversation is
// written down for a model.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Type of the `custom` entry that stops compactions for their size until the context has grown by a quarter.
inline constexpr std::string_view breaker_type = "sessionkit.compaction_breaker";

/// Who speaks in an entry. `other`: hosts, extensions and branches, whose text is sent as the user's.
enum class Voice : std::uint8_t { silent, user, answer, result, other };
Voice voice_of(Entry const& entry) noexcept;

/// What tool calls tell for certain, each list in order of mention.
struct Facts {
  std::vector<std::string> read_files = {}, modified_files = {}, calls = {};

  void add(ToolUse const& call);
  /// The calls of an answer; of one that failed or was cut short those that were `answered`, by their ids.
  void add(Entry const& entry, std::vector<std::string_view> const& answered);
  /// The files that pi notes in the details of a compaction.
  void add_details(RawJson const& details);
  /// Nothing stands twice, nor as read what was modified.
  void settle();
};
/// The facts as blocks of lines to stand behind a summary (pi's `<read-files>` and `<modified-files>`, and
/// `<tool-calls>`), begun with a blank line; empty where there are none. Over `most_tokens` the oldest leave:
/// calls, then files that were read.
SESSIONKIT_API std::string facts_text(Facts facts, std::size_t most_tokens);
/// Takes the blocks off the end of a summary, whoever wrote them.
SESSIONKIT_API Facts take_facts(std::string& summary);

/// The arguments of a call as `name(key=json, …)`; values longer than `most` bytes as `…`.
std::string call_text(ToolUse const& call, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Appends what an entry says, each piece begun with `words.between` unless it is the first.
void append_conversation(std::string& out, Entry const& entry, SummaryPrompt const& words);
/// A text as parts of at most about `most_tokens`; of one that is longer than eight the middle is left out,
/// and it says so.
std::vector<std::string> parts_of(std::string text, std::size_t most_tokens);
std::size_t summary_tokens(std::string const& summary, TokenEstimator const& estimator);

/// One of several things to be put into parts, with what it opens and closes.
struct SplitItem {
  std::size_t tokens = 0;
  std::vector<std::string_view> opens = {}; ///< ids of the calls it makes
  bool answers = false;                     ///< an answer of the model
  std::string_view closes = {};             ///< id of the call it answers
  bool is_result = false;
};
/// How many items each part takes, in order: parts end before they exceed `target` where they can, a call and
/// its results stay together, at most `most` parts (OpenClaw's split by token share).
SESSIONKIT_API std::vector<std::size_t> split_by_tokens(std::vector<SplitItem> const& items, double target,
                                                        std::size_t most);

}}}
