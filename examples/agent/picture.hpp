// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>
#include <sessionkit/result.hpp>

#include <string>
#include <string_view>

namespace agent {

/// The media type of a PNG, JPEG, GIF or WebP by its first bytes (16 are enough); empty for anything else.
std::string_view picture_type(std::string_view bytes) noexcept;

/// Reads a picture from a file. `io_error` if it cannot be read, `invalid_argument` if it is none of these
/// four, or larger than 5 MiB, which is the least limit of the providers.
sessionkit::Result<sessionkit::Image> read_picture(std::string const& path);

}
