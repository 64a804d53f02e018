// SPDX-License-Identifier: MIT
#pragma once
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

/// What a turn is made with. A value that may be shared by any number of sessions and threads.
struct Agent {
  std::shared_ptr<llm::Provider> provider;
  sessionkit::Target target; ///< whose provider is `llm::Provider::format`; model, system prompt, policies
  std::vector<Tool> tools = {};
  std::size_t max_tokens = 4096; ///< of one answer
  unsigned max_steps = 30;       ///< answers in one turn
  /// Absent: the session is never compacted.
  std::optional<sessionkit::CompactionPolicy> compaction = {};
};

/// The next request, before it is sent. Lives as long as the call.
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
/// The session was made shorter, or should have been.
struct Compacted {
  sessionkit::CompactionReason reason;
  sessionkit::CompactionOutcome outcome = sessionkit::CompactionOutcome::no_progress;
  std::optional<sessionkit::Error> error = {}; ///< why there is no summary; the conversation goes on without
};
using Event = std::variant<llm::Event, RequestMade, AnswerEnded, ToolStarted, ToolEnded, Compacted>;

/// Called on the thread of the turn.
using OnEvent = std::function<void(Event const&)>;

enum class TurnEnd {
  finished,    ///< the model said what it had to say
  interrupted, ///< the token was cancelled; what came until then is stored, marked as such
  failed,      ///< no answer could be had; what came is stored, and the user's message
  too_long,    ///< `max_steps` answers, and the last one still called tools
};

struct TurnOutcome {
  TurnEnd end = TurnEnd::finished;
  std::optional<llm::Failure> failure = {}; ///< where `end` is `failed` or `interrupted`
  std::string text = {};                    ///< of the last answer
};

/// One turn: stores what the user says, asks, stores the answer, runs the tools it calls (at the same time)
/// and stores their results, until an answer calls none; then compacts where the policy says so, and in
/// between where a turn outgrows the limit by itself. A request that the provider refuses as too long is made
/// shorter, once; one with pictures that it refuses is made without them (an `llm::RetryWait` tells). Errors
/// are those of the store; the turn is aborted then.
sessionkit::Result<TurnOutcome> run_turn(sessionkit::Session& session, Agent const& agent,
                                         sessionkit::Message const& said, OnEvent const& on_event = {},
                                         llm::CancelToken const& cancel = {});

/// The same policy for a model with that window, in tokens: a conversation is made shorter where the answer
/// would no longer fit, or sooner where the policy says so. One that never compacts for size stays so.
sessionkit::CompactionPolicy fit_to_window(sessionkit::CompactionPolicy policy, std::size_t window);

/// Compacts now; tells `on_event`.
Compacted compact(sessionkit::Session& session, Agent const& agent, sessionkit::CompactionReason reason,
                  OnEvent const& on_event = {}, llm::CancelToken const& cancel = {});

}
