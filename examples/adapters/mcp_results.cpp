// SPDX-License-Identifier: MIT
#include "mcp_results.hpp"

#include <sessionkit/json.hpp>

#include <string>
#include <utility>

namespace adapters {

namespace sk = sessionkit;
using Json = nlohmann::ordered_json;

namespace {

std::string text_of(Json const& object, char const* name) {
  auto const found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

sk::ToolContent piece_of(Json const& content) {
  std::string const type = text_of(content, "type");
  if (type == "text") return sk::Text{text_of(content, "text")};
  if (type == "image") return sk::Image{text_of(content, "mimeType"), sk::Base64{text_of(content, "data")}};
  Json const resource = type == "resource" ? content.value("resource", Json()) : Json();
  if (resource.is_object() && resource.contains("text")) return sk::Text{text_of(resource, "text")};
  return sk::Opaque{type, sk::to_raw_json(content)};
}

}

sk::Message from_mcp(sk::ToolUse const& call, Json const& result) {
  sk::ToolResult out{call.id, call.name};
  if (!result.is_object()) return mcp_failure(call, "the server's result is no object");
  out.is_error = result.value("isError", Json(false)) == true;
  Json const content = result.value("content", Json::array());
  for (Json const& piece : content)
    if (piece.is_object()) out.content.push_back(piece_of(piece));
  if (out.content.empty() && result.contains("structuredContent"))
    out.content.emplace_back(sk::Text{sk::to_raw_json(result["structuredContent"]).str()});
  return sk::tool_results({std::move(out)});
}

sk::Message mcp_failure(sk::ToolUse const& call, std::string const& message) {
  return sk::tool_result(call, message, true);
}

}
