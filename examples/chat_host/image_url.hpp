// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <optional>
#include <string_view>

namespace chat_host {

/// An image as clients send it: a `data:` URL in base64 whose bytes begin as those of its type do, of the
/// types that models see, or an `https:` URL. Nothing: it is neither.
std::optional<sessionkit::Image> image_of(std::string_view url);

}
