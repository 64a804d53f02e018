// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/message.hpp>

#include <optional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True if the provider accepts the image as it is.
bool is_sendable(ProviderRules const& rules, Image const& image);

/// The image as the provider accepts it: base64 without white space and with its padding, taken out of a
/// `data:` address where it is in one, under the media type that its first bytes show. Nothing if that is not
/// possible.
std::optional<Image> repaired_image(ProviderRules const& rules, Image const& image);

/// True for text in whole blocks of the usual alphabet.
bool is_base64(std::string_view data) noexcept;

}}}
