// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <cstddef>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Which images a provider takes.
enum class ImageFormats {
  any,
  web,   ///< PNG, JPEG, GIF and WebP, or what is at an http address
  gemini ///< PNG, JPEG, WebP, HEIC and HEIF, also at an https address if the type is given
};

/// What a provider demands of the parts of a message; one constant each.
struct ProviderRules {
  enum Thinking { never, with_signature, always };
  std::string_view api = {};    ///< `Generation::api` whose signatures count
  std::string_view vendor = {}; ///< `Generation::provider` of the same, where the api is not known
  Thinking thinking = always;
  /// Whether the provider could have made this signature; null: any text will do.
  bool (*signs_thinking)(sessionkit::Thinking const& thinking) = nullptr;
  bool (*signs_text)(std::string_view signature) = nullptr; ///< the same for texts; null: they are not sent
  bool (*signs_call)(std::string_view signature) = nullptr; ///< and for calls
  bool first_call_signed = false;                           ///< of each group, but for old models
  bool reasoning_items = false;             ///< reasoning has an id and goes with what follows it
  std::size_t id_limit = 0, name_limit = 0; ///< bytes of [a-zA-Z0-9_-]; 0: any text will do
  char id_end = '\0';                       ///< what comes after it in an id is not the provider's
  std::string_view name_extra = {};         ///< other bytes that names may have
  bool name_starts_with_letter = false;     ///< or with `_`
  bool summary_in_system = false;
  bool empty_results = true; ///< a tool result may have no content
  ImageFormats images = ImageFormats::any;
  bool object_inputs = false; ///< the arguments of a call must be an object
  bool https_images = false;  ///< images at an address: https alone
  bool text_errors = false;   ///< a result that is an error holds text only
  bool signed_blanks = false; ///< a text without words that carries a signature is sent back
};
ProviderRules const& rules_of(Provider provider) noexcept;

/// The digits of base64 text of whole blocks, without what fills up the last; empty where the text is none.
std::string_view base64_digits(std::string_view data) noexcept;

/// What Gemini's documentation says to send for the signature of a call that another model made. Valid
/// base64, as every signature must be.
inline constexpr std::string_view unsigned_call_signature = "skip_thought_signature_validator";

/// Whether this names a Gemini of the first two generations: its calls need no signature, and its results
/// take no images. A model that is not known is taken for a newer one.
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
