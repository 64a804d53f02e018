// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Blank as providers see it: nothing, or white space only.
bool is_blank(std::string_view text) noexcept;
/// Without the white space at either end.
std::string_view trimmed(std::string_view text) noexcept;
/// Length without the white space at the end.
std::size_t trimmed_length(std::string_view text) noexcept;

}}}
