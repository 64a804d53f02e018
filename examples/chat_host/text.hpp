// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string_view>

namespace chat_host {

/// The first of UTF-8 text: at most so many bytes, and no half character at the end.
std::string_view cut(std::string_view text, std::size_t most);

}
