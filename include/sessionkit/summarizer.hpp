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

/// The words in which a summary is asked for, and how the conversation is written down. Views must outlive
/// their use.
struct SummaryPrompt {
  std::string_view name;
  std::string_view system = {};             ///< the system prompt
  std::string_view head = {};               ///< before everything else
  std::string_view conversation[2] = {};    ///< around the conversation
  std::string_view previous[2] = {};        ///< around the summary of what came before it
  std::string_view first = {}, update = {}; ///< after both: without and with an earlier summary
  std::string_view sections = {};           ///< after either
  std::string_view split = {};              ///< after that, where the end of the last turn is not in it
  std::string_view focus = {};              ///< before what the caller wants to be stressed
  std::string_view user = "[User]: ", thinking = "[Assistant thinking]: ", assistant = "[Assistant]: ",
                   calls = "[Assistant tool calls]: ", result = "[Tool result]: ",
                   between = "\n\n"; ///< before each piece of the conversation, and between them
  std::string_view split_mark = {};  ///< in the conversation, before the turn that goes on
};

/// `structured` and `structured_zh` (goal, constraints, progress, decisions, next steps, critical context),
/// `ai_panel`, `blades` and `zeroclaw` (those programs' own words), or null.
SESSIONKIT_API SummaryPrompt const* find_prompt(std::string_view name) noexcept;

/// What a model is asked to summarise. Owns all it needs but the prompt.
struct SummaryRequest {
  SummaryPrompt const* words = nullptr; ///< null: `structured`
  std::string conversation = {};        ///< as text, oldest first; tool results and long texts shortened
  std::string previous_summary = {};    ///< of what came before; empty: nothing did
  std::string focus = {};
  bool split_turn = false;    ///< the conversation ends within a turn, whose rest the model will see
  std::size_t max_tokens = 0; ///< how long the summary should be at most; 0: not said
  Timestamp deadline = {};    ///< an answer that comes later is not used; the epoch: no matter when

  /// The system text to send.
  SESSIONKIT_API std::string system() const;
  /// The one message of the user to send.
  SESSIONKIT_API std::string prompt() const;
};

/// Asks a model for a summary: the host's. Called on the thread that asked for it, with no lock held.
class SESSIONKIT_API Summarizer {
 public:
  virtual ~Summarizer();
  /// The summary as text. An error or a blank text: the conversation stays as it is.
  virtual Result<std::string> summarize(SummaryRequest const& request) = 0;

 protected:
  Summarizer() = default;
  Summarizer(Summarizer const&) = default;
  Summarizer(Summarizer&&) = default;
  Summarizer& operator=(Summarizer const&) = default;
  Summarizer& operator=(Summarizer&&) = default;
};

/// What `make_summarizer` makes.
template <class Call> class CallableSummarizer final : public Summarizer {
 public:
  explicit CallableSummarizer(Call call) : call_(std::move(call)) {}
  /// What the callable answers.
  Result<std::string> summarize(SummaryRequest const& request) override { return call_(request); }

 private:
  Call call_;
};

/// A summarizer of anything that can be called with a `SummaryRequest` and answers a text or an `Error`.
template <class Call> CallableSummarizer<Call> make_summarizer(Call call) {
  return CallableSummarizer<Call>(std::move(call));
}

/// A view of the last turns with a summary of the earlier ones; the log stays as it is (blades).
struct SummaryWindow {
  std::size_t turns = 10; ///< shown as they are, at least
  std::size_t batch = 1;  ///< turns by which the summary grows: the model is asked once in so many turns
  SummaryPrompt const* words = nullptr; ///< null: that of blades
};

/// A policy that asks `summarizer` when turns leave the window, and remembers the answer: the same range is
/// never summarised twice, a longer one begins with the summary of the shorter. Where the summarizer fails or
/// answers blank, the last turns are shown alone and it is asked again with the next request. Copies share
/// what they remember, which is one range: make one for each session; one thread at a time. Nothing bounds
/// the request but the window.
SESSIONKIT_API HistoryPolicy summarize_window(std::shared_ptr<Summarizer> summarizer,
                                              SummaryWindow window = {});

}}
