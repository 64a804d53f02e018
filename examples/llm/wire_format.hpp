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
  std::string_view base_url;
  /// The path of a request after the base URL. `stream`: the answer shall arrive piece by piece.
  std::string (*path)(Request const& request, bool stream);
  std::vector<std::string> (*headers)(std::string const& key); ///< "name: value"
  std::string (*body)(Request const& request, bool stream);
};

/// Anthropic's Messages API.
extern WireFormat const anthropic_messages;
/// OpenAI's Chat Completions.
extern WireFormat const openai_chat;
/// The same for compatible servers (llama.cpp, Ollama, vLLM), which know the older `max_tokens`.
extern WireFormat const openai_compatible;
/// OpenAI's Responses.
extern WireFormat const openai_responses;
/// Gemini's generateContent.
extern WireFormat const gemini;

/// The members of a body that hold the history, each after a comma. Their bytes are those of the history, so
/// that a cache recognises them.
std::string history_members(Request const& request, sessionkit::Provider format);

/// The authorization header of OpenAI's APIs; none without a key.
std::vector<std::string> bearer_headers(std::string const& key);

}
