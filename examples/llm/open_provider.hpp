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

/// Which provider to ask, as a command line says it.
struct ProviderOptions {
  std::string name = "scripted"; ///< "anthropic", "openai" (and whatever speaks like it), "scripted"
  std::string base_url = {}; ///< as its SDKs have it: "http://localhost:8080/v1" for "openai"; empty: its own
  std::string key = {};      ///< sent as the provider wants it; empty: none is, to a `base_url` of one's own
  std::string script = {};   ///< "scripted": a file to play (scripted_provider.hpp); empty: it improvises
  std::size_t window = 200000;        ///< "scripted": tokens that fit
  std::chrono::milliseconds delay{0}; ///< "scripted": before each piece of what it improvises
};

/// What a person need not say of a provider.
struct ProviderDefaults {
  char const* name;
  char const* key_variable; ///< of the environment; null: it takes no key
  char const* model;
};
/// Null: there is no such provider.
ProviderDefaults const* find_provider_defaults(std::string_view name);

/// A provider that asks again where that helps (retry.hpp). `invalid_argument` for a name nobody has, a key
/// that is missing or a script that cannot be read, `unsupported` where this build has no libcurl.
sessionkit::Result<std::shared_ptr<Provider>> open_provider(ProviderOptions const& options);

}
