// SPDX-License-Identifier: MIT
#pragma once
#include "answer_collector.hpp"
#include "provider.hpp"
#include "sse.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

/// Reads one streamed answer into an `AnswerCollector`.
class StreamDecoder {
 public:
  StreamDecoder() = default;
  StreamDecoder(StreamDecoder const&) = delete;
  StreamDecoder& operator=(StreamDecoder const&) = delete;
  virtual ~StreamDecoder() = default;

  virtual void take(SseEvent const& event) = 0;

  /// True if the provider marked the end of the answer.
  bool complete() const noexcept { return complete_; }
  /// The failure that the stream itself reported.
  std::optional<Failure> const& failure() const noexcept { return failure_; }

 protected:
  bool complete_ = false;
  std::optional<Failure> failure_;
};

/// The protocol of one kind of provider: its address, its requests, and how its answers are read.
struct WireFormat {
  sessionkit::Provider format;
  std::string_view provider; ///< as in `Generation::provider`
  std::string_view api;      ///< as in `Generation::api`
  std::string_view base_url, path;
  std::vector<std::string> (*headers)(std::string const& key); ///< "name: value"
  std::string (*body)(Request const& request);
  std::unique_ptr<StreamDecoder> (*decoder)(AnswerCollector& into);
};

/// Anthropic's Messages API.
extern WireFormat const anthropic_messages;
/// OpenAI's Chat Completions.
extern WireFormat const openai_chat;
/// The same for compatible servers (llama.cpp, Ollama, vLLM), which know the older `max_tokens`.
extern WireFormat const openai_compatible;

}
