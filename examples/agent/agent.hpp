// SPDX-License-Identifier: MIT
#pragma once
#include "draft.hpp"
#include "tool.hpp"

#include <sessionkit/compaction.hpp>
#include <sessionkit/session.hpp>

#include <cstddef>
#include <functional>
#include <llm/provider.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace agent {

/// The parts of an agent. A value that any number of sessions and threads may share.
struct Agent {
  std::shared_ptr<llm::Provider> provider;
  sessionkit::Target target; ///< its provider is `llm::Provider::format`; also model, system prompt, policies
  std::vector<Tool> tools = {};
  std::size_t max_tokens = 4096; ///< of one answer
  unsigned max_steps = 30;       ///< answers in one turn
  /// If absent, the session is never compacted.
  std::optional<sessionkit::CompactionPolicy> compaction = {};
  bool compacts_within_turn = false; ///< before the first request of a turn instead of after the turn
  /// Cuts each request to this many tokens, where the profile stores no compaction; 0: not before the model
  /// refuses a request as too long.
  std::size_t view_limit = 0;
  /// Answers are also written there while they arrive. Absent: a killed process loses them.
  std::optional<DraftPlace> drafts = {};
  /// What the tokens of an answer cost, as pi's log has it (`usage.cost`). Absent, or if the result is: the
  /// log has no cost. Only for the lines of pi.
  std::function<std::optional<sessionkit::RawJson>(sessionkit::Usage const&)> price = {};
};

/// How much of a conversation the model sees, as a person sets it; 0: no limit. The newest turn is always
/// sent. What is stored does not change.
struct ViewLimits {
  std::size_t turns = 0;    ///< the last turns
  std::size_t messages = 0; ///< the last messages, and the rest of their turn
  std::size_t tokens = 0;   ///< as many of the last turns as fit
};
/// Adds the policies that keep these limits.
void limit_view(sessionkit::Target& target, ViewLimits const& limits);

/// The next request, before it is sent. Valid during the call.
struct RequestMade {
  sessionkit::History const* history;
  sessionkit::RequestParts const* parts;
};
struct AnswerEnded {
  sessionkit::Message const* message;
};
struct ToolStarted {
  sessionkit::ToolUse const* call;
};
struct ToolEnded {
  sessionkit::ToolUse const* call;
  sessionkit::Message const* result;
};
/// A compaction was made, or failed.
struct Compacted {
  sessionkit::CompactionReason reason;
  sessionkit::CompactionOutcome outcome = sessionkit::CompactionOutcome::no_progress;
  std::optional<sessionkit::Error> error =
      {}; ///< why there is no summary; the conversation continues without one
};
/// The request leaves out the oldest messages, or shortens old tool results, because all of them would not
/// fit.
struct ViewCut {
  std::size_t messages = 0; ///< left out
  std::size_t results = 0;  ///< shortened or cleared
};
using Event = std::variant<llm::Event, RequestMade, AnswerEnded, ToolStarted, ToolEnded, Compacted, ViewCut>;

/// Called on the thread of the turn.
using OnEvent = std::function<void(Event const&)>;

enum class TurnEnd {
  finished,    ///< the model's last answer calls no tool
  interrupted, ///< the token was cancelled; the partial answer is stored and marked
  failed,      ///< no complete answer; the user's message and the partial answer are stored
  too_long,    ///< `max_steps` answers, and the last one still called tools
};

/// What the refusal of a request as too long shows about the model's window, in tokens. 0: nothing was
/// refused.
struct LearnedLimits {
  std::size_t window = 0; ///< at most the tokens of the refused request
  std::size_t view = 0;   ///< of the messages that were sent after a cut of the view; 0: none was needed
};

struct TurnOutcome {
  TurnEnd end = TurnEnd::finished;
  std::optional<llm::Failure> failure = {}; ///< if `end` is `failed` or `interrupted`
  std::string text = {};                    ///< of the last answer
  LearnedLimits learned = {};
};

/// Makes later turns as short as this one had to be, and their compactions early enough. Limits only shrink.
void learn_limits(Agent& agent, LearnedLimits const& limits);

/// Runs one turn: stores the user's message, asks, stores the answer, runs the tools it calls (at the same
/// time) and stores their results, until an answer calls none. Then it compacts if the policy says so; it
/// also compacts within a turn that outgrows the limit by itself. A request that the provider refuses as too
/// long is made shorter: by a compaction, or where none can be stored or made, by a cut of the view. A
/// refused request with pictures is made again without them (an `llm::RetryWait` reports it). Errors are
/// those of the store; the turn is then aborted.
sessionkit::Result<TurnOutcome> run_turn(sessionkit::Session& session, Agent const& agent,
                                         sessionkit::Message const& said, OnEvent const& on_event = {},
                                         llm::CancelToken const& cancel = {});

/// The same for the last message of the session, which is stored already: the turn stores only what follows
/// it.
sessionkit::Result<TurnOutcome> answer_again(sessionkit::Session& session, Agent const& agent,
                                             OnEvent const& on_event = {},
                                             llm::CancelToken const& cancel = {});

/// The same as `run_turn` for a message and its answers within a turn that is open, and stays open.
sessionkit::Result<TurnOutcome> run_within(sessionkit::Session& session, sessionkit::Turn& turn,
                                           Agent const& agent, sessionkit::Message const& said,
                                           OnEvent const& on_event = {}, llm::CancelToken const& cancel = {});

/// Stores a result for each call of an answer that was cut: the calls were never run.
void refuse_calls(sessionkit::Turn& turn, sessionkit::Message const& answer);

/// The same policy for a model with that window, in tokens: a conversation is compacted if the answer
/// would no longer fit, or sooner if the policy says so. A policy that never compacts for size stays so.
sessionkit::CompactionPolicy fit_to_window(sessionkit::CompactionPolicy policy, std::size_t window);

/// What a person sets instead of the profile's own numbers, as in ZeroClaw's `[session]` configuration.
struct CompactionNumbers {
  std::optional<std::size_t> threshold = {};     ///< compact above this many tokens; 0: never for the size
  std::optional<std::size_t> history_limit = {}; ///< a compaction keeps this many of the last messages
};

/// The agent with the compaction and the cut of the view that the sessions of a profile need for a model with
/// that window, in tokens. The profile is that of the store. Where it stores no compaction, requests are cut
/// to the threshold, and the history limit has no effect.
Agent fitted(Agent agent, sessionkit::Profile const& profile, std::size_t window,
             CompactionNumbers const& numbers = {});

/// Compacts now, and reports it to `on_event`. Without `Agent::compaction` the outcome is `not_needed`.
Compacted compact(sessionkit::Session& session, Agent const& agent, sessionkit::CompactionReason reason,
                  OnEvent const& on_event = {}, llm::CancelToken const& cancel = {});

}
