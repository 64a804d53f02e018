// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/compaction.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns a call as `name(key=json, …)`. A value longer than `most` bytes is written as `…`.
std::string call_text(ToolUse const& call, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Appends the text of an entry. Writes `words.between` before each piece, but not at the beginning of `out`.
void append_conversation(std::string& out, Entry const& entry, SummaryPrompt const& words);
/// Cuts a text into parts of at most about `most_tokens` tokens each. If the text is longer than eight such
/// parts, a note replaces its middle.
std::vector<std::string> parts_of(std::string text, std::size_t most_tokens);
std::size_t summary_tokens(std::string const& summary, TokenEstimator const& estimator);

/// An item for `split_by_tokens`, with the calls that it makes and the call that it answers.
struct SplitItem {
  std::size_t tokens = 0;
  std::vector<std::string_view> opens = {}; ///< ids of the calls that the item makes
  bool answers = false;                     ///< the item is an answer of the model
  std::string_view closes = {};             ///< id of the call whose result the item is
  bool is_result = false;
};
/// Returns how many items go into each part, in order. If possible, a part ends before it exceeds `target`
/// tokens. A call and its results stay together. There are at most `most` parts. This is OpenClaw's split by
/// token share.
SESSIONKIT_API std::vector<std::size_t> split_by_tokens(std::vector<SplitItem> const& items, double target,
                                                        std::size_t most);

}}}
