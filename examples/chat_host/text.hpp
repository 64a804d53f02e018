// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string_view>

namespace chat_host {

/// The beginning of UTF-8 text: at most this many bytes, without half a character at the end.
std::string_view cut(std::string_view text, std::size_t most);

}
