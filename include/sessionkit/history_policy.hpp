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
  /// A tool result (part `part` of message `message`) whose content becomes `text`.
  struct Result {
    std::size_t message, part;
    std::string text;
  };
  std::size_t drop = 0; ///< how many of the leading messages to leave out
  std::vector<Result> results = {};
  std::string summary = {}; ///< a summary of the omitted messages; it replaces the summary of a compaction
};

/// Shortens a valid history, in the view only. A pure function of the messages. The rebuilder applies the
/// policies in order, each to the result of the one before. It always keeps the newest turn, and it moves a
/// cut back to the start of a turn, so that a call keeps its result. A turn begins with a message of the
/// user.
using HistoryPolicy = std::function<HistoryEdit(std::vector<Message> const&)>;

/// Keeps the last `turns` turns.
struct TurnLimit {
  std::size_t turns;
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keeps the last `messages` messages, and the rest of their turn.
struct MessageLimit {
  std::size_t messages;
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keeps as many of the last turns as fit into `tokens`. The system text is not counted.
struct TokenLimit {
  std::size_t tokens;
  TokenEstimator estimator = {}; ///< absent: `estimate_tokens`
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Shortens old tool results, then clears them, as OpenClaw prunes a context. Lengths are in code points.
/// Shares refer to `window`, where a token is four UTF-16 units. A Chinese, Japanese or Korean character
/// counts as four units, and an image as 8,000. Two groups of messages never change: those before the first
/// message of the user, and those from the `keep_answers`-th last assistant message on.
struct ClearToolResults {
  std::size_t window = 200000;  ///< tokens
  std::size_t keep_answers = 3; ///< assistant messages; 0: any result may change
  double shorten_from = 0.3;    ///< above this share of the window, long results are shortened
  double clear_from = 0.5; ///< above this share, the oldest results are cleared, until the share is smaller
  std::size_t min_clear = 50000; ///< units; if the results have fewer, none is cleared
  std::size_t max_length = 4000; ///< a longer result is shortened to `head` and `tail`
  std::size_t head = 1500, tail = 1500;
  std::string placeholder = "[Old tool result content cleared]";
  std::vector<std::string> exclude_tools = {}; ///< names of tools whose results never change
  /// What to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

}}
