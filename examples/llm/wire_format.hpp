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

  /// The provider said that the answer ends here.
  bool complete() const noexcept { return complete_; }
  /// What the stream itself said went wrong.
  std::optional<Failure> const& failure() const noexcept { return failure_; }

 protected:
  bool complete_ = false;
  std::optional<Failure> failure_;
};

/// How one kind of provider is spoken to: where to, in what words, and how its answer is read.
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
/// The same as other servers speak it (llama.cpp, Ollama, vLLM): they know the older `max_tokens`.
extern WireFormat const openai_compatible;

}
