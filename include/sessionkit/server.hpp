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
  developer, ///< a first message of this role, which only OpenAI's and Azure's newer models know
  user,      ///< the beginning of the first user message, for templates that know no system role (Gemma 2)
};

/// Which images a server accepts. `Target::images` says whether the model reads any.
enum class ServerImages : std::uint8_t {
  none,     ///< text only: each image becomes `[image not sent]`
  embedded, ///< PNG, JPEG and WebP as base64 in the request, no addresses
  any,      ///< what OpenAI accepts
};

/// What a server that speaks OpenAI's Chat Completions accepts, for `Provider::openai_chat`. The defaults are
/// those of OpenAI's own server. docs/history.md has the source of each rule of each constant below.
struct ServerRules {
  std::string_view name = "openai"; ///< the name of these rules; in static storage
  /// True: the content of system, assistant and tool messages is a string. The content of user messages is a
  /// string too if `images` or `Target::images` says that no image can be sent. Several texts are joined by
  /// an empty line. False: content is always an array.
  bool text_content = false;
  SystemRole system_role = SystemRole::system; ///< where the system text goes
  bool user_first = false;                     ///< the first message after the system text must be the user's
  /// False: a message of the user must not follow the result of a tool directly, so an assistant message
  /// `[no answer]` is put between them. Images of results would be such messages, and become
  /// `[image not sent]`.
  bool user_after_tool = true;
  /// True: every assistant message has `reasoning_content`: the reasoning that the same model gave there, or
  /// an empty text. False: reasoning is not sent.
  bool reasoning_content = false;
  /// The most calls of one assistant message; at least 1. Further calls follow in messages of their own, each
  /// after the results of the calls before. 1: no parallel calls.
  std::size_t max_calls = 128;
  /// If not 0, ids of calls have exactly this many bytes of `[a-zA-Z0-9]`. If 0, they have up to 40 bytes of
  /// `[a-zA-Z0-9_-]`.
  std::size_t id_length = 0;
  bool dots_in_names = false;              ///< names of tools may contain `.` beside `[a-zA-Z0-9_-]`
  std::size_t max_name_length = 64;        ///< the most bytes of the name of a tool; at least 24
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

// A server that runs any model: its chat template decides, so these are the demands of all common ones.
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

/// Known servers, for `Target::server`. Change a copy where a model needs it, for example `max_calls` for a
/// model whose chat template takes parallel calls.
namespace servers {

/// OpenAI's own server. The default.
inline constexpr ServerRules openai{};

/// Azure OpenAI. Its older versions take strings only.
inline constexpr ServerRules azure = detail::azure_rules();

/// DeepSeek's API: strings, no images, reasoning goes back.
inline constexpr ServerRules deepseek = detail::deepseek_rules();

/// Mistral's API: ids of nine letters and digits, no user message directly after a result.
inline constexpr ServerRules mistral = detail::mistral_rules();

/// Groq: strings; arrays only in user messages for models that read images. Set `Target::images` to false for
/// other models.
inline constexpr ServerRules groq = detail::groq_rules();

/// llama.cpp's server. The chat template of the model decides what is refused, so these rules satisfy the
/// strictest common templates.
inline constexpr ServerRules llama_cpp = detail::template_rules("llama_cpp");

/// vLLM, with the same remark.
inline constexpr ServerRules vllm = detail::template_rules("vllm");

/// Ollama, which makes a message of each part of an array, and takes no addresses of images.
inline constexpr ServerRules ollama = detail::ollama_rules();

}

/// The names of the constants above.
SESSIONKIT_API std::vector<std::string_view> server_names();
/// The constant of this name, for example "deepseek", or null. `-` and `_` are alike in it.
SESSIONKIT_API ServerRules const* find_server(std::string_view name) noexcept;

}}
