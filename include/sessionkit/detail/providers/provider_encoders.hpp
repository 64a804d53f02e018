// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/provider.hpp>

#include <string>
#include <string_view>

// Helpers that the encoders of several providers share.

namespace sessionkit { inline namespace v0 { namespace detail {

/// Images of tool results are sent after the results. The first text replaces such an image in its result.
/// The second text announces the images.
inline constexpr std::string_view images_follow_text = "[an image, see below]";
inline constexpr std::string_view result_images_text = "[images of the tool results above]";

/// Appends `"data:<type>;base64,<data>"`, or the address, as a JSON string.
void append_image_address(std::string& out, Image const& image);

/// Returns an estimate of the size of the encoded messages, so that memory for them is allocated once.
std::size_t encoded_size(History const& history) noexcept;

/// Returns the text of a message whose content was stored as a bare string, if the content is written as a
/// bare string again. Otherwise returns null.
Text const* bare_text(Message const& message) noexcept;

}}}
