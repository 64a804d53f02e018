// SPDX-License-Identifier: MIT
#include "http_provider.hpp"
#include "open_provider.hpp"
#include "retry.hpp"
#include "scripted_provider.hpp"
#include "server_provider.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

sk::Result<std::shared_ptr<Provider>> open_scripted(ProviderOptions const& options) {
  ScriptedOptions scripted;
  scripted.window = options.window;
  scripted.delay = options.delay;
  if (!options.script.empty()) {
    std::ifstream file(options.script, std::ios::binary);
    if (!file) return sk::Error{sk::Errc::invalid_argument, 0, "cannot read the script " + options.script};
    auto steps = parse_script(std::string{std::istreambuf_iterator<char>(file), {}});
    if (!steps) return steps.error();
    scripted.steps = std::move(*steps);
  }
  return with_retries(make_scripted_provider(std::move(scripted)));
}

constexpr ProviderDefaults defaults[] = {
    {"scripted", nullptr, "parrot-1"},
    {"anthropic", "ANTHROPIC_API_KEY", "claude-haiku-4-5"},
    {"openai", "OPENAI_API_KEY", "gpt-4o-mini"},
};

WireFormat const* format_of(ProviderOptions const& options) {
  if (options.name == "anthropic") return &anthropic_messages;
  if (options.name != "openai") return nullptr;
  return options.base_url.empty() ? &openai_chat : &openai_compatible;
}

sk::Result<sk::ServerRules> server_of(ProviderOptions const& options) {
  if (options.server.empty()) return sk::ServerRules{};
  auto const* const known = sk::find_server(options.server);
  if (known != nullptr && options.name == "openai") return *known;
  std::string names;
  for (auto const name : sk::server_names()) names.append(names.empty() ? "" : ", ").append(name);
  return sk::Error{sk::Errc::invalid_argument, 0,
                   known == nullptr ? "there is no server '" + options.server + "': " + names
                                    : "the rules of a server are for the provider openai"};
}

}

ProviderDefaults const* find_provider_defaults(std::string_view name) {
  auto const* const found = std::find_if(std::begin(defaults), std::end(defaults),
                                         [&](ProviderDefaults const& each) { return each.name == name; });
  return found == std::end(defaults) ? nullptr : found;
}

sk::Result<std::shared_ptr<Provider>> open_provider(ProviderOptions const& options) {
  auto const server = server_of(options);
  if (!server) return server.error();
  if (options.name == "scripted") return open_scripted(options);
  auto const* const format = format_of(options);
  if (format == nullptr)
    return sk::Error{sk::Errc::invalid_argument, 0,
                     "there is no provider '" + options.name + "': anthropic, openai or scripted"};
  if (options.key.empty() && options.base_url.empty())
    return sk::Error{sk::Errc::invalid_argument, 0,
                     std::string(find_provider_defaults(options.name)->key_variable)
                         + " is not set, and the provider requires a key"};
  auto http = make_curl_http();
  if (!http) return sk::Error{sk::Errc::unsupported, 0, "this program was built without libcurl"};
  auto provider = make_http_provider(std::move(http), *format, options.base_url, options.key);
  return with_retries(at_server(std::move(provider), *server));
}

}
