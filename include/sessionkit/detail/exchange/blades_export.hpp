// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/blades.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The name of the member with the time when the document was saved. A log keeps this time as a member of its
/// header.
inline constexpr std::string_view blades_updated = "updated_at";

/// `export_blades` for a log whose lines are in the dialect `from`. A time is written with the text that it
/// has in its line, if programs that use blades can read this text. A `TimeKeeper` also keeps the text, so
/// that a conversion back restores it.
Converted export_blades(Log const& log, Dialect const& from, SessionId const& id);

}}}
