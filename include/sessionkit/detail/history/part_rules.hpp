// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view no_output_text = "[no output]";

/// Adds one part of an entry as a piece, changed by the part rules, unless they drop it.
void add_piece(Draft& draft, Part const& part);

}}}
