// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The arguments of a call as `name(key=json, …)`; a value longer than `most` bytes is written as `…`.
std::string call_text(ToolUse const& call, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Appends what an entry says, each piece begun with `words.between` unless it is the first.
void append_conversation(std::string& out, Entry const& entry, SummaryPrompt const& words);
/// A text as parts of at most about `most_tokens` each. If it is longer than eight such parts, its middle is
/// left out, and a note in the text says so.
std::vector<std::string> parts_of(std::string text, std::size_t most_tokens);
std::size_t summary_tokens(std::string const& summary, TokenEstimator const& estimator);

/// One of several items that are put into parts, with the calls that it opens and closes.
struct SplitItem {
  std::size_t tokens = 0;
  std::vector<std::string_view> opens = {}; ///< ids of the calls it makes
  bool answers = false;                     ///< it is an answer of the model
  std::string_view closes = {};             ///< id of the call it answers
  bool is_result = false;
};
/// How many items each part takes, in order. A part ends before it exceeds `target` where it can, a call and
/// its results stay together, and there are at most `most` parts (OpenClaw's split by token share).
SESSIONKIT_API std::vector<std::size_t> split_by_tokens(std::vector<SplitItem> const& items, double target,
                                                        std::size_t most);

}}}
