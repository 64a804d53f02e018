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

/// The speaker of a message. A message of the role `tool` contains tool results. Providers without this role
/// receive the results in a message of the user.
enum class Role {
  system,    ///< instructions of the host
  user,      ///< a person, or a program that takes the person's place
  assistant, ///< the model
  tool,      ///< the host, with results of calls
};

// All text is UTF-8. A JavaScript program may have written a lone surrogate, for example `\ud83d`. The
// library keeps such a surrogate in its three-byte WTF-8 form, so that it can be written back unchanged.
// Histories of the mode `RebuildMode::valid` have U+FFFD in its place.

/// A piece of text. Each type of part except `Opaque` has a member `extra`, which is null or an object. The
/// object has the members of the stored part that this library does not know (`citations`, `cache_control`).
/// Dialects write these members back. A request contains them only if the history is `faithful`
/// (`RebuildMode`) and the log is in the provider's own format.
struct Text {
  std::string text; ///< may be empty; requests leave out text that is blank
  /// Opaque data by which the provider recognises its own text. It is sent back unchanged. Empty: none.
  std::string signature = {};
  RawJson extra = {}; ///< null, or an object with the unknown members
};
/// Reasoning of the model. If `redacted` is true, `text` is empty and `signature` holds the provider's
/// encrypted data.
struct Thinking {
  std::string text; ///< empty if the provider shows no text of its reasoning
  /// Opaque data by which the provider recognises its own reasoning. For OpenAI's Responses it is the
  /// complete reasoning item, in JSON. Requests leave out reasoning that has no signature, or that was signed
  /// for another model. The exceptions are in docs/history.md (`foreign_thinking`).
  std::string signature = {};
  bool redacted = false; ///< true: the provider encrypted the reasoning
  RawJson extra = {};    ///< as in `Text`
};
/// The bytes of an image, in base64.
struct Base64 {
  /// The library does not decode the data. Requests contain it in the standard alphabet, with padding and
  /// without line breaks. Data that is not base64 is not sent.
  std::string data;
};
/// The address from which an image can be fetched.
struct Url {
  /// An `https:` address; some providers also fetch `http:`. A `data:` address with base64 is sent as bytes.
  std::string url;
};
/// A reference to bytes that the host keeps elsewhere. The digest identifies the bytes. The library neither
/// stores nor fetches these bytes. A request contains `[image not sent]` in their place. The native dialect
/// stores the reference. Other dialects refuse the reference with `unsupported`.
struct BlobRef {
  std::string digest;     ///< algorithm and value, as OCI's descriptors write them: "sha256:2c26b4..."
  std::uint64_t size = 0; ///< bytes; 0 if it is not known
};
/// An image, given by its bytes, by its address or by reference.
struct Image {
  std::string media_type; ///< for example "image/png"; for a `Url`, only Gemini needs the type
  std::variant<Base64, Url, BlobRef> source; ///< one of the three
  /// As in `Text`. If the stored part has an object `source` with unknown members, `extra` has them in a
  /// member `source`.
  RawJson extra = {};
};
/// A part that this library does not understand. The log keeps it. Requests contain it in the same cases as
/// `Text::extra`.
struct Opaque {
  std::string type; ///< the member `type` of the stored part; empty if it has none
  RawJson body;     ///< the whole part
};
/// A call of a tool by the model. `input` has the arguments. They are usually an object, but models also
/// write other values.
struct ToolUse {
  std::string id;             ///< the provider's id of the call; the result repeats this id
  std::string name;           ///< the name of the tool
  RawJson input = {};         ///< the arguments; null: none
  std::string signature = {}; ///< opaque data of the provider, sent back unchanged; empty: none
  RawJson extra = {};         ///< as in `Text`
};
/// A piece of a tool's answer.
using ToolContent = std::variant<Text, Image, Opaque>; // not recursive: no provider nests further
/// The answer of a tool to the call `tool_use_id`.
struct ToolResult {
  std::string tool_use_id;               ///< `ToolUse::id` of the call
  std::string tool_name;                 ///< the name of the tool; empty: it is not known
  std::vector<ToolContent> content = {}; ///< the pieces in their order; empty: the tool gave no output
  bool is_error = false;                 ///< true: the tool failed, and the content describes the failure
  RawJson extra = {};                    ///< as in `Text`

  /// All `Text` pieces joined without a separator.
  SESSIONKIT_API std::string text() const;
};
/// A piece of a message.
using Part = std::variant<Text, Thinking, Image, ToolUse, ToolResult, Opaque>;

