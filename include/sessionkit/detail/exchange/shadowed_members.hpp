// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/convert.hpp>

#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Lists unknown members of an entry that its line in the dialect `to` does not have, because the line has a
/// member of that name itself. `id` names the entry in the list.
void list_shadowed_members(EntryId const& id, Entry const& entry, std::string_view line, Dialect const& to,
                           std::vector<Loss>& losses);

}}}
