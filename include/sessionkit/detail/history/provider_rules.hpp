// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <cstddef>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Which images a provider accepts.
enum class ImageFormats {
  any,
  none,     ///< text only
  embedded, ///< PNG, JPEG and WebP as base64
  web,      ///< PNG, JPEG, GIF and WebP, or any image at an http address
  gemini    ///< PNG, JPEG, WebP, HEIC and HEIF, also at an https address if the type is given
};

/// The demands of one provider on the parts of a message.
struct ProviderRules {
  enum Thinking { never, with_signature, always };
  std::string_view api = {};    ///< the `Generation::api` whose signatures are valid
  std::string_view vendor = {}; ///< the `Generation::provider` that counts if a message has no api
  Thinking thinking = always;
  /// True if the provider could have made this signature. Null: any text is valid.
  bool (*signs_thinking)(sessionkit::Thinking const& thinking) = nullptr;
  bool plain_thinking = false; ///< reasoning is sent as text, without a signature
  bool (*signs_text)(std::string_view signature) = nullptr; ///< same for texts; null if no signature is sent
  bool (*signs_call)(std::string_view signature) = nullptr; ///< same for calls; null if no signature is sent
  /// The first call of each group of calls must have a signature. Old models do not need it.
  bool first_call_signed = false;
  bool reasoning_items = false;             ///< reasoning has an id and is sent only with the item after it
  std::size_t id_limit = 0, name_limit = 0; ///< most bytes, each of [a-zA-Z0-9_-]; 0: any text is valid
  std::size_t id_length = 0;                ///< if it is not 0, ids have this many bytes of [a-zA-Z0-9]
  char id_end = '\0';                       ///< the provider's own id ends before this byte
  std::string_view name_extra = {};         ///< further bytes that names may contain
  bool name_starts_with_letter = false;     ///< a name must start with a letter or `_`
  bool summary_in_system = false;
  bool empty_results = true; ///< a tool result may have no content
  ImageFormats images = ImageFormats::any;
  bool object_inputs = false;  ///< the arguments of a call must be an object
  bool https_images = false;   ///< an address of an image must be https
  bool text_errors = false;    ///< a result that is an error may contain only text
  bool signed_blanks = false;  ///< a blank text that has a signature is sent back
  bool own_blocks = true;      ///< the provider's own blocks are sent
  bool result_images = true;   ///< the result of a tool may have images
  bool user_first = false;     ///< the first message must be the user's
  bool user_after_tool = true; ///< the user may speak directly after a result
};
/// The demands of a provider's own server.
ProviderRules const& rules_of(Provider provider) noexcept;
/// The demands of the server of a target.
ProviderRules rules_of(Target const& target) noexcept;

/// Returns base64 text without its padding. Empty if the text does not consist of complete blocks of four.
std::string_view base64_digits(std::string_view data) noexcept;

/// The text that Gemini's documentation says to send as the signature of a call that another model made. The
/// text is valid base64, as every signature must be.
inline constexpr std::string_view unsigned_call_signature = "skip_thought_signature_validator";

/// True for a Gemini of the first two generations. Its calls need no signature, and its results cannot
/// contain images. An unknown model counts as a newer one.
constexpr bool is_old_gemini(std::string_view model) noexcept {
  constexpr std::string_view family = "gemini-";
  std::size_t const at = model.find(family);
  if (at == std::string_view::npos) return false;
  model.remove_prefix(at + family.size());
  if (model.substr(0, 5) == "live-") model.remove_prefix(5);
  return !model.empty() && (model.front() == '1' || model.front() == '2')
         && !(model.size() > 1 && model[1] >= '0' && model[1] <= '9');
}

}}}
