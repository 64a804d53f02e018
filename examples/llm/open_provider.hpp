// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <sessionkit/result.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace llm {

/// The provider that a command line chooses.
struct ProviderOptions {
  std::string name = "scripted"; ///< one of `provider_names`; "openai" is for compatible servers, too
  std::string base_url = {};     ///< as in its SDKs: "http://localhost:8080/v1" for "openai"; empty: its own
  std::string server = {};       ///< "openai": whose rules (`sessionkit::find_server`); empty: OpenAI's own
  std::string key = {};          ///< sent as the provider requires; may be empty for another `base_url`
  std::string script = {};       ///< "scripted": a file to play (scripted_provider.hpp); empty: it improvises
  std::size_t window = 200000;   ///< "scripted": tokens that fit
  std::chrono::milliseconds delay{0}; ///< "scripted": before each piece of an improvised answer
  bool stream = true;                 ///< the answer is shown while it arrives
};

/// The names of the providers, for a person.
inline constexpr char const provider_names[] = "anthropic, openai, openai-responses, gemini or scripted";

/// The defaults of a provider.
struct ProviderDefaults {
  char const* name;
  char const* key_variable; ///< environment variable; null if it takes no key
  char const* model;
};
/// Null if there is no such provider.
ProviderDefaults const* find_provider_defaults(std::string_view name);

/// A provider that retries if that helps (retry.hpp). `invalid_argument` for an unknown name, a key
/// that is missing or a script that cannot be read, `unsupported` if this build has no libcurl.
sessionkit::Result<std::shared_ptr<Provider>> open_provider(ProviderOptions const& options);

}
