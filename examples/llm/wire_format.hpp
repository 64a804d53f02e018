// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace llm {

/// How to ask one kind of provider: its address, and its requests. The library reads its answers.
struct WireFormat {
  sessionkit::Provider format;
  std::string_view provider; ///< as in `Generation::provider`
  std::string_view base_url, path;
  std::vector<std::string> (*headers)(std::string const& key); ///< "name: value"
  std::string (*body)(Request const& request);
};

/// Anthropic's Messages API.
extern WireFormat const anthropic_messages;
/// OpenAI's Chat Completions.
extern WireFormat const openai_chat;
/// The same for compatible servers (llama.cpp, Ollama, vLLM), which know the older `max_tokens`.
extern WireFormat const openai_compatible;

}
