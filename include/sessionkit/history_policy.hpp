// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/tokens.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The changes that a policy wants in a history. Indices are those of the messages it was given.
struct HistoryEdit {
  /// A tool result that says `text` instead: part `part` of message `message`.
  struct Result {
    std::size_t message, part;
    std::string text;
  };
  std::size_t drop = 0; ///< how many of the leading messages to leave out
  std::vector<Result> results = {};
  std::string summary = {}; ///< of what is left out; it replaces the summary of a compaction
};

/// Shortens a valid history, in the view only. A pure function of the messages. The rebuilder applies the
/// policies in order, each to the result of the one before. It always keeps the newest turn, and it moves a
/// cut back to the start of a turn, so that a call keeps its result. A turn begins with a message of the
/// user.
using HistoryPolicy = std::function<HistoryEdit(std::vector<Message> const&)>;

/// Keep the last `turns` turns.
struct TurnLimit {
  std::size_t turns;
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keep the last `messages` messages, and what belongs to their turn.
struct MessageLimit {
  std::size_t messages;
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keep as many of the last turns as `tokens` allow; the system text is not counted.
struct TokenLimit {
  std::size_t tokens;
  TokenEstimator estimator = {}; ///< absent: `estimate_tokens`
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Shortens old tool results, then clears them, as OpenClaw prunes a context. Lengths are in code points.
/// Shares are of `window`, where a token is four UTF-16 units. A Chinese, Japanese or Korean character weighs
/// four units, and an image 8,000. Messages before the first one of the user stay as they are, and so do the
/// last `keep_answers` assistant messages with all that follows the first of them.
struct ClearToolResults {
  std::size_t window = 200000;   ///< tokens
  std::size_t keep_answers = 3;  ///< assistant messages; 0: any result may change
  double shorten_from = 0.3;     ///< share of the window from which long results are shortened
  double clear_from = 0.5;       ///< share from which the oldest are cleared, until less is left
  std::size_t min_clear = 50000; ///< units; below this much in results, none is cleared
  std::size_t max_length = 4000; ///< a longer result is shortened to `head` and `tail`
  std::size_t head = 1500, tail = 1500;
  std::string placeholder = "[Old tool result content cleared]";
  std::vector<std::string> exclude_tools = {}; ///< names of tools whose results never change
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

}}
