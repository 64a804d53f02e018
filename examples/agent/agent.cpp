// SPDX-License-Identifier: MIT
#include "agent.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <llm/llm_summarizer.hpp>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

ToolOutput run_tool(std::vector<Tool> const& tools, ToolCall const& call) {
  for (auto const& tool : tools) {
    if (tool.spec.name != call.use->name) continue;
    try {
      return tool.run(call);
    } catch (std::exception const& error) { return {error.what(), true}; }
  }
  return {"there is no tool '" + call.use->name + "'", true};
}

bool was_cancelled(std::optional<llm::Failure> const& failure) {
  return failure && failure->kind == llm::FailureKind::cancelled;
}

bool has_pictures(sk::History const& history) {
  auto const is_picture = [](auto const& part) { return std::holds_alternative<sk::Image>(part); };
  auto const shows_one = [&](sk::Part const& part) {
    auto const* const result = std::get_if<sk::ToolResult>(&part);
    return is_picture(part)
           || (result && std::any_of(result->content.begin(), result->content.end(), is_picture));
  };
  return std::any_of(history.messages.begin(), history.messages.end(), [&](sk::Message const& message) {
    return std::any_of(message.parts.begin(), message.parts.end(), shows_one);
  });
}

/// A running turn. Errors of the store are thrown as `sessionkit::Exception` to `run_turn`.
class TurnRun {
 public:
  TurnRun(sk::Session& session, Agent const& agent, OnEvent const& on_event, llm::CancelToken const& cancel)
      : session_(session), agent_(agent), on_event_(on_event), cancel_(cancel), target_(agent.target) {}

  TurnOutcome run(sk::Message const& said) {
    sk::Turn turn = session_.begin_turn();
    turn.append(said).value();
    TurnOutcome outcome = converse(turn);
    if (outcome.end == TurnEnd::finished || outcome.end == TurnEnd::too_long || worth_keeping_)
      turn.commit().value();
    else
      turn.abort().value();
    for (auto& record : records_) keep_record(std::move(record));
    if (outcome.end == TurnEnd::finished) shorten(sk::CompactionReason::size);
    return outcome;
  }

 private:
  TurnOutcome converse(sk::Turn& turn) {
    TurnOutcome outcome;
    for (unsigned step = 0; step < agent_.max_steps; ++step) {
      if (step != 0) shorten(sk::CompactionReason::size);
      llm::Answer const answer = ask();
      outcome.text = answer.message.text();
      tell(AnswerEnded{&answer.message});
      if (!answer.message.parts.empty()) turn.append(answer.message).value();
      if (answer.failure) {
        outcome.failure = answer.failure;
        outcome.end = was_cancelled(answer.failure) ? TurnEnd::interrupted : TurnEnd::failed;
        worth_keeping_ = outcome.end == TurnEnd::interrupted && !answer.message.parts.empty();
        if (worth_keeping_) refuse_calls(turn, answer.message);
        return outcome;
      }
      if (answer.message.tool_uses().empty()) return outcome;
      run_tools(turn, answer.message);
      if (cancel_.cancelled()) {
        outcome.failure = llm::Failure{llm::FailureKind::cancelled, "cancelled"};
        outcome.end = TurnEnd::interrupted;
        worth_keeping_ = true;
        return outcome;
      }
    }
    outcome.end = TurnEnd::too_long;
    return outcome;
  }

  // A refused request is made again once: shorter if it was too long, and without its
  // pictures if it had some. The log keeps them, so every later turn would fail with them.
  llm::Answer ask() {
    llm::Answer answer = ask_once();
    if (!answer.failure || !answer.message.parts.empty()) return answer;
    auto const kind = answer.failure->kind;
    if (kind == llm::FailureKind::refused && target_.images && has_pictures(history_)) {
      target_.images = false;
      tell(llm::RetryWait{2, {}, kind, answer.failure->message + "; trying without the pictures", true});
      return ask_once();
    }
    if (kind != llm::FailureKind::context_exceeded) return answer;
    if (shorten(sk::CompactionReason::context_exceeded) != sk::CompactionOutcome::applied) return answer;
    return ask_once();
  }

