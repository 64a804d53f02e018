// SPDX-License-Identifier: MIT
#include "wire_format.hpp"

namespace llm {

std::string history_members(Request const& request, sessionkit::Provider format) {
  auto const names = sessionkit::request_members(format);
  auto const member = [](std::string_view name, std::string const& json) {
    return ",\"" + std::string(name) + "\":" + json;
  };
  bool const has_system = !names.system.empty() && request.parts.system != "null";
  std::string text = has_system ? member(names.system, request.parts.system) : "";
  return text += member(names.messages, request.parts.messages);
}

std::vector<std::string> bearer_headers(std::string const& key) {
  if (key.empty()) return {};
  return {"authorization: Bearer " + key};
}

}
