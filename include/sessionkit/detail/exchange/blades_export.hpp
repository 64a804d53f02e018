// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

// A session of go-kratos/blades is one JSON document. In it only texts, calls and results have members of
// their own. Everything else in a message goes into its `metadata`, a map that may have any keys.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::uint64_t blades_version = 1;
/// The member with the time when the document was saved. A log keeps this time as a member of its header.
inline constexpr std::string_view blades_updated = "updated_at";

/// Types for items that are not what they should be: the type of the entry for a history item that is no
/// message, and the type of the part for an item among calls that is no call.
inline constexpr std::string_view blades_item = "blades.item", blades_call = "blades.tool_call";

}}}
