// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_info.hpp>

#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Converts a summary to text and back. The text is one JSON object on one line and has every field.
SESSIONKIT_API std::string to_row_text(SessionInfo const& info);
SESSIONKIT_API SessionInfo from_row_text(SessionId const& id, std::string_view text);

}}}