  llm::Answer ask_once() {
    history_ = session_.history(target_).value();
    llm::Request request;
    request.model = target_.model;
    request.parts = sk::encode(history_, target_);
    for (auto const& tool : agent_.tools) request.tools.push_back(tool.spec);
    request.max_tokens = agent_.max_tokens;
    tell(RequestMade{&history_, &request.parts});
    return agent_.provider->generate(
        request, [&](llm::Event const& event) { tell(event); }, cancel_);
  }

  // The tools run at the same time; their results are stored in the order of the calls.
  void run_tools(sk::Turn& turn, sk::Message const& answer) {
    std::vector<ToolCall> calls;
    for (auto const* use : answer.tool_uses()) calls.push_back({use, &history_, cancel_});
    std::vector<std::future<ToolOutput>> running;
    for (auto const& call : calls) {
      tell(ToolStarted{call.use});
      running.push_back(std::async(std::launch::async, [&] { return run_tool(agent_.tools, call); }));
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      ToolOutput output = running[i].get();
      sk::Message const result = sk::tool_result(*calls[i].use, std::move(output.text), output.is_error);
      turn.append(result).value();
      tell(ToolEnded{calls[i].use, &result});
      if (!output.record.is_null()) records_.push_back({calls[i].use->name, std::move(output.record)});
    }
  }

  // The calls of an interrupted answer are complete but were never run.
  static void refuse_calls(sk::Turn& turn, sk::Message const& answer) {
    for (auto const* call : answer.tool_uses())
      turn.append(sk::tool_result(*call, "interrupted", true)).value();
  }

  // For people only: a dialect that cannot represent it does without.
  void keep_record(sk::Custom record) {
    auto const kept = session_.append_entry(std::move(record));
    if (!kept && kept.error().code != sk::Errc::unsupported) kept.value();
  }

  sk::CompactionOutcome shorten(sk::CompactionReason reason) {
    return compact(session_, agent_, reason, on_event_, cancel_).outcome;
  }

  void tell(Event const& event) const {
    if (on_event_) on_event_(event);
  }

  sk::Session& session_;
  Agent const& agent_;
  OnEvent const& on_event_;
  llm::CancelToken const& cancel_;
  sk::Target target_;               ///< the agent's, until pictures are refused
  sk::History history_;             ///< of the last request
  std::vector<sk::Custom> records_; ///< of the tools
  bool worth_keeping_ = false;      ///< the turn was interrupted after some text or tool call
};

}

sk::Result<TurnOutcome> run_turn(sk::Session& session, Agent const& agent, sk::Message const& said,
                                 OnEvent const& on_event, llm::CancelToken const& cancel) {
  try {
    return TurnRun(session, agent, on_event, cancel).run(said);
  } catch (sk::Exception const& refused) { return refused.error(); }
}

sk::CompactionPolicy fit_to_window(sk::CompactionPolicy policy, std::size_t window) {
  if (policy.trigger_tokens == 0) return policy;
  policy.window = window;
  policy.window_reserve = window / 4;
  return policy;
}

Compacted compact(sk::Session& session, Agent const& agent, sk::CompactionReason reason,
                  OnEvent const& on_event, llm::CancelToken const& cancel) {
  Compacted what{reason, sk::CompactionOutcome::not_needed};
  if (!agent.compaction || cancel.cancelled()) return what;
  llm::LlmSummarizer summarizer(agent.provider, agent.target.model, cancel);
  auto const outcome = session.compact(summarizer, *agent.compaction, reason);
  what.outcome = outcome ? *outcome : sk::CompactionOutcome::no_progress;
  if (!outcome) what.error = outcome.error();
  bool const asked_for = reason != sk::CompactionReason::size;
  if (on_event && (what.outcome != sk::CompactionOutcome::not_needed || asked_for)) on_event(what);
  return what;
}

}
