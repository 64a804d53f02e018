// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What Gemini's documentation tells to send for the signature of a call that another model made. Valid
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
