// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

// A session of go-kratos/blades as one document. Only text, calls and results have members of their own
// there. Everything else in a message goes into its `metadata`, which is a free map.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::uint64_t blades_version = 1;
/// When the document was saved; a log keeps this time as a member of its header.
inline constexpr std::string_view blades_updated = "updated_at";

/// Names for items of a history that are no message, and for items among calls that are no call.
inline constexpr std::string_view blades_item = "blades.item", blades_call = "blades.tool_call";

}}}
