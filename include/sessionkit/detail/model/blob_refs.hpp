// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <functional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The text that is sent or written in place of an image that cannot be sent or written.
inline constexpr std::string_view no_image_text = "[image not sent]";

/// True if an image of the message, or of a tool result in it, is a `BlobRef`: the host keeps the bytes of
/// such an image elsewhere.
bool has_blob_refs(Message const& message) noexcept;

/// Replaces each such image by `no_image_text`. Calls `replaced` with the image before it is replaced.
void replace_blob_refs(Message& message, std::function<void(Image const&)> const& replaced = {});

}}}
