// SPDX-License-Identifier: MIT
#pragma once
#include "cancel.hpp"

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

/// What is asked of a model.
struct Request {
  std::string model;
  /// A history, as `sessionkit::encode` wrote it for `Provider::format`.
  sessionkit::RequestParts parts;
  std::vector<ToolSpec> tools = {};
  std::size_t max_tokens = 4096; ///< of the answer
};

// What happens while an answer comes, in the order in which it happens.

/// More of the text that the person reads.
struct TextDelta {
  std::string text;
};
/// More of the model's reasoning.
struct ThinkingDelta {
  std::string text;
};
/// The model begins to write a call; its arguments follow.
struct ToolUseBegin {
  std::string id, name;
};
/// More of the arguments of the call `id`: a piece of JSON text.
struct ToolInputDelta {
  std::string id, json;
};
/// The request failed before anything came and is made again after `wait`.
struct RetryWait {
  unsigned attempt; ///< of the request that comes next; the first was 1
  std::chrono::milliseconds wait;
  std::string why;
};
using Event = std::variant<TextDelta, ThinkingDelta, ToolUseBegin, ToolInputDelta, RetryWait>;

/// Called on the thread that asked, with no lock held. Absent: nobody watches.
using OnEvent = std::function<void(Event const&)>;

/// Why there is no answer, or not all of it: each kind is something else to do about it.
enum class FailureKind {
  cancelled,        ///< the token was
  refused,          ///< the request is wrong and stays so
  context_exceeded, ///< the history does not fit into the model's window: make it shorter
  unauthorized,     ///< the key is missing, wrong, or not allowed to do this
  rate_limited,     ///< too many requests: later
  overloaded,       ///< the provider has too much to do: later
  unavailable,      ///< it failed inside, or cannot be reached: later
  cut,              ///< the stream ended before the answer did
  malformed,        ///< it answered what its format does not allow
};
/// The enumerator's name, for example "context_exceeded". Never null.
char const* to_string(FailureKind) noexcept;

struct Failure {
  FailureKind kind;
  std::string message; ///< one sentence; what the provider said, where it said something
  int status = 0;      ///< of HTTP; 0: there was none
  std::optional<std::chrono::milliseconds> retry_after = {}; ///< as the provider wishes
};

/// What came. With a `failure`, the message holds what came until then, which may be nothing at all, and its
/// `Generation::stop` is `aborted` where the token was cancelled, else `error`.
struct Answer {
  sessionkit::Message message; ///< of the assistant; its `generation` tells model, usage and stop reason
  std::optional<Failure> failure = {};
};

/// Asks one model provider. Safe to use from several threads at once: each call stands for itself. Throws
/// nothing but what `on_event` throws and `bad_alloc`.
class Provider {
 public:
  Provider() = default;
  Provider(Provider const&) = delete;
  Provider& operator=(Provider const&) = delete;
  virtual ~Provider() = default;

  /// For whose rules histories are to be rebuilt and encoded.
  virtual sessionkit::Provider format() const noexcept = 0;

  /// Blocks until the answer is complete, fails, or `cancel` is cancelled, which takes effect within a tenth
  /// of a second.
  virtual Answer generate(Request const& request, OnEvent const& on_event = {},
                          CancelToken const& cancel = {}) = 0;
};

}
