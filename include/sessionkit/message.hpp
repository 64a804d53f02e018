// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/raw_json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Who speaks. `tool` carries tool results; providers that have no such role get them as the user's.
enum class Role { system, user, assistant, tool };

// All text is UTF-8. A lone surrogate that a JavaScript program wrote as `\ud83d` is kept as its three-byte
// WTF-8 form, so that it can be written back as it was; `valid` histories send U+FFFD in its place.

/// `extra` of this and the other parts: null, or an object of the members of the stored part that have no
/// place beside it (`citations`, `cache_control`). Dialects write it back; only `faithful` histories of logs
/// in the provider's own shape send it.
struct Text {
  std::string text;
  std::string signature = {}; ///< opaque proof of the provider, sent back unchanged
  RawJson extra = {};
};
/// Reasoning of the model. `redacted`: `signature` holds the provider's encrypted data and `text` is empty.
struct Thinking {
  std::string text;
  std::string signature = {};
  bool redacted = false;
  RawJson extra = {};
};
/// The bytes of an image, in base64.
struct Base64 {
  std::string data;
};
/// Where an image can be fetched.
struct Url {
  std::string url;
};
/// A picture, inline or by address.
struct Image {
  std::string media_type; ///< for example "image/png"
  std::variant<Base64, Url> source;
  RawJson extra = {}; ///< the members that a `source` object has beside ours are in its member `source`
};
/// A part this library does not understand: kept, and sent as `extra` is.
struct Opaque {
  std::string type;
  RawJson body; ///< the whole part
};
/// The model asks for a tool. `input` is its arguments, an object when the model behaved.
struct ToolUse {
  std::string id, name;
  RawJson input = {};
  std::string signature = {};
  RawJson extra = {};
};
/// A piece of what a tool answered.
using ToolContent = std::variant<Text, Image, Opaque>; // not recursive: no provider nests further
/// What a tool answered to the call `tool_use_id`.
struct ToolResult {
  std::string tool_use_id, tool_name;
  std::vector<ToolContent> content = {};
  bool is_error = false;
  RawJson extra = {};
};
/// A piece of a message.
using Part = std::variant<Text, Thinking, Image, ToolUse, ToolResult, Opaque>;

/// Why an answer ended. The text of an `aborted` one is sent, nothing of an `error`.
enum class StopReason { unknown, end_turn, tool_use, max_tokens, aborted, error };
/// Tokens as the provider counted them.
struct Usage {
  std::uint64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
};
/// How an assistant message came to be. Empty text: not known.
struct Generation {
  std::string provider = {}, model = {}, request_id = {};
  std::optional<Usage> usage = {};
  StopReason stop = StopReason::unknown;
  std::string api = {}; ///< the wire format spoken, for example "anthropic-messages"
};

/// What one party said in one piece.
struct Message {
  Role role = Role::user;
  std::vector<Part> parts = {};
  std::optional<Generation> generation = {}; ///< assistant messages only
  RawJson metadata = {}; ///< null or an object: members of the stored message that have no place above
  bool content_is_string =
      false; ///< stored with a bare string as content; `faithful` histories write it so again

  /// All `Text` parts joined without a separator.
  SESSIONKIT_API std::string text() const;
  /// Pointers into this message, in order. Not for temporaries.
  SESSIONKIT_API std::vector<ToolUse const*> tool_uses() const&;
  std::vector<ToolUse const*> tool_uses() const&& = delete;
};

namespace detail {
template <class P> void push_part(std::vector<Part>& parts, P&& part) {
  if constexpr (std::is_convertible_v<P&&, std::string>)
    parts.emplace_back(Text{std::string(std::forward<P>(part))});
  else if constexpr (std::is_convertible_v<P&&, std::string_view>)
    parts.emplace_back(Text{std::string(std::string_view(std::forward<P>(part)))});
  else
    parts.emplace_back(std::forward<P>(part));
}
template <class... P> Message make_message(Role role, P&&... parts) {
  Message message;
  message.role = role;
  message.parts.reserve(sizeof...(parts));
  (push_part(message.parts, std::forward<P>(parts)), ...);
  return message;
}
}

/// `user("What is this?", Image{...})`: strings become `Text`.
template <class... P> Message user(P&&... parts) {
  return detail::make_message(Role::user, std::forward<P>(parts)...);
}
/// The same of the model: `assistant("Let me look.", ToolUse{...})`.
template <class... P> Message assistant(P&&... parts) {
  return detail::make_message(Role::assistant, std::forward<P>(parts)...);
}
/// Instructions that are stored in the log; those of `Target::system` are not.
SESSIONKIT_API Message system(std::string text);
/// The answer to a call, as one text.
SESSIONKIT_API Message tool_result(ToolUse const& call, std::string output, bool is_error = false);
/// Several results in one message, as parallel calls are answered.
SESSIONKIT_API Message tool_results(std::vector<ToolResult> results);

/// Collects a streamed assistant message. A value without I/O; feed it deltas in the order they arrive.
class SESSIONKIT_API MessageBuilder {
 public:
  /// More of the text; begins a part if the last one is not text.
  void text(std::string_view delta);
  /// More of the reasoning; likewise.
  void thinking(std::string_view delta);
  /// Signature of the part being built.
  void signature(std::string_view delta);
  /// Begins a call; its arguments follow.
  void begin_tool_use(std::string id, std::string name);
  /// A piece of the open call's arguments.
  void tool_input(std::string_view delta);

  /// Nothing came yet.
  bool empty() const noexcept { return parts_.empty(); }

  /// The message, once. A call whose arguments are no complete JSON value is dropped when the generation
  /// stopped as `aborted` or `error`; otherwise its arguments are kept as a JSON string. No arguments at all
  /// are `{}`.
  Message finish(Generation generation) &&;

 private:
  struct Draft {
    Part part;
    std::string input;
  };
  std::vector<Draft> parts_;
};

}}
