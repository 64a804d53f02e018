// SPDX-License-Identifier: MIT
// docs/guides/agent_loop.md: the loop written by hand, then the loop of examples/agent with parallel tools
// and a sub-agent.
#include "expect.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/agent.hpp>
#include <agent/sub_agent.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <llm/scripted_provider.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace sk = sessionkit;
using guide::expect;

namespace {

// [loop]
using Model = std::function<sk::Message(sk::RequestParts const&)>;
using RunTool = std::function<std::string(sk::ToolUse const&)>;

// One turn: ask, store the answer, run its tools, store their results, until an answer calls none.
sk::Result<std::string> answer_to(sk::Session& session, std::string const& words, Model const& ask,
                                  RunTool const& run) {
  auto turn = session.begin_turn();
  if (auto const stored = turn.append(sk::user(words)); !stored) return stored.error();
  while (true) {
    auto const request = session.request({sk::Provider::anthropic});
    if (!request) return request.error();
    sk::Message const answer = ask(*request);
    if (auto const stored = turn.append(answer); !stored) return stored.error();
    auto const calls = answer.tool_uses();
    for (sk::ToolUse const* call : calls)
      if (auto const stored = turn.append(sk::tool_result(*call, run(*call))); !stored) return stored.error();
    if (!calls.empty()) continue;
    auto const done = turn.commit();
    return done ? sk::Result<std::string>(answer.text()) : done.error();
  }
}
// [loop]

void by_hand() {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  int asked = 0;
  auto const model = [&](sk::RequestParts const& request) {
    if (++asked == 1) return sk::assistant(sk::ToolUse{"tu_1", "clock", sk::RawJson::from("{}")});
    expect(request.messages.find("12:00") != std::string::npos, "the result is in the next request");
    return sk::assistant("It is noon.");
  };
  auto const text = answer_to(session, "How late is it?", model, [](sk::ToolUse const&) { return "12:00"; });
  expect(text.value() == "It is noon.", "the turn returns the last answer");
}

// [tools]
// Tools of one answer run at the same time, each on its own thread.
agent::Tool slow_tool(std::string const& name, std::chrono::milliseconds takes) {
  llm::ToolSpec spec{name, "Takes its time.", sk::RawJson::from(R"({"type":"object"})")};
  return {std::move(spec), [name, takes](agent::ToolCall const& call) {
            std::this_thread::sleep_for(takes);
            if (call.cancel.cancelled()) return agent::ToolOutput{"cancelled", true};
            return agent::ToolOutput{name + " is done"};
          }};
}
// [tools]

// [scripted]
std::shared_ptr<llm::Provider> scripted(char const* script) {
  llm::ScriptedOptions options;
  options.steps = llm::parse_script(script).value();
  return llm::make_scripted_provider(std::move(options));
}
// [scripted]

// [agent]
agent::Agent make_agent(std::shared_ptr<llm::Provider> provider) {
  agent::Agent agent;
  agent.target.provider = provider->format();
  agent.target.model = "some-model";
  agent.target.system = "You help with files.";
  agent.provider = std::move(provider);
  agent.tools = {slow_tool("slow", std::chrono::milliseconds(60)),
                 slow_tool("quick", std::chrono::milliseconds(1))};
  agent.compaction = sk::CompactionPolicy{};
  return agent;
}
// [agent]

void with_parallel_tools() {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  auto const assistant = make_agent(scripted(
      R"({"text": "Both.", "tools": [{"name": "slow", "input": {}}, {"name": "quick", "input": {}}]}
{"text": "Done."})"));
  // [run]
  auto const watch = [](agent::Event const& event) {
    if (auto const* const tool = std::get_if<agent::ToolEnded>(&event))
      std::printf("[%s: %s]\n", tool->call->name.c_str(), tool->result->parts.empty() ? "" : "answered");
  };
  auto const outcome = agent::run_turn(session, assistant, sk::user("Do both."), watch).value();
  expect(outcome.end == agent::TurnEnd::finished, "the last answer calls no tool");
  // [run]
  auto const history = session.history(assistant.target).value();
  expect(history.messages.size() == 4, "user, calls, results, answer");
  expect(history.messages[2].parts.size() == 2, "both results are in one message");
  auto const& first = std::get<sk::ToolResult>(history.messages[2].parts.front());
  expect(std::get<sk::Text>(first.content.front()).text == "slow is done",
         "results are in the order of the calls");
}

void with_a_sub_agent() {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  auto assistant = make_agent(scripted(
      R"({"text": "I delegate.", "tools": [{"name": "sub_agent", "input": {"task": "count the files"}}]}
{"text": "There are three."})"));
  // [sub_agent]
  agent::Agent worker = make_agent(scripted(R"({"text": "Three files."})"));
  assistant.tools.push_back(agent::make_sub_agent(worker));
  // [sub_agent]
  agent::run_turn(session, assistant, sk::user("How many files?")).value();
  auto const path = session.path().value();
  expect(session.info().value().messages == 4, "the session contains only the sub-agent's answer");
  bool recorded = false;
  for (sk::Entry const& entry : path) recorded = recorded || entry.as<sk::Custom>() != nullptr;
  expect(recorded, "an entry records the sub-agent's task for people");
}

}

int main() {
  by_hand();
  with_parallel_tools();
  with_a_sub_agent();
}
