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

/// The texts of a request for a summary. They also decide how the request shows the conversation. The views
/// must stay valid while the prompt is used.
struct SummaryPrompt {
  std::string_view name;                 ///< the name by which `find_prompt` finds it
  std::string_view system = {};          ///< the system prompt
  std::string_view head = {};            ///< the beginning of the request
  std::string_view conversation[2] = {}; ///< the texts before and after the conversation
  std::string_view previous[2] = {};     ///< the texts before and after the earlier summary, if there is one
  /// The instruction if there is no earlier summary; it follows the conversation. A request with an earlier
  /// summary does not contain `first`. But `first` decides the order of such a request: if `first` is empty,
  /// the earlier summary comes before the conversation, otherwise after it.
  std::string_view first = {};
  /// The instruction if there is an earlier summary; it follows the summary and the conversation.
  std::string_view update = {};
  std::string_view sections = {}; ///< the list of the summary's sections, after the instruction
  std::string_view split = {};    ///< a text after `sections` if the conversation ends inside a turn
  std::string_view focus = {};    ///< the text before the topic that the summary should stress
  // The labels before the pieces of the conversation.
  std::string_view user = "[User]: ";                   ///< before a text of the user or of the host
  std::string_view thinking = "[Assistant thinking]: "; ///< before the reasoning of an answer
  std::string_view assistant = "[Assistant]: ";         ///< before the text of an answer
  std::string_view calls = "[Assistant tool calls]: ";  ///< before the calls of an answer
  std::string_view result = "[Tool result]: ";          ///< before the text of a result
  std::string_view between = "\n\n";                    ///< between two pieces
  std::string_view split_mark = {}; ///< marks the last turn of the conversation if that turn is incomplete
};

/// Returns the prompt of this name, or null. `structured` and `structured_zh` ask for goal, constraints,
/// progress, decisions, next steps and critical context. `ai_panel`, `blades` and `zeroclaw` are the prompts
/// of these programs.
SESSIONKIT_API SummaryPrompt const* find_prompt(std::string_view name) noexcept;

/// A request for a summary. It owns all its data except the prompt.
struct SummaryRequest {
  SummaryPrompt const* words = nullptr; ///< the texts to use; null means `structured`
  /// The messages as text, oldest first. Tool results and long texts are shortened.
  std::string conversation = {};
  /// The summary of the messages before `conversation`; empty if there are none.
  std::string previous_summary = {};
  std::string focus = {}; ///< a topic that the summary should stress; empty if there is none
  /// True: the conversation ends inside a turn. The rest of this turn stays in the context, after the
  /// summary.
  bool split_turn = false;
  std::size_t max_tokens = 0; ///< the maximum length of the summary in tokens; 0: no maximum
  Timestamp deadline = {};    ///< an answer after this time is not used; the default (1970) means no deadline

  /// Returns the system text to send.
  SESSIONKIT_API std::string system() const;
  /// Returns the text to send as the only message of the user.
  SESSIONKIT_API std::string prompt() const;
};

/// Asks a model for a summary. The host implements this class. It is called on the thread that compacts, with
/// no lock held.
class SESSIONKIT_API Summarizer {
 public:
  /// Destroys the host's object.
  virtual ~Summarizer();
  /// Returns the summary as text. If the function returns an error or a blank text, the conversation stays
  /// unchanged.
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
  /// Makes a summarizer that calls `call`.
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

/// The settings of a summary window, as in blades. A request shows a summary of the earlier turns, and then
/// the last turns. The log does not change.
struct SummaryWindow {
  std::size_t turns = 10; ///< at least this many of the last turns are shown unchanged
  /// The number of turns that are added to the summary at once. The model is called once for each such group
  /// of turns.
  std::size_t batch = 1;
  SummaryPrompt const* words = nullptr; ///< the texts to use; null means the prompt of blades
};

/// Makes a policy that calls `summarizer` when turns leave the window, and remembers the summary. The same
/// range of turns is never summarised twice. For a longer range, the model gets the earlier summary and only
/// the turns after the summarised ones. If the summarizer fails or returns a blank text, the history shows
/// only the last turns, and the next request calls the summarizer again.
///
/// Copies of a policy share one remembered summary. So make a policy for each session, and use it from one
/// thread at a time. The length of a request for a summary is not limited.
SESSIONKIT_API HistoryPolicy summarize_window(std::shared_ptr<Summarizer> summarizer,
                                              SummaryWindow window = {});

}}