/// The reason why an answer ended. Later requests contain the text of an `aborted` answer, but nothing of an
/// answer that ended with `error`.
enum class StopReason {
  unknown,    ///< not recorded, or a word that this library does not know
  end_turn,   ///< the model finished, also at a stop sequence or with a refusal
  tool_use,   ///< the model waits for the results of its calls
  max_tokens, ///< a limit of tokens cut the answer
  aborted,    ///< the host or a person stopped the answer
  error,      ///< the provider failed in the middle of the answer
};
/// Numbers of tokens, as the provider counted them. The four numbers do not overlap. Their sum is the length
/// of the request and the answer.
struct Usage {
  std::uint64_t input = 0;       ///< tokens of the request, without `cache_read` and `cache_write`
  std::uint64_t output = 0;      ///< tokens of the answer, with its reasoning
  std::uint64_t cache_read = 0;  ///< tokens of the request that were read from the provider's cache
  std::uint64_t cache_write = 0; ///< tokens of the request that were written to this cache; 0: not counted
};
/// The origin of an assistant message: the provider, the model and the cost. A value that is not known is
/// empty.
struct Generation {
  std::string provider = {};   ///< the host's name for the server, for example "anthropic"
  std::string model = {};      ///< the model's name, as the provider writes it
  std::string request_id = {}; ///< the provider's id of the answer; `SessionInfo::usage` counts each id once
  std::optional<Usage> usage = {};       ///< absent: the provider reported none
  StopReason stop = StopReason::unknown; ///< why the answer ended
  std::string api = {};                  ///< the wire format spoken, for example "anthropic-messages"
};

/// A message of one speaker.
struct Message {
  Role role = Role::user;                    ///< the speaker
  std::vector<Part> parts = {};              ///< the parts in the order in which they were said; may be empty
  std::optional<Generation> generation = {}; ///< assistant messages only
  /// Null, or an object with the members of the stored message for which this struct has no field.
  RawJson metadata = {};
  /// True: the content was stored as a string, not as an array of parts. `faithful` histories then send a
  /// string.
  bool content_is_string = false;

  /// All `Text` parts joined without a separator.
  SESSIONKIT_API std::string text() const;
  /// Pointers to the calls in this message, in order. They stay valid as long as the message exists
  /// unchanged.
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

/// A message of the user: `user("What is this?", Image{...})`. Strings become `Text`.
template <class... P> Message user(P&&... parts) {
  return detail::make_message(Role::user, std::forward<P>(parts)...);
}
/// A message of the model: `assistant("Let me look.", ToolUse{...})`.
template <class... P> Message assistant(P&&... parts) {
  return detail::make_message(Role::assistant, std::forward<P>(parts)...);
}
/// A message with instructions. The log stores it. The instructions in `Target::system`, in contrast, are
/// sent but never stored.
SESSIONKIT_API Message system(std::string text);
/// A message with the result of one call, as one text.
SESSIONKIT_API Message tool_result(ToolUse const& call, std::string output, bool is_error = false);
/// The same for a host that has only the call's id and the tool's name.
SESSIONKIT_API Message tool_result(std::string tool_use_id, std::string tool_name, std::string output,
                                   bool is_error = false);
/// Several results in one message, which answers parallel calls.
SESSIONKIT_API Message tool_results(std::vector<ToolResult> results);

/// Builds an assistant message from the pieces of a stream, in the order in which they arrive. The class does
/// no I/O.
class SESSIONKIT_API MessageBuilder {
 public:
  /// Adds text. Begins a new part if the last part is not text.
  void text(std::string_view delta);
  /// Adds reasoning. Begins a new part if the last part is not reasoning.
  void thinking(std::string_view delta);
  /// Adds a piece of the signature of the last part.
  void signature(std::string_view delta);
  /// Begins a call. Pass the arguments of the call to `tool_input`.
  void begin_tool_use(std::string id, std::string name);
  /// Begins a call with the id, the name, the signature and the extra members of `call`. `call.input` is not
  /// used.
  void begin_tool_use(ToolUse call);
  /// Adds a part that is complete.
  void add(Part part);
  /// Adds a piece of the arguments of the call that was begun last. Ignored if a part was added after this
  /// call.
  void tool_input(std::string_view delta);

  /// True if nothing was added yet.
  bool empty() const noexcept { return parts_.empty(); }

  /// Returns the message; call this once. If the arguments of a call are missing, or are not a complete JSON
  /// value, `Generation::stop` decides: after `aborted` or `error`, the call is dropped. In all other cases,
  /// missing arguments become `{}`, and incomplete arguments are kept as a JSON string.
  Message finish(Generation generation) &&;

 private:
  struct Draft {
    Part part;
    std::string input;
    bool begun = false; // true: a call of `begin_tool_use`; `input` has its arguments
  };
  std::vector<Draft> parts_;
};

}}
