// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/message.hpp>

#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if the provider accepts the image unchanged.
bool is_sendable(ProviderRules const& rules, Image const& image);

/// Returns the image in a form that the provider accepts: base64 without white space but with its padding,
/// and the media type that its first bytes show. The base64 of a `data:` address is taken out of the address.
/// Absent if the image cannot be repaired.
std::optional<Image> repaired_image(ProviderRules const& rules, Image const& image);

/// True if the text is base64 in complete blocks of four characters, in the usual alphabet.
bool is_base64(std::string_view data) noexcept;

}}}
