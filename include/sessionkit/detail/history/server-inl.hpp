// SPDX-License-Identifier: MIT
// Finds the rules of a server by its name.
#pragma once
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/server.hpp>

namespace sessionkit { inline namespace v0 {

namespace server_inl { namespace {
constexpr ServerRules const* all_servers[] = {&servers::openai,  &servers::azure, &servers::deepseek,
                                              &servers::mistral, &servers::groq,  &servers::llama_cpp,
                                              &servers::vllm,    &servers::ollama};
}}

std::vector<std::string_view> server_names() {
  std::vector<std::string_view> names;
  for (ServerRules const* known : server_inl::all_servers) names.push_back(known->name);
  return names;
}

ServerRules const* find_server(std::string_view name) noexcept {
  for (ServerRules const* known : server_inl::all_servers)
    if (detail::same_name(known->name, name)) return known;
  return nullptr;
}

}}
