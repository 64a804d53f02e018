// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <cstddef>
#include <vector>

// A long history can be rebuilt in parts. The entries of a conversation are cut at a place where no rule and
// no encoder looks across, as long as the names on the two sides differ. The parts are then rebuilt and
// encoded one after the other, and their messages together are those of the whole history. A part that was
// encoded once need not be made again when entries are appended.

namespace sessionkit { inline namespace v0 { namespace detail {

/// The place of a part in its history.
struct HistoryPart {
  bool begins = true; ///< false: other messages precede the part
  bool ends = true;   ///< false: other messages follow, so the rules of the last message do not apply
};

/// True if histories for this target can be made in parts. False in mode `faithful`, and with policies, which
/// look at the complete history.
bool has_parts(Target const& target) noexcept;

/// True if both targets give the same request for the same entries. Both targets must have parts.
bool asks_the_same(Target const& a, Target const& b);

/// The largest number of entries at the beginning that can be a part of their own; 0 if there is none. Only
/// the first `stored` entries may belong to the part.
std::size_t settled_entries(Context const& context, Target const& target, std::size_t stored);

/// True if the message `after` can begin a part when `before` ends the part before it.
bool is_seam(Role before, Role after) noexcept;

/// The name of an entry whose effect is not limited to its part, for example of a system message. Every part
/// counts as having this name.
inline constexpr std::size_t name_of_all_parts = 0;

/// Hashes of the names by which entries refer to each other: ids of calls, results and reasoning. Two parts
/// that have a name in common cannot be rebuilt apart.
void add_names(Entry const& entry, Target const& target, std::vector<std::size_t>& names);

/// The same for a rebuilt part, in which ids may have changed. False if ids changed in a way that depends on
/// earlier parts.
bool add_names(History const& part, std::vector<std::size_t>& names);

}}}
