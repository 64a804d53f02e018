// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/provider.hpp>
#include <sessionkit/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// Why a provider gave no complete answer. The kinds differ in what to do.
enum class FailureKind : std::uint8_t {
  cancelled,        ///< the host stopped the request; the library itself never reports this
  refused,          ///< the request is invalid or forbidden by a policy; a retry does not help
  context_exceeded, ///< the history does not fit into the model's window: make it shorter
  unauthorized,     ///< the key is missing, wrong, or not allowed to do this
  rate_limited,     ///< too many requests, or no credit: try later
  overloaded,       ///< the provider is too busy: try later
  unavailable,      ///< the provider failed, or cannot be reached: try later
  cut,              ///< the answer ended before its end was marked
  malformed,        ///< the answer violates its format
};
/// The enumerator's name, for example "context_exceeded". Never null.
SESSIONKIT_API char const* to_string(FailureKind) noexcept;

/// What a provider said instead of an answer.
struct AnswerFailure {
  FailureKind kind;
  std::string message;   ///< the provider's own sentence if there is one
  std::string type = {}; ///< the provider's own name for it, for example "overloaded_error"
};

/// Reads the body of a response that is no answer. `status` is of HTTP; 0 if it is not known. The kind comes
/// from the names of the providers' documents, then from the status. A history that is too long is often
/// reported in words only, so these are recognised too. `body` may be any text.
SESSIONKIT_API AnswerFailure decode_failure(int status, std::string_view body);

/// Reads the body of a complete answer: anthropic: a message; openai_chat: a chat completion, its first
/// choice; openai_responses: a response; gemini: a `GenerateContentResponse`, its first candidate. Servers
/// that speak like them are understood too (`reasoning_content` and `reasoning` beside `content`, arguments
/// that are no string, calls without ids).
///
/// The message has all parts in their order. A part that this library does not know becomes `Opaque`, and its
/// unknown members `extra`. `Generation` has the model, the id, the usage, why the answer ended, and `api`.
/// `provider` is empty: the host knows whom it asked. `StopReason` is `tool_use` for every answer with calls
/// that ended by itself. A call without an id gets one.
///
/// `corrupt` if the body is no such answer; `unavailable` with the provider's message if it reports a failure
/// (`decode_failure` says which); `unsupported` for `native`.
SESSIONKIT_API Result<Message> decode_response(Provider provider, std::string_view body);

/// A piece of an answer, for a listener that shows it while it arrives.
struct AnswerPiece {
  /// What arrived.
  enum Kind : std::uint8_t {
    text,      ///< more text, or more of a refusal
    thinking,  ///< more reasoning
    tool_use,  ///< a call begins: `id` and `name`
    tool_input ///< more of the arguments of the call `id`, which are JSON text
  } kind;
  std::string_view content; ///< valid during the call of the listener
  std::string_view id = {}, name = {};
};

/// Reads an answer while it arrives, from bytes that may be cut anywhere. The bytes are the body of the
/// response: server-sent events (WHATWG HTML, section 9.2.6), JSON objects one after the other or in an
/// array, or the one object of a response that is not streamed. The result is the same as that of
/// `decode_response` for the same answer. It does no I/O, and is not for several threads at once.
///
///     sk::StreamDecoder decoder(sk::Provider::anthropic);
///     while (...) decoder.feed(bytes);
///     sk::Message answer = decoder.finish();
///     if (decoder.failure()) ...
class SESSIONKIT_API StreamDecoder {
 public:
  /// Called with each piece as soon as it is complete, on the thread that calls `feed` or `finish`.
  using OnPiece = std::function<void(AnswerPiece const&)>;

  /// `native` is the format of no server: the first bytes are `malformed`.
  explicit StreamDecoder(Provider provider, OnPiece on_piece = {});
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;
  StreamDecoder(StreamDecoder const&) = delete;
  StreamDecoder& operator=(StreamDecoder const&) = delete;
  ~StreamDecoder();

  /// Takes the next bytes. What comes after a failure or after the end of the answer is passed over, except
  /// the usage.
  void feed(std::string_view bytes);
  /// True if the provider marked the end of the answer.
  bool complete() const noexcept;
  /// True if nothing of an answer has arrived yet, so that the request can be made again.
  bool empty() const noexcept;
  /// What the stream itself reported; after `finish` also `cut`.
  std::optional<AnswerFailure> const& failure() const noexcept;

  /// Returns the answer, or the part of it that arrived; call this once. If there is a failure, `stop` is
  /// `error`, and calls whose arguments are not complete are dropped. A host that stopped the request itself
  /// sets `stop` to `aborted`.
  Message finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}}
