// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <optional>
#include <string_view>

namespace chat_host {

/// An image from a client: a `data:` URL in base64 whose bytes begin as its type requires, of the
/// types that models accept, or an `https:` URL. Absent if it is neither.
std::optional<sessionkit::Image> image_of(std::string_view url);

}
