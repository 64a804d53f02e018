// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/blades.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The member with the time when the document was saved. A log keeps this time as a member of its header.
inline constexpr std::string_view blades_updated = "updated_at";

/// `export_blades` for a log whose lines are of this dialect. A time keeps the text that it has in its line,
/// if programs on blades can read it. The text is also kept for the way back, as `TimeKeeper` keeps it.
Converted export_blades(Log const& log, Dialect const& from, SessionId const& id);

}}}
