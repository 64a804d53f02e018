// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history_policy.hpp>
#include <sessionkit/result.hpp>
#include <sessionkit/time.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sessionkit { inline namespace v0 {

/// The text of a request for a summary, and the form in which the conversation is written in it. The views
/// must stay valid while the prompt is used.
struct SummaryPrompt {
  std::string_view name;
  std::string_view system = {};          ///< the system prompt
  std::string_view head = {};            ///< before everything else
  std::string_view conversation[2] = {}; ///< around the conversation
  std::string_view previous[2] = {};     ///< around the summary of what came before it
  std::string_view
      first = {},
      update = {}; ///< the text after these two: `first` if there is no earlier summary, else `update`
  std::string_view sections = {}; ///< after either
  std::string_view split = {};    ///< after `sections`, if the conversation ends inside a turn
  std::string_view focus = {};    ///< before the topic that the caller wants to be stressed
  std::string_view user = "[User]: ", thinking = "[Assistant thinking]: ", assistant = "[Assistant]: ",
                   calls = "[Assistant tool calls]: ", result = "[Tool result]: ",
                   between = "\n\n"; ///< before each piece of the conversation, and between them
  std::string_view split_mark = {};  ///< in the conversation, before the turn whose end is not in it
};

/// `structured` and `structured_zh` (goal, constraints, progress, decisions, next steps, critical context),
/// `ai_panel`, `blades` and `zeroclaw` (those programs' own words), or null.
SESSIONKIT_API SummaryPrompt const* find_prompt(std::string_view name) noexcept;

/// A request for a summary. It owns all its data except for the prompt.
struct SummaryRequest {
  SummaryPrompt const* words = nullptr; ///< null: `structured`
  std::string conversation = {};        ///< as text, oldest first; tool results and long texts shortened
  std::string previous_summary =
      {}; ///< the summary of the messages before `conversation`; empty: there were none
  std::string focus = {};
  bool split_turn =
      false; ///< the conversation ends inside a turn, and the model will see the rest of that turn
  std::size_t max_tokens = 0; ///< the maximum length of the summary; 0: no maximum
  Timestamp deadline = {};    ///< a later answer is not used; the epoch: no deadline

  /// The system text to send.
  SESSIONKIT_API std::string system() const;
  /// The one message of the user to send.
  SESSIONKIT_API std::string prompt() const;
};

/// Asks a model for a summary. The host implements this class. It is called on the thread that compacts, with
/// no lock held.
class SESSIONKIT_API Summarizer {
 public:
  virtual ~Summarizer();
  /// Returns the summary as text. After an error or a blank text the conversation stays unchanged.
  virtual Result<std::string> summarize(SummaryRequest const& request) = 0;

 protected:
  Summarizer() = default;
  Summarizer(Summarizer const&) = default;
  Summarizer(Summarizer&&) = default;
  Summarizer& operator=(Summarizer const&) = default;
  Summarizer& operator=(Summarizer&&) = default;
};

/// The type that `make_summarizer` returns.
template <class Call> class CallableSummarizer final : public Summarizer {
 public:
  explicit CallableSummarizer(Call call) : call_(std::move(call)) {}
  /// Calls the callable and returns its result.
  Result<std::string> summarize(SummaryRequest const& request) override { return call_(request); }

 private:
  Call call_;
};

/// Makes a summarizer of a callable that takes a `SummaryRequest` and returns a text or an `Error`.
template <class Call> CallableSummarizer<Call> make_summarizer(Call call) {
  return CallableSummarizer<Call>(std::move(call));
}

/// A view that has the last turns and a summary of the earlier turns, as in blades. The log does not change.
struct SummaryWindow {
  std::size_t turns = 10; ///< at least this many of the last turns are shown unchanged
  std::size_t batch =
      1; ///< the summary grows by this many turns at a time, so the model is called once in so many turns
  SummaryPrompt const* words = nullptr; ///< null: that of blades
};

/// Makes a policy that calls `summarizer` when turns leave the window, and remembers the summary. The same
/// range is never summarised twice: for a longer range the model gets the earlier summary and the turns after
/// it. If the summarizer fails or returns a blank text, only the last turns are shown, and the next request
/// calls it again. Copies of a policy share one remembered range, so make a policy for each session, and use
/// it from one thread at a time. The length of a request for a summary has no limit but the window.
SESSIONKIT_API HistoryPolicy summarize_window(std::shared_ptr<Summarizer> summarizer,
                                              SummaryWindow window = {});

}}
