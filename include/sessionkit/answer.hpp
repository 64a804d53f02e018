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

/// The reason why a provider gave no complete answer. Each kind requires a different reaction of the host.
enum class FailureKind : std::uint8_t {
  cancelled,        ///< the host stopped the request; the library itself never reports this
  refused,          ///< the request is invalid or forbidden by a policy; a retry does not help
  context_exceeded, ///< the history does not fit into the model's window: make it shorter
  unauthorized,     ///< the API key is missing or wrong, does not permit the request, or has no credit
  rate_limited,     ///< there were too many requests: try later
  overloaded,       ///< the provider is too busy: try later
  unavailable,      ///< the provider failed, or cannot be reached: try later
  cut,              ///< the stream ended before the provider marked the end of the answer
  malformed,        ///< the answer violates the provider's format
};
/// The enumerator's name, for example "context_exceeded". Never null.
SESSIONKIT_API char const* to_string(FailureKind) noexcept;

/// The provider's report of a failure.
struct AnswerFailure {
  FailureKind kind;      ///< decides what the host does
  std::string message;   ///< the provider's own sentence if there is one
  std::string type = {}; ///< the provider's own name of the failure, for example "overloaded_error"
};

/// Reads the body of a response that reports a failure. `status` is the HTTP status, or 0 if it is not known.
/// The kind comes from the failure's name in the body, or from the status if the body has no known name. If a
/// history is too long, some providers report this only in a sentence. The function recognises these
/// sentences. `body` may be any text.
SESSIONKIT_API AnswerFailure decode_failure(int status, std::string_view body);

/// Reads the body of a complete answer. The body is a message for `anthropic`, a chat completion for
/// `openai_chat`, a response for `openai_responses`, and a `GenerateContentResponse` for `gemini`. Of several
/// choices or candidates, the first one is read. What was spoken becomes `Text`, and the sound `Opaque`. The
/// variants of other servers are understood too: `reasoning_content` or `reasoning` in addition to `content`,
/// arguments that are not a string, and calls without ids.
///
/// The message has all parts in their order. A part that this library does not know becomes `Opaque`. Unknown
/// members of a known part become its `extra`. `Generation` has the model, the request id, the usage, the
/// stop reason and `api`. `Generation::provider` stays empty, because the body does not name the server; the
/// host may set it. If the provider ended the answer normally and the answer has calls, its `StopReason` is
/// `tool_use`. A call without an id gets one.
///
/// Fails with `corrupt` if the body is not a JSON object, or has neither a part nor a mark of the end. Fails
/// with `unavailable` and the provider's message if the body reports a failure; `decode_failure` then returns
/// the kind of this failure. Fails with `unsupported` for `native`.
SESSIONKIT_API Result<Message> decode_response(Provider provider, std::string_view body);

/// A piece of an answer. A listener can show the pieces while the answer arrives.
struct AnswerPiece {
  /// The kind of the piece.
  enum Kind : std::uint8_t {
    text,                   ///< the next text of the answer or of a refusal
    thinking,               ///< more reasoning
    tool_use,               ///< a call begins: `id` and `name`
    tool_input              ///< more JSON text of the arguments of the call `id`
  } kind;                   ///< decides which of the following members are set
  std::string_view content; ///< valid during the call of the listener
  /// The id of the call, for `tool_use` and `tool_input`; valid as long as `content`.
  std::string_view id = {};
  std::string_view name = {}; ///< the name of the tool, for `tool_use`; valid as long as `content`
};

/// Reads an answer while it arrives. The response body may be split between calls of `feed` at any byte. The
/// body may have one of these forms: server-sent events (WHATWG HTML, section 9.2.6), JSON objects one after
/// the other or in an array, or one object if the response is not streamed. The resulting message is the same
/// as that of `decode_response` for the same answer. A decoder does no I/O. Use it from one thread at a time.
///
///     sk::StreamDecoder decoder(sk::Provider::anthropic);
///     while (...) decoder.feed(bytes);
///     sk::Message answer = decoder.finish();
///     if (decoder.failure()) ...
class SESSIONKIT_API StreamDecoder {
 public:
  /// A function that receives each piece as soon as the piece is complete. It is called on the thread that
  /// calls `feed` or `finish`.
  using OnPiece = std::function<void(AnswerPiece const&)>;

  /// Makes a decoder for the provider's format. No server sends `native`, so a decoder for `native` reports
  /// the failure `malformed` at the first bytes.
  explicit StreamDecoder(Provider provider, OnPiece on_piece = {});
  /// Takes the other decoder's answer. You may then only destroy the other decoder or assign to it.
  StreamDecoder(StreamDecoder&&) noexcept;
  /// Does the same. The answer that this decoder had is dropped.
  StreamDecoder& operator=(StreamDecoder&&) noexcept;
  StreamDecoder(StreamDecoder const&) = delete;
  StreamDecoder& operator=(StreamDecoder const&) = delete;
  /// Drops an answer that was not taken by `finish`.
  ~StreamDecoder();

  /// Takes the next bytes. After a failure, all bytes are ignored. After the end of the answer, only a report
  /// of the usage is still read; for `openai_chat` and `gemini`, whose streams go on after the mark of the
  /// end, further parts are read too, up to `[DONE]`. Nothing that comes after the end makes the answer a
  /// failure.
  void feed(std::string_view bytes);
  /// True if the provider marked the end of the answer.
  bool complete() const noexcept;
  /// True if no part of an answer has arrived yet. The host can then make the request again.
  bool empty() const noexcept;
  /// The failure that the stream reported. After `finish` it may also be `cut`, or `malformed` if no event is
  /// part of an answer of this provider. Absent if there is none.
  std::optional<AnswerFailure> const& failure() const noexcept;

  /// Returns the answer, or the part of it that arrived. Call `finish` only once. If there is a failure,
  /// `Generation::stop` is `error`, and calls with incomplete arguments are dropped. A host that stopped the
  /// request itself should set `stop` to `aborted`.
  Message finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}}
