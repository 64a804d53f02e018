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

/// Who speaks. A message of the role `tool` contains tool results. Providers without this role receive the
/// results in a message of the user.
enum class Role { system, user, assistant, tool };

// All text is UTF-8. A lone surrogate that a JavaScript program wrote as `\ud83d` is kept as its three-byte
// WTF-8 form, so that it can be written back as it was; `valid` histories send U+FFFD in its place.

/// `extra` of this part and of the other parts is null, or an object of the members of the stored part that
/// this library does not know (`citations`, `cache_control`). Dialects write these members back. They are
/// sent only in `faithful` histories of logs that are in the provider's own format.
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
/// A part that this library does not understand. It is kept, and sent in the same cases as `extra`.
struct Opaque {
  std::string type;
  RawJson body; ///< the whole part
};
/// A call of a tool by the model. `input` has the arguments: usually an object, but models write other
/// values, too.
struct ToolUse {
  std::string id, name;
  RawJson input = {};
  std::string signature = {};
  RawJson extra = {};
};
/// A piece of a tool's answer.
using ToolContent = std::variant<Text, Image, Opaque>; // not recursive: no provider nests further
/// The answer of a tool to the call `tool_use_id`.
struct ToolResult {
  std::string tool_use_id, tool_name;
  std::vector<ToolContent> content = {};
  bool is_error = false;
  RawJson extra = {};
};
/// A piece of a message.
using Part = std::variant<Text, Thinking, Image, ToolUse, ToolResult, Opaque>;

/// Why an answer ended. The text of an `aborted` answer is sent in later requests. Nothing of an answer with
/// `error` is sent.
enum class StopReason { unknown, end_turn, tool_use, max_tokens, aborted, error };
/// Tokens as the provider counted them.
struct Usage {
  std::uint64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
};
/// How an assistant message was made. An empty text means that a value is not known.
struct Generation {
  std::string provider = {}, model = {}, request_id = {};
  std::optional<Usage> usage = {};
  StopReason stop = StopReason::unknown;
  std::string api = {}; ///< the wire format spoken, for example "anthropic-messages"
};

/// A message of one speaker.
struct Message {
  Role role = Role::user;
  std::vector<Part> parts = {};
  std::optional<Generation> generation = {}; ///< assistant messages only
  RawJson metadata = {}; ///< null or an object: members of the stored message that have no place above
  bool content_is_string = false; ///< the content was stored as a string, not as an array of parts;
                                  ///< `faithful` histories send it as a string

  /// All `Text` parts joined without a separator.
  SESSIONKIT_API std::string text() const;
  /// Pointers to the calls in this message, in order. They are valid as long as the message.
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
/// A message of the model: `assistant("Let me look.", ToolUse{...})`.
template <class... P> Message assistant(P&&... parts) {
  return detail::make_message(Role::assistant, std::forward<P>(parts)...);
}
/// A message with instructions that are stored in the log. (The instructions in `Target::system` are sent,
/// but not stored.)
SESSIONKIT_API Message system(std::string text);
/// The answer to a call, as one text.
SESSIONKIT_API Message tool_result(ToolUse const& call, std::string output, bool is_error = false);
/// Several results in one message, which answers parallel calls.
SESSIONKIT_API Message tool_results(std::vector<ToolResult> results);

/// Builds an assistant message from the pieces of a stream, in the order in which they arrive. It does no
/// I/O.
class SESSIONKIT_API MessageBuilder {
 public:
  /// Adds text. Begins a new part if the last part is not text.
  void text(std::string_view delta);
  /// Adds reasoning. Begins a new part if the last part is not reasoning.
  void thinking(std::string_view delta);
  /// Sets the signature of the last part.
  void signature(std::string_view delta);
  /// Begins a call. Its arguments follow (`tool_input`).
  void begin_tool_use(std::string id, std::string name);
  /// The same with the signature and the extra members of `call`. Its `input` is not used.
  void begin_tool_use(ToolUse call);
  /// Adds a part that is complete.
  void add(Part part);
  /// Adds a piece of the arguments of a call.
  void tool_input(std::string_view delta);

  /// True if nothing was added yet.
  bool empty() const noexcept { return parts_.empty(); }

  /// Returns the message; call this once. If the arguments of a call are no complete JSON value, the call is
  /// dropped if the generation stopped as `aborted` or `error`; otherwise its arguments are kept as a JSON
  /// string. A call without any arguments gets `{}`.
  Message finish(Generation generation) &&;

 private:
  struct Draft {
    Part part;
    std::string input;
    bool begun = false; // a call whose input is to be read from `input`
  };
  std::vector<Draft> parts_;
};

}}
