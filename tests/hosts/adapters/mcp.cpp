// SPDX-License-Identifier: MIT
// Calls a tool with QuantClaw's MCP client, stores the result, and prints the request that follows.
#include "quantclaw/mcp/mcp_client.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdlib>
#include <iostream>
#include <mcp_results.hpp>

#include <spdlog/sinks/null_sink.h>

namespace sk = sessionkit;

int main() {
  auto const logger =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  quantclaw::mcp::MCPClient client(std::getenv("TEST_URL"), logger);
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::user("How warm is it?")).value();
  for (char const* tool : {"weather", "broken", "unknown"}) {
    sk::ToolUse const call{std::string("call_") + tool, tool, sk::RawJson::from(R"({"city":"Oslo"})")};
    session.append(sk::assistant(call)).value();
    auto const answer = client.CallTool(call.name, nlohmann::json::parse(call.input.str()));
    session
        .append(answer.error.empty() ? adapters::from_mcp(call, answer.result)
                                     : adapters::mcp_failure(call, answer.error))
        .value();
  }
  std::cout << session.request({sk::Provider::anthropic}).value().messages << std::endl;
}
