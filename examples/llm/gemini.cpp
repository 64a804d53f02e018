// SPDX-License-Identifier: MIT
// https://ai.google.dev/api/generate-content
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

std::vector<std::string> gemini_headers(std::string const& key) {
  if (key.empty()) return {};
  return {"x-goog-api-key: " + key};
}

Json gemini_tools(Request const& request) {
  Json functions = Json::array();
  for (auto const& tool : request.tools)
    functions.push_back({{"name", tool.name},
                         {"description", tool.description},
                         {"parameters", sk::to_nlohmann(tool.parameters)}});
  return Json::array({{{"functionDeclarations", std::move(functions)}}});
}

std::string gemini_path(Request const& request, bool stream) {
  return "/v1beta/models/" + request.model + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

std::string gemini_body(Request const& request, bool /*stream*/) {
  std::string text = R"({"generationConfig":{"maxOutputTokens":)" + std::to_string(request.max_tokens) + '}';
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(gemini_tools(request)).str();
  return text + history_members(request, sk::Provider::gemini) + '}';
}

}

WireFormat const gemini{sk::Provider::gemini, "google",       "https://generativelanguage.googleapis.com",
                        gemini_path,          gemini_headers, gemini_body};

}
