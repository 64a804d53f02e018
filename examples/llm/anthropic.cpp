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

std::vector<std::string> anthropic_headers(std::string const& key) {
  std::vector<std::string> all{"anthropic-version: 2023-06-01"};
  if (!key.empty()) all.push_back("x-api-key: " + key);
  return all;
}

Json anthropic_tools(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"input_schema", sk::to_nlohmann(tool.parameters)}});
  return tools;
}

std::string anthropic_path(Request const& /*request*/, bool /*stream*/) { return "/v1/messages"; }

std::string anthropic_body(Request const& request, bool stream) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += R"(,"max_tokens":)" + std::to_string(request.max_tokens);
  text += R"(,"stream":)" + std::string(stream ? "true" : "false");
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(anthropic_tools(request)).str();
  return text + history_members(request, sk::Provider::anthropic) + '}';
}

}

WireFormat const anthropic_messages{sk::Provider::anthropic, "anthropic",       "https://api.anthropic.com",
                                    anthropic_path,          anthropic_headers, anthropic_body};

}
