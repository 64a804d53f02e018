// SPDX-License-Identifier: MIT
#include "nlohmann_messages.hpp"

#include <sessionkit/json.hpp>

#include <string>
#include <utility>

namespace adapters {

namespace sk = sessionkit;
using Json = nlohmann::ordered_json;

namespace {

std::string text_at(Json const& object, char const* name) {
  auto const found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

sk::Opaque opaque(Json const& part) { return {text_at(part, "type"), sk::to_raw_json(part)}; }

sk::ToolResult tool_result(Json const& part) {
  sk::ToolResult result;
  result.tool_use_id = text_at(part, "tool_use_id");
  result.is_error = part.value("is_error", false);
  Json const content = part.value("content", Json());
  if (content.is_string()) result.content.emplace_back(sk::Text{content.get<std::string>()});
  if (!content.is_array()) return result;
  for (Json const& piece : content) {
    if (text_at(piece, "type") == "text")
      result.content.emplace_back(sk::Text{text_at(piece, "text")});
    else
      result.content.emplace_back(opaque(piece));
  }
  return result;
}

sk::Part part_of(Json const& part) {
  std::string const type = text_at(part, "type");
  if (type == "text") return sk::Text{text_at(part, "text")};
  if (type == "thinking") return sk::Thinking{text_at(part, "thinking"), text_at(part, "signature")};
  if (type == "tool_use")
    return sk::ToolUse{text_at(part, "id"), text_at(part, "name"),
                       sk::to_raw_json(part.value("input", Json::object()))};
  if (type == "tool_result") return tool_result(part);
  return opaque(part);
}

sk::Error no_message(Json const& value) {
  return {sk::Errc::invalid_argument, 0, "not a message: " + value.dump().substr(0, 80)};
}

}

sk::Result<sk::Message> from_json(Json const& json) {
  std::string const role = json.is_object() ? text_at(json, "role") : "";
  if (role != "user" && role != "assistant") return no_message(json);
  sk::Message message;
  message.role = role == "user" ? sk::Role::user : sk::Role::assistant;
  Json const content = json.value("content", Json());
  if (content.is_string())
    message.parts.emplace_back(sk::Text{content.get<std::string>()});
  else if (!content.is_array())
    return no_message(json);
  else
    for (Json const& part : content) message.parts.push_back(part_of(part));
  return message;
}

sk::Result<std::vector<sk::Message>> from_json_array(Json const& messages) {
  std::vector<sk::Message> out;
  for (Json const& json : messages) {
    auto message = from_json(json);
    if (!message) return message.error();
    out.push_back(std::move(*message));
  }
  return out;
}

Json to_json_array(sk::RequestParts const& request) { return Json::parse(request.messages); }

}
