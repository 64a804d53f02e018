// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The member with the time when the document was saved. A log keeps this time as a member of its header.
inline constexpr std::string_view blades_updated = "updated_at";

}}}
