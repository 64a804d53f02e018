// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace chat_host {

/// Without capitals, for comparing: Latin, Greek and Cyrillic letters of UTF-8; all else stays.
std::string fold_case(std::string_view text);

/// The first of UTF-8 text: at most so many bytes, and no half character at the end.
std::string_view cut(std::string_view text, std::size_t most);

}
