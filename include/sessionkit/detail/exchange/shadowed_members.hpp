// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Lists unknown members of an entry that are missing in `line`, its line in the dialect `to`. They are
/// missing because this dialect uses their names for members of its own. `id` names the entry in the list.
void list_shadowed_members(EntryId const& id, Entry const& entry, std::string_view line, Dialect const& to,
                           std::vector<Loss>& losses);

}}}
