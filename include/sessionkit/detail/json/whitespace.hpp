// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// True for text that providers regard as blank: empty, or only white space.
bool is_blank(std::string_view text) noexcept;
/// The text without the white space at its beginning and end.
std::string_view trimmed(std::string_view text) noexcept;
/// The length of the text without the white space at its end.
std::size_t trimmed_length(std::string_view text) noexcept;

}}}
