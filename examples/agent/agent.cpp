// SPDX-License-Identifier: MIT
#include "agent.hpp"

#include <sessionkit/json.hpp>

#include <algorithm>
#include <exception>
#include <future>
#include <llm/llm_summarizer.hpp>
#include <map>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

Tool const* find_tool(std::vector<Tool> const& tools, std::string const& name) {
  auto const found =
      std::find_if(tools.begin(), tools.end(), [&](Tool const& tool) { return tool.spec.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

ToolOutput run_tool(Tool const* tool, ToolCall const& call) {
  if (tool == nullptr) return {"there is no tool '" + call.use->name + "'", true};
  try {
    return tool->run(call);
  } catch (std::exception const& error) { return {error.what(), true}; }
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

constexpr int most_cuts = 12; // each to half of what was refused, and at last to the newest turn

/// A running turn. Errors of the store are thrown as `sessionkit::Exception` to `run_turn`.
class TurnRun {
 public:
  TurnRun(sk::Session& session, Agent const& agent, OnEvent const& on_event, llm::CancelToken const& cancel)
      : session_(session),
        agent_(agent),
        on_event_(on_event),
        cancel_(cancel),
        target_(agent.target),
        view_limit_(agent.view_limit),
        draft_(agent.drafts.value_or(DraftPlace())) {}

  TurnOutcome run_within(sk::Turn& turn, sk::Message const& said) {
    store(turn, said);
    return converse(turn);
  }

  /// Null: the session's last message is answered.
  TurnOutcome run(sk::Message const* said) {
    if (holds()) begun_ = place();
    sk::Turn turn = session_.begin_turn();
    TurnOutcome outcome = said != nullptr ? run_within(turn, *said) : converse(turn);
    bool const too_long = outcome.failure && outcome.failure->kind == llm::FailureKind::context_exceeded;
    if (outcome.end == TurnEnd::finished || outcome.end == TurnEnd::too_long || worth_keeping_)
      turn.commit().value();
    else // a message that the model refuses as too long would be too long in the next turn too
      turn.abort(too_long ? sk::Turn::Unanswered::drop : sk::Turn::Unanswered::keep).value();
    draft_.drop();
    if (outcome.end == TurnEnd::finished) outcome.learned = learned_;
    for (auto& record : records_) keep_record(std::move(record));
    bool const now = outcome.end == TurnEnd::finished && !agent_.compacts_within_turn;
    if (now) shorten(sk::CompactionReason::size);
    return outcome;
  }

 private:
  TurnOutcome converse(sk::Turn& turn) {
    TurnOutcome outcome;
    for (unsigned step = 0; step < agent_.max_steps; ++step) {
      if (step != 0 || agent_.compacts_within_turn) shorten(sk::CompactionReason::size);
      llm::Answer const answer = ask();
      outcome.text = answer.message.text();
      tell(AnswerEnded{&answer.message});
      std::vector<ToolCall> calls;
      for (auto const* use : answer.message.tool_uses()) calls.push_back({use, &history_, cancel_});
      auto outputs = answer.failure ? Outputs() : run_in_session(turn, calls);
      if (!answer.message.parts.empty()) store(turn, with_cost(answer.message));
      if (!holds()) draft_.drop();
      if (answer.failure) {
        outcome.failure = answer.failure;
        outcome.end = was_cancelled(answer.failure) ? TurnEnd::interrupted : TurnEnd::failed;
        worth_keeping_ = outcome.end == TurnEnd::interrupted && !answer.message.parts.empty();
        if (worth_keeping_) refuse_calls(turn, answer.message);
        return outcome;
      }
      if (calls.empty()) return outcome;
      run_tools(turn, calls, std::move(outputs));
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
    learned_.window = history_.tokens;
    if (shorten(sk::CompactionReason::context_exceeded) == sk::CompactionOutcome::applied)
      answer = ask_once();
    for (int tries = 0; tries < most_cuts && is_too_long(answer) && cut_view(); ++tries) {
      answer = ask_once();
      learned_.view = std::max(view_limit_, said_tokens());
      learned_.window = std::min(learned_.window, history_.tokens / 3 * 4);
    }
    return answer;
  }

  // The tokens of the last request's messages, without the system prompt.
  std::size_t said_tokens() const {
    std::size_t const others = sk::estimate_tokens(target_.system);
    return history_.tokens - std::min(others, history_.tokens);
  }

  // Cuts the view to half of the messages that were refused, or less until there are fewer; false: the newest
  // turn alone was refused.
  bool cut_view() {
    std::size_t const refused = history_.tokens;
    clears_all_ = true;
    view_limit_ = said_tokens();
    while (history_.tokens >= refused && view_limit_ > 1) {
      view_limit_ /= 2;
      history_ = session_.history(view()).value();
    }
    return history_.tokens < refused;
  }

  static bool is_too_long(llm::Answer const& answer) {
    return answer.failure && answer.failure->kind == llm::FailureKind::context_exceeded
           && answer.message.parts.empty();
  }

  // The target with the cut of the view, which notes in `cut_` what it leaves out.
  sk::Target view() {
    cut_ = {};
    before_cut_ = 0;
    sk::Target target = target_;
    if (view_limit_ == 0) return target;
    sk::ClearToolResults clear;
    clear.window = view_limit_;
    clear.keep_answers = clears_all_ ? 1 : clear.keep_answers;
    clear.shorten_from = clears_all_ ? 0 : 0.7; // near the limit: a change costs the provider's cache
    clear.clear_from = clears_all_ ? 0.5 : 0.85;
    clear.min_clear = 0;
    target.policies.emplace_back([this, clear](std::vector<sk::Message> const& messages) {
      sk::HistoryEdit edit = clear(messages);
      cut_.results += edit.results.size();
      return edit;
    });
    target.policies.emplace_back([this, limit = sk::TokenLimit{view_limit_, target.estimator}](
                                     std::vector<sk::Message> const& messages) {
      before_cut_ = messages.size();
      return limit(messages);
    });
    return target;
  }

  // Once a turn.
  void report_cut() {
    if (before_cut_ > history_.messages.size()) cut_.messages = before_cut_ - history_.messages.size();
    if (cut_.messages + cut_.results == 0 || cut_is_reported_) return;
    cut_is_reported_ = true;
    tell(cut_);
  }

  llm::Answer ask_once() {
    history_ = session_.history(view()).value();
    report_cut();
    llm::Request request;
    request.model = target_.model;
    request.parts = sk::encode(history_, target_);
    for (auto const& tool : agent_.tools) request.tools.push_back(tool.spec);
    request.max_tokens = agent_.max_tokens;
    tell(RequestMade{&history_, &request.parts});
    begin_draft();
    auto const on_event = [&](llm::Event const& event) {
      draft_.add(event);
      tell(event);
    };
    return agent_.provider->generate(request, on_event, cancel_);
  }

  using Outputs = std::map<sk::ToolUse const*, ToolOutput>; ///< of calls that are done

  Outputs run_in_session(sk::Turn& turn, std::vector<ToolCall> const& calls) {
    Outputs outputs;
    for (auto const& call : calls) {
      auto const* const tool = find_tool(agent_.tools, call.use->name);
      if (tool == nullptr || !tool->run_in_session) continue;
      tell(ToolStarted{call.use});
      outputs[call.use] = tool->run_in_session(call, session_, turn);
    }
    return outputs;
  }

  // The other tools run at the same time; the results are stored in the order of the calls.
  void run_tools(sk::Turn& turn, std::vector<ToolCall> const& calls, Outputs outputs) {
    std::map<sk::ToolUse const*, std::future<ToolOutput>> running;
    for (auto const& call : calls) {
      if (outputs.count(call.use) != 0) continue;
      tell(ToolStarted{call.use});
      running[call.use] = std::async(std::launch::async,
                                     [&] { return run_tool(find_tool(agent_.tools, call.use->name), call); });
    }
    for (auto const& call : calls) {
      auto const pending = running.find(call.use);
      ToolOutput output = pending == running.end() ? std::move(outputs[call.use]) : pending->second.get();
      sk::Message const result = sk::tool_result(*call.use, std::move(output.text), output.is_error);
      store(turn, result);
      tell(ToolEnded{call.use, &result});
      if (!output.record.is_null()) records_.push_back({call.use->name, std::move(output.record)});
    }
  }

  sk::Message with_cost(sk::Message answer) const {
    if (!agent_.price || !answer.generation || !answer.metadata.is_null()) return answer;
    auto const& usage = answer.generation->usage;
    auto const cost = usage ? agent_.price(*usage) : std::nullopt;
    if (!cost) return answer;
    auto const total = usage->input + usage->output + usage->cache_read + usage->cache_write;
    nlohmann::ordered_json const stored = {
        {"input", usage->input},          {"output", usage->output},
        {"cacheRead", usage->cache_read}, {"cacheWrite", usage->cache_write},
        {"totalTokens", total},           {"cost", sk::to_nlohmann(*cost)}};
    answer.metadata = sk::to_raw_json(nlohmann::ordered_json{{"usage", stored}});
    return answer;
  }

  void store(sk::Turn& turn, sk::Message const& message) {
    turn.append(message).value();
    if (holds()) unsaved_.push_back(message);
  }

  // The log has the messages of the turn only when it ends.
  bool holds() const { return draft_.place().holds; }

  // Where the next entry will be.
  DraftHead place() const { return {{}, session_.id(), session_.leaf(), session_.info().value().end}; }

  void begin_draft() {
    if (!agent_.drafts) return;
    DraftHead head = begun_ ? *begun_ : place();
    head.unsaved = unsaved_;
    head.made = *sk::StreamDecoder(target_.provider).finish().generation;
    head.made.provider = agent_.provider->name();
    head.made.model = target_.model;
    draft_.begin(std::move(head));
  }

  // For people only: a dialect that cannot represent it does without.
  void keep_record(sk::Custom record) {
    auto const kept = session_.append_entry(std::move(record));
    if (!kept && kept.error().code != sk::Errc::unsupported) kept.value();
  }

  sk::CompactionOutcome shorten(sk::CompactionReason reason) {
    Compacted const what = compact(session_, agent_, reason, on_event_, cancel_);
    bool const never = what.error && what.error->code == sk::Errc::unsupported;
    if (never && view_limit_ == 0) view_limit_ = sk::limit_of(*agent_.compaction).value_or(0);
    return what.outcome;
  }

  void tell(Event const& event) const {
    if (on_event_) on_event_(event);
  }

  sk::Session& session_;
  Agent const& agent_;
  OnEvent const& on_event_;
  llm::CancelToken const& cancel_;
  sk::Target target_;       ///< the agent's, until pictures are refused
  sk::History history_;     ///< of the last request
  std::size_t view_limit_;  ///< as in `Agent`; set if a request is refused or no compaction can be stored
  bool clears_all_ = false; ///< the provider refused a request as too long
  LearnedLimits learned_;
  ViewCut cut_;                ///< of the last request
  std::size_t before_cut_ = 0; ///< how many messages it would have had
  bool cut_is_reported_ = false;
  std::vector<sk::Custom> records_; ///< of the tools
  DraftWriter draft_;
  std::optional<DraftHead> begun_;   ///< of a turn that is stored when it ends
  std::vector<sk::Message> unsaved_; ///< of such a turn
  bool worth_keeping_ = false;       ///< the turn was interrupted after some text or tool call
};

}

sk::Result<TurnOutcome> run_turn(sk::Session& session, Agent const& agent, sk::Message const& said,
                                 OnEvent const& on_event, llm::CancelToken const& cancel) {
  try {
    return TurnRun(session, agent, on_event, cancel).run(&said);
  } catch (sk::Exception const& refused) { return refused.error(); }
}

sk::Result<TurnOutcome> answer_again(sk::Session& session, Agent const& agent, OnEvent const& on_event,
                                     llm::CancelToken const& cancel) {
  try {
    return TurnRun(session, agent, on_event, cancel).run(nullptr);
  } catch (sk::Exception const& refused) { return refused.error(); }
}

void refuse_calls(sk::Turn& turn, sk::Message const& answer) {
  for (auto const* call : answer.tool_uses())
    turn.append(sk::tool_result(*call, "interrupted", true)).value();
}

void learn_limits(Agent& agent, LearnedLimits const& limits) {
  if (limits.view != 0 && (agent.view_limit == 0 || limits.view < agent.view_limit))
    agent.view_limit = limits.view;
  if (limits.window != 0 && agent.compaction && limits.window < agent.compaction->window)
    agent.compaction = fit_to_window(*agent.compaction, limits.window);
}

void limit_view(sk::Target& target, ViewLimits const& limits) {
  if (limits.turns != 0) target.policies.emplace_back(sk::TurnLimit{limits.turns});
  if (limits.messages != 0) target.policies.emplace_back(sk::MessageLimit{limits.messages});
  if (limits.tokens != 0) target.policies.emplace_back(sk::TokenLimit{limits.tokens, target.estimator});
}

sk::Result<TurnOutcome> run_within(sk::Session& session, sk::Turn& turn, Agent const& agent,
                                   sk::Message const& said, OnEvent const& on_event,
                                   llm::CancelToken const& cancel) {
  try {
    return TurnRun(session, agent, on_event, cancel).run_within(turn, said);
  } catch (sk::Exception const& refused) { return refused.error(); }
}

sk::CompactionPolicy fit_to_window(sk::CompactionPolicy policy, std::size_t window) {
  if (policy.trigger_tokens == 0) return policy;
  policy.window = window;
  policy.window_reserve = window / 4;
  return policy;
}

Agent fitted(Agent agent, sk::Profile const& profile, std::size_t window, CompactionNumbers const& numbers) {
  agent.compaction.reset();
  agent.compacts_within_turn = profile.compaction.within_turn;
  agent.view_limit = 0;
  if (!profile.compaction.view_only) {
    sk::CompactionPolicy policy = sk::make_compaction_policy(profile);
    policy.trigger_tokens = numbers.threshold.value_or(policy.trigger_tokens);
    if (numbers.history_limit) policy.keep = sk::keep_messages(*numbers.history_limit);
    agent.compaction = fit_to_window(policy, window);
    return agent;
  }
  std::size_t others =
      window / 4 + sk::estimate_tokens(agent.target.system); // the answer, and what comes first
  for (auto const& tool : agent.tools)
    others += sk::estimate_tokens(tool.spec.description) + sk::estimate_tokens(tool.spec.parameters.str());
  agent.view_limit = std::max(window - std::min(window, others), window / 8);
  if (numbers.threshold.value_or(0) != 0) agent.view_limit = std::min(agent.view_limit, *numbers.threshold);
  return agent;
}

Compacted compact(sk::Session& session, Agent const& agent, sk::CompactionReason reason,
                  OnEvent const& on_event, llm::CancelToken const& cancel) {
  Compacted what{reason, sk::CompactionOutcome::not_needed};
  if (cancel.cancelled()) return what;
  if (!agent.compaction) {
    if (on_event && reason == sk::CompactionReason::manual) on_event(what);
    return what;
  }
  llm::LlmSummarizer summarizer(agent.provider, agent.target.model, cancel);
  auto const outcome = session.compact(summarizer, *agent.compaction, reason);
  what.outcome = outcome ? *outcome : sk::CompactionOutcome::no_progress;
  if (!outcome) what.error = outcome.error();
  bool const asked_for = reason != sk::CompactionReason::size;
  if (on_event && (what.outcome != sk::CompactionOutcome::not_needed || asked_for)) on_event(what);
  return what;
}

}
