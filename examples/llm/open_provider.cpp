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
  scripted.stream = options.stream;
  if (!options.script.empty()) {
    std::ifstream file(options.script, std::ios::binary);
    if (!file) return sk::Error{sk::Errc::invalid_argument, 0, "cannot read the script " + options.script};
    auto steps = parse_script(std::string{std::istreambuf_iterator<char>(file), {}});
    if (!steps) return steps.error();
    scripted.steps = std::move(*steps);
  }
  return with_retries(make_scripted_provider(std::move(scripted)));
}

struct KnownProvider {
  ProviderDefaults defaults;
  WireFormat const* format;         ///< null: no server
  WireFormat const* elsewhere = {}; ///< with a base URL of one's own, if that differs
};
KnownProvider const known_providers[] = {
    {{"scripted", nullptr, "parrot-1"}, nullptr},
    {{"anthropic", "ANTHROPIC_API_KEY", "claude-haiku-4-5"}, &anthropic_messages},
    {{"openai", "OPENAI_API_KEY", "gpt-4o-mini"}, &openai_chat, &openai_compatible},
    {{"openai-responses", "OPENAI_API_KEY", "gpt-4o-mini"}, &openai_responses},
    {{"gemini", "GEMINI_API_KEY", "gemini-2.5-flash"}, &gemini},
};

KnownProvider const* find_provider(std::string_view name) {
  auto const* const found =
      std::find_if(std::begin(known_providers), std::end(known_providers),
                   [&](KnownProvider const& each) { return each.defaults.name == name; });
  return found == std::end(known_providers) ? nullptr : found;
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
  auto const* const found = find_provider(name);
  return found == nullptr ? nullptr : &found->defaults;
}

sk::Result<std::shared_ptr<Provider>> open_provider(ProviderOptions const& options) {
  auto const server = server_of(options);
  if (!server) return server.error();
  auto const* const known = find_provider(options.name);
  if (known == nullptr)
    return sk::Error{sk::Errc::invalid_argument, 0,
                     "there is no provider '" + options.name + "': " + provider_names};
  if (known->format == nullptr) return open_scripted(options);
  if (options.key.empty() && options.base_url.empty())
    return sk::Error{sk::Errc::invalid_argument, 0,
                     std::string(known->defaults.key_variable)
                         + " is not set, and the provider requires a key"};
  auto http = make_curl_http();
  if (!http) return sk::Error{sk::Errc::unsupported, 0, "this program was built without libcurl"};
  bool const elsewhere = !options.base_url.empty() && known->elsewhere != nullptr;
  auto const& format = elsewhere ? *known->elsewhere : *known->format;
  auto provider = make_http_provider(std::move(http), format, options.base_url, options.key, options.stream);
  return with_retries(at_server(std::move(provider), *server));
}

}
