// SPDX-License-Identifier: MIT
// https://platform.openai.com/docs/api-reference/chat
#include "wire_format.hpp"
#include "wire_json.hpp"

#include <sessionkit/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

Json chat_tools(Request const& request) {
  Json tools = Json::array();
  for (auto const& tool : request.tools)
    tools.push_back({{"type", "function"},
                     {"function",
                      {{"name", tool.name},
                       {"description", tool.description},
                       {"parameters", sk::to_nlohmann(tool.parameters)}}}});
  return tools;
}

std::string chat_path(Request const& /*request*/, bool /*stream*/) { return "/chat/completions"; }

std::string chat_body_with(Request const& request, bool stream, char const* limit) {
  std::string text = R"({"model":)" + sk::RawJson::string(request.model).str();
  text += ",\"" + std::string(limit) + "\":" + std::to_string(request.max_tokens);
  text += stream ? R"(,"stream":true,"stream_options":{"include_usage":true})" : R"(,"stream":false)";
  if (!request.tools.empty()) text += R"(,"tools":)" + sk::to_raw_json(chat_tools(request)).str();
  return text + history_members(request, sk::Provider::openai_chat) + '}';
}
std::string chat_body(Request const& request, bool stream) {
  return chat_body_with(request, stream, "max_completion_tokens");
}
std::string compatible_chat_body(Request const& request, bool stream) {
  return chat_body_with(request, stream, "max_tokens");
}

}

WireFormat const openai_chat{
    sk::Provider::openai_chat, "openai", "https://api.openai.com/v1", chat_path, bearer_headers, chat_body};

WireFormat const openai_compatible{
    sk::Provider::openai_chat, "openai", "http://127.0.0.1:8080/v1", chat_path, bearer_headers,
    compatible_chat_body};

}
