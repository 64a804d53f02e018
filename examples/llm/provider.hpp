// SPDX-License-Identifier: MIT
#pragma once
#include "cancel.hpp"

#include <sessionkit/answer.hpp>
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace llm {

/// A tool that the model may call.
struct ToolSpec {
  std::string name;
  std::string description;
  sessionkit::RawJson parameters; ///< a JSON schema of type object
};

/// A request to a model.
struct Request {
  std::string model;
  /// A history, as `sessionkit::encode` wrote it for `Provider::format`.
  sessionkit::RequestParts parts;
  std::vector<ToolSpec> tools = {};
  std::size_t max_tokens = 4096; ///< of the answer
};

/// Why the answer is missing or incomplete; the kinds differ in what to do.
using FailureKind = sessionkit::FailureKind;
using sessionkit::to_string;

// The events of an answer, in order.

/// More text for the person.
struct TextDelta {
  std::string text;
};
/// More of the model's reasoning.
struct ThinkingDelta {
  std::string text;
};
/// The model begins a call; its arguments follow.
struct ToolUseBegin {
  std::string id, name;
};
/// More of the arguments of the call `id`: a piece of JSON text.
struct ToolInputDelta {
  std::string id, json;
};
/// The request failed before any output and is made again after `wait`.
struct RetryWait {
  unsigned attempt; ///< number of the next request; the first was 1
  std::chrono::milliseconds wait;
  FailureKind kind;
  std::string why;               ///< the failure's message
  bool without_pictures = false; ///< the next request leaves them out
};
using Event = std::variant<TextDelta, ThinkingDelta, ToolUseBegin, ToolInputDelta, RetryWait>;

/// The event of a piece that the library decoded.
Event event_of(sessionkit::AnswerPiece const& piece);

/// Called on the calling thread, with no lock held. May be empty.
using OnEvent = std::function<void(Event const&)>;

/// A failed request.
struct Failure {
  FailureKind kind;
  std::string message; ///< one sentence; the provider's own message if there is one, without the key
  int status = 0;      ///< of HTTP; 0 if there was none
  std::optional<std::chrono::milliseconds> retry_after = {}; ///< the pause that the provider asks for
};

/// The answer. With a `failure`, the message is the partial answer, which may be empty, and its
/// `Generation::stop` is `aborted` if the token was cancelled, else `error`.
struct Answer {
  sessionkit::Message message; ///< of the assistant; its `generation` has model, usage and stop reason
  std::optional<Failure> failure = {};
};

/// Asks one model provider. Safe to use from several threads at once: calls are independent. Throws
/// nothing but what `on_event` throws and `bad_alloc`.
class Provider {
 public:
  Provider() = default;
  Provider(Provider const&) = delete;
  Provider& operator=(Provider const&) = delete;
  virtual ~Provider() = default;

  /// The provider for whose rules histories are rebuilt and encoded.
  virtual sessionkit::Provider format() const noexcept = 0;

  /// As in `Generation::provider`.
  virtual std::string name() const { return {}; }

  /// What its server accepts, for `Target::server`.
  virtual sessionkit::ServerRules server() const noexcept { return {}; }

  /// Blocks until the answer is complete, fails, or `cancel` is cancelled, which takes effect within a tenth
  /// of a second.
  virtual Answer generate(Request const& request, OnEvent const& on_event = {},
                          CancelToken const& cancel = {}) = 0;
};

}
