// SPDX-License-Identifier: MIT
// An agent made of QuantClaw's own SessionManager and OpenAIProvider, called as its rpc_handlers.cpp and
// agent_loop.cpp call them. Each line of standard input is a message of the user. A tool prints "tool NAME"
// and returns the next line of standard input, so that a test can kill the program in between.
#include "quantclaw/providers/openai_provider.hpp"
#include "quantclaw/session/session_manager.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <spdlog/sinks/null_sink.h>

namespace {

std::vector<quantclaw::Message> as_llm_messages(std::vector<quantclaw::SessionMessage> const& messages) {
  std::vector<quantclaw::Message> out;
  for (auto const& said : messages) {
    quantclaw::Message message;
    message.role = said.role;
    message.content = said.content;
    out.push_back(message);
  }
  return out;
}

nlohmann::json read_tool() {
  nlohmann::json const parameters = {{"type", "object"}, {"properties", {{"path", {{"type", "string"}}}}}};
  return {{"type", "function"},
          {"function", {{"name", "read_file"}, {"description", "Reads a file"}, {"parameters", parameters}}}};
}

quantclaw::SessionMessage answer_of(quantclaw::ChatCompletionResponse const& response) {
  quantclaw::SessionMessage answer;
  answer.role = "assistant";
  if (!response.reasoning_content.empty()) {
    quantclaw::ContentBlock thinking;
    thinking.type = "thinking";
    thinking.text = response.reasoning_content;
    answer.content.push_back(thinking);
  }
  if (!response.content.empty())
    answer.content.push_back(quantclaw::ContentBlock::MakeText(response.content));
  for (auto const& call : response.tool_calls)
    answer.content.push_back(quantclaw::ContentBlock::MakeToolUse(call.id, call.name, call.arguments));
  return answer;
}

std::string run_tool(std::string const& name) {
  std::cout << "tool " << name << std::endl;
  std::string result;
  std::getline(std::cin, result);
  return result;
}

}

int main() {
  std::string const key = "agent:main:test";
  auto const logger =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  quantclaw::SessionManager sessions("sessions", logger);
  quantclaw::OpenAIProvider provider("none", std::getenv("TEST_URL"), 30, logger);
  sessions.GetOrCreate(key);
  for (std::string line; std::getline(std::cin, line);) {
    sessions.AppendMessage(key, "user", line);
    for (bool done = false; !done;) {
      quantclaw::ChatCompletionRequest request;
      request.model = "gpt-4o";
      request.messages = as_llm_messages(sessions.GetRequest(key, 50));
      request.tools = {read_tool()};
      auto const response = provider.ChatCompletion(request);
      sessions.AppendMessage(key, answer_of(response));
      done = response.tool_calls.empty();
      if (done) std::cout << "answer " << response.content << std::endl;
      if (done) continue;
      quantclaw::SessionMessage results;
      results.role = "user";
      for (auto const& call : response.tool_calls)
        results.content.push_back(quantclaw::ContentBlock::MakeToolResult(call.id, run_tool(call.name)));
      sessions.AppendMessage(key, results);
    }
  }
  for (auto const& said : sessions.GetHistory(key))
    for (auto const& block : said.content)
      std::cout << "screen " << said.role << ' ' << block.type << ' ' << block.text << block.name
                << block.content << '\n';
}
