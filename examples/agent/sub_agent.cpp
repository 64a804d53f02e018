// SPDX-License-Identifier: MIT
#include "sub_agent.hpp"

#include <sessionkit/json.hpp>
#include <sessionkit/memory_store.hpp>

#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

/// The conversation so far, in a session of its own.
sk::Result<sk::Session> copy_of(sk::History const& history) {
  sk::SessionOptions options;
  options.profile = sk::profiles::ephemeral;
  auto session = sk::Session::create(sk::make_memory_store(), {}, std::move(options));
  if (!session) return session;
  if (auto const copied = session->append_all(history.messages); !copied) return copied.error();
  return session;
}

struct Spent {
  std::uint64_t answers = 0, input = 0, output = 0;

  void add(sk::Message const& answer) {
    ++answers;
    if (!answer.generation || !answer.generation->usage) return;
    input += answer.generation->usage->input;
    output += answer.generation->usage->output;
  }
};

/// Runs the task that a call names. `run`: runs a message as a turn.
template <class Run> ToolOutput work(ToolCall const& call, Run const& run) {
  auto const arguments = sk::to_nlohmann(call.use->input);
  if (!arguments.is_object() || !arguments.contains("task") || !arguments["task"].is_string())
    return {"'task' is missing", true};
  auto const task = arguments["task"].get<std::string>();
  Spent spent;
  sk::Result<TurnOutcome> const outcome =
      run(sk::user("You are asked to do this on your own: " + task), [&](Event const& event) {
        if (auto const* const ended = std::get_if<AnswerEnded>(&event)) spent.add(*ended->message);
      });
  if (!outcome) return {outcome.error().message, true};
  auto const record = nlohmann::ordered_json{{"task", task},
                                             {"answers", spent.answers},
                                             {"tokens", {{"input", spent.input}, {"output", spent.output}}}};
  bool const done = outcome->end == TurnEnd::finished;
  std::string const why = outcome->failure ? outcome->failure->message : "it took too many steps";
  return {done ? outcome->text : "not done: " + why, !done, sk::to_raw_json(record)};
}

ToolOutput work_in_copy(Agent worker, ToolCall const& call) {
  auto session = copy_of(*call.history);
  if (!session) return {session.error().message, true};
  worker.target.system = call.history->system; // includes the summary of compacted messages
  return work(call, [&](sk::Message const& task, OnEvent const& watch) {
    return run_turn(*session, worker, task, watch, call.cancel);
  });
}

}

Tool make_sub_agent(Agent worker, SubAgentSession where, std::string name) {
  Tool tool{
      {std::move(name), "Gives a task to a separate assistant that knows this conversation.",
       sk::RawJson::from(R"({"type":"object","properties":{"task":{"type":"string"}},"required":["task"]})")},
      {}};
  if (where == SubAgentSession::shared)
    tool.run_in_session = [worker = std::move(worker)](ToolCall const& call, sk::Session& session,
                                                       sk::Turn& turn) {
      return work(call, [&](sk::Message const& task, OnEvent const& watch) {
        return run_within(session, turn, worker, task, watch, call.cancel);
      });
    };
  else
    tool.run = [worker = std::move(worker)](ToolCall const& call) { return work_in_copy(worker, call); };
  return tool;
}

}
