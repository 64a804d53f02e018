// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Where a server of Chat Completions reads the system text.
enum class SystemRole : std::uint8_t {
  system,    ///< a first message of this role
  developer, ///< a first message of this role; only OpenAI's and Azure's newer models know the role
  user,      ///< the beginning of the first user message, for templates that know no system role (Gemma 2)
};

/// Which images a server accepts. `Target::images` says whether the model reads any.
enum class ServerImages : std::uint8_t {
  none,     ///< text only: each image becomes `[image not sent]`
  embedded, ///< PNG, JPEG and WebP as base64 in the request, no addresses
  any,      ///< all images that OpenAI accepts
};

/// The requests that a server of OpenAI's Chat Completions accepts, for `Provider::openai_chat`. The defaults
/// are those of OpenAI's own server. For each constant below, docs/history.md names the sources of its rules.
struct ServerRules {
  std::string_view name = "openai"; ///< the name of these rules; the text is in static storage
  /// True: the content of system, assistant and tool messages is a string. The content of user messages is a
  /// string too if `images` or `Target::images` says that no image can be sent. Several texts are joined,
  /// with an empty line between them. False: content is always an array.
  bool text_content = false;
  SystemRole system_role = SystemRole::system; ///< where the system text goes
  bool user_first = false; ///< true: the first message after the system text must be a message of the user
  /// False: a message of the user must not follow the result of a tool directly, so the assistant message
  /// `[no answer]` is put between them. An image of a result would need such a message of the user, so the
  /// image becomes `[image not sent]`.
  bool user_after_tool = true;
  /// True: every assistant message has `reasoning_content`. This member is the reasoning of the message if
  /// the same model wrote the message, else an empty text. False: reasoning is not sent.
  bool reasoning_content = false;
  /// The maximum number of calls in one assistant message; at least 1. Further calls are sent in further
  /// assistant messages. Each further message follows the results of the calls before it. 1 means that there
  /// are no parallel calls.
  std::size_t max_calls = 128;
  /// If not 0, ids of calls have exactly this many bytes of `[a-zA-Z0-9]`. If 0, they have up to 40 bytes of
  /// `[a-zA-Z0-9_-]`.
  std::size_t id_length = 0;
  bool dots_in_names = false;       ///< true: names of tools may contain `.` in addition to `[a-zA-Z0-9_-]`
  std::size_t max_name_length = 64; ///< the maximum length of the name of a tool, in bytes; at least 24
  ServerImages images = ServerImages::any; ///< which images are sent
  bool files = true; ///< false: OpenAI's parts `file`, `input_audio` and `refusal` become markers
};

namespace detail {

constexpr ServerRules azure_rules() noexcept {
  ServerRules rules;
  rules.name = "azure";
  rules.text_content = true;
  return rules;
}

constexpr ServerRules deepseek_rules() noexcept {
  ServerRules rules;
  rules.name = "deepseek";
  rules.text_content = true;
  rules.user_first = true;
  rules.reasoning_content = true;
  rules.images = ServerImages::none;
  rules.files = false;
  return rules;
}

constexpr ServerRules mistral_rules() noexcept {
  ServerRules rules;
  rules.name = "mistral";
  rules.user_after_tool = false;
  rules.id_length = 9;
  rules.files = false;
  return rules;
}

constexpr ServerRules groq_rules() noexcept {
  ServerRules rules;
  rules.name = "groq";
  rules.text_content = true;
  rules.files = false;
  return rules;
}

// A server that runs any model. The model's chat template decides what is accepted. These rules satisfy the
// common templates, except those without a system role.
constexpr ServerRules template_rules(std::string_view name) noexcept {
  ServerRules rules;
  rules.name = name;
  rules.text_content = true;
  rules.user_first = true;
  rules.user_after_tool = false;
  rules.max_calls = 1;
  rules.files = false;
  return rules;
}

constexpr ServerRules ollama_rules() noexcept {
  ServerRules rules;
  rules.name = "ollama";
  rules.text_content = true;
  rules.images = ServerImages::embedded;
  rules.files = false;
  return rules;
}

}

/// Known servers, for `Target::server`. If a model needs other rules, copy a constant and change the copy.
/// For example, raise `max_calls` for a model whose chat template accepts parallel calls.
namespace servers {

/// OpenAI's own server. The default.
inline constexpr ServerRules openai{};

/// Azure OpenAI. Its older versions accept only strings as content.
inline constexpr ServerRules azure = detail::azure_rules();

/// DeepSeek's API. Content is a string, images are not accepted, and reasoning is sent back.
inline constexpr ServerRules deepseek = detail::deepseek_rules();

/// Mistral's API. Ids of calls have nine letters and digits. A user message must not follow a result
/// directly.
inline constexpr ServerRules mistral = detail::mistral_rules();

/// Groq. Content is a string; only user messages for a model that reads images may have arrays. Set
/// `Target::images` to false for other models.
inline constexpr ServerRules groq = detail::groq_rules();

/// llama.cpp's server. The chat template of the model decides what is refused, so these rules satisfy the
/// strictest common templates.
inline constexpr ServerRules llama_cpp = detail::template_rules("llama_cpp");

/// vLLM. Its rules are those of `llama_cpp`, for the same reason.
inline constexpr ServerRules vllm = detail::template_rules("vllm");

/// Ollama. It makes a separate message of each part of an array, and accepts no addresses of images.
inline constexpr ServerRules ollama = detail::ollama_rules();

}

/// Returns the names of the constants in `servers`.
SESSIONKIT_API std::vector<std::string_view> server_names();
/// Returns the constant of this name, for example "deepseek", or null. In the name, `-` and `_` mean the
/// same.
SESSIONKIT_API ServerRules const* find_server(std::string_view name) noexcept;

}}
