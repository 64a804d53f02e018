// SPDX-License-Identifier: MIT
// https://platform.openai.com/docs/api-reference/responses
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

Json responses_tools(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"type", "function"},
                     {"name", tool.name},
                     {"description", tool.description},
                     {"parameters", sk::to_nlohmann(tool.parameters)},
                     {"strict", false}}); // else each parameter must be required
  return tools;
}

std::string responses_path(Request const& /*request*/, bool /*stream*/) { return "/responses"; }

std::string responses_body(Request const& request, bool stream) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += R"(,"max_output_tokens":)" + std::to_string(request.max_tokens);
  text += R"(,"stream":)" + std::string(stream ? "true" : "false");
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(responses_tools(request)).str();
  return text + history_members(request, sk::Provider::openai_responses) + '}';
}

}

WireFormat const openai_responses{sk::Provider::openai_responses,
                                  "openai",
                                  "https://api.openai.com/v1",
                                  responses_path,
                                  bearer_headers,
                                  responses_body};

}
