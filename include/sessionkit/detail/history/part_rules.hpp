// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view no_output_text = "[no output]";

/// Applies the part rules to one part of an entry. Adds the result as a piece, except if a rule drops the
/// part.
void add_piece(Draft& draft, Part const& part);

}}}
