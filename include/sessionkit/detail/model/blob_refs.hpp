// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <functional>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// What is sent, or written, in the place of an image that cannot be.
inline constexpr std::string_view no_image_text = "[image not sent]";

/// True if an image of the message, or of a tool result in it, is a `BlobRef`.
bool has_blob_refs(Message const& message) noexcept;

/// Replaces each such image by `no_image_text`, and calls `replaced` with it before.
void replace_blob_refs(Message& message, std::function<void(Image const&)> const& replaced = {});

}}}
