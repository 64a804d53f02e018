// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/tokens.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// The changes that a policy wants in a history. The indices refer to the messages that the policy was given.
struct HistoryEdit {
  /// A tool result that is replaced: the content of part `part` in message `message` becomes `text`. If this
  /// part is no `ToolResult`, nothing happens.
  struct Result {
    std::size_t message; ///< index among the messages
    std::size_t part;    ///< index in `Message::parts`
    std::string text;    ///< the new content
  };
  std::size_t drop = 0;             ///< the number of messages to leave out at the beginning
  std::vector<Result> results = {}; ///< the results to replace
  /// A summary of the omitted messages. It is sent at the place of a compaction's summary.
  std::string summary = {};
};

/// Decides how to shorten a valid history; the log does not change. All policies of this library except that
/// of `summarize_window` are pure functions of the messages. The rebuilder applies the policies in order,
/// each to the result of the one before. It always keeps the newest turn, and moves a cut back to the start
/// of a turn, so that no call loses its result. A turn begins with a message of the user.
using HistoryPolicy = std::function<HistoryEdit(std::vector<Message> const&)>;

/// Keeps the last `turns` turns.
struct TurnLimit {
  std::size_t turns; ///< the newest turn is always kept, also for 0
  /// Returns what to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keeps the last `messages` messages. If the cut would be inside a turn, the whole turn is kept.
struct MessageLimit {
  std::size_t messages; ///< the newest turn is always kept, also for 0
  /// Returns what to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Keeps as many of the last turns as fit into `tokens`. The system text is not counted.
struct TokenLimit {
  std::size_t tokens;            ///< the newest turn is always kept, however long it is
  TokenEstimator estimator = {}; ///< absent: `estimate_tokens`
  /// Returns what to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

/// Shortens old tool results and then clears them, as OpenClaw prunes a context.
///
/// The policy measures the messages in units. A UTF-16 unit of text counts as one unit, a Chinese, Japanese
/// or Korean character as four units, and an image as 8,000 units. Four units count as one token of `window`.
/// The shares `shorten_from` and `clear_from` are fractions of `window`. The lengths of results are in code
/// points.
///
/// Two groups of messages never change. One group is the messages before the first message of the user. The
/// other group begins with the `keep_answers`-th last assistant message and ends with the history.
struct ClearToolResults {
  std::size_t window = 200000;  ///< the model's context window, in tokens
  std::size_t keep_answers = 3; ///< the number of last assistant messages to keep; 0: any result may change
  double shorten_from = 0.3; ///< if the messages exceed this share of the window, long results are shortened
  /// If the messages exceed this share of the window, the oldest results are cleared until the messages are
  /// below this share.
  double clear_from = 0.5;
  /// No result is cleared if all results that may change have fewer units than this together.
  std::size_t min_clear = 50000;
  std::size_t max_length = 4000; ///< a longer result is shortened to `head` and `tail`
  std::size_t head = 1500;       ///< how much stays of the beginning of a long result
  std::size_t tail = 1500;       ///< how much stays of the end of a long result
  std::string placeholder = "[Old tool result content cleared]"; ///< the text of a cleared result
  std::vector<std::string> exclude_tools = {}; ///< names of tools whose results never change
  /// Returns what to leave out or to shorten.
  SESSIONKIT_API HistoryEdit operator()(std::vector<Message> const& messages) const;
};

}}
