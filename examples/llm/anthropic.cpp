// SPDX-License-Identifier: MIT
// https://docs.anthropic.com/en/api/messages
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <map>
#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

std::vector<std::string> headers(std::string const& key) {
  std::vector<std::string> all{"content-type: application/json", "accept: text/event-stream",
                               "anthropic-version: 2023-06-01"};
  if (!key.empty()) all.push_back("x-api-key: " + key);
  return all;
}

Json tools_of(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"input_schema", sk::to_nlohmann(tool.parameters)}});
  return tools;
}

// The history is JSON already: its bytes are sent unchanged, so that a cache recognises them.
std::string body(Request const& request) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += R"(,"max_tokens":)" + std::to_string(request.max_tokens) + R"(,"stream":true)";
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(tools_of(request)).str();
  if (request.parts.system != "null") text += R"(,"system":)" + request.parts.system;
  return text + R"(,"messages":)" + request.parts.messages + '}';
}

}

WireFormat const anthropic_messages{sk::Provider::anthropic, "anthropic", "https://api.anthropic.com",
                                    "/v1/messages",          headers,     body};

}
