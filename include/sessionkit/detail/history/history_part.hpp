// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/history.hpp>

#include <cstddef>
#include <vector>

// A long history can be rebuilt in parts. The entries of a conversation are cut at a place where no rule and
// no encoder needs to know the other side, as long as no name (for example the id of a call) is on both
// sides. The parts are then rebuilt and encoded one after the other, and their messages together are those of
// the whole history. When entries are appended, a part that was encoded before need not be encoded again.

namespace sessionkit { inline namespace v0 { namespace detail {

/// How the answers after the last message of the user begin.
enum class LoopStart {
  none,      ///< there is no such answer
  reasoning, ///< the first of them begins with reasoning
  other,     ///< it begins with something else
};

/// The place of a part in its history.
struct HistoryPart {
  bool begins = true; ///< false if other messages precede the part
  bool ends = true;   ///< false if messages follow, so that rules about the last message do not apply
  LoopStart before = LoopStart::none; ///< of the messages that precede the part
};

/// Returns how the answers begin after the last message of the user among the first `end` messages of a part.
/// `before` is the same for the messages that precede the part.
LoopStart loop_start(std::vector<Message> const& messages, std::size_t end, LoopStart before) noexcept;

/// True if histories for this target can be made in parts. False in mode `faithful`, and with policies, which
/// look at the complete history.
bool has_parts(Target const& target) noexcept;

/// True if both targets give the same request for the same entries. `has_parts` must be true for both
/// targets.
bool asks_the_same(Target const& a, Target const& b);

/// Returns how many of the first entries can be a part of their own: the largest such number, or 0 if there
/// is none. Only the first `stored` entries may belong to the part.
std::size_t settled_entries(Context const& context, Target const& target, std::size_t stored);

/// True if one part may end with a message of the role `before` and the next part may begin with a message of
/// the role `after`.
bool is_seam(Role before, Role after) noexcept;

/// The name for entries whose effect is not limited to their part, for example system messages. Every part
/// counts as having this name.
inline constexpr std::size_t name_of_all_parts = 0;

/// Adds hashes of the names by which entries refer to each other: ids of calls, of reasoning and of server
/// tools. Two parts that have a name in common cannot be rebuilt apart.
void add_names(Entry const& entry, Target const& target, std::vector<std::size_t>& names);

/// Does the same for a rebuilt part, in which ids may have changed. Returns false if ids changed in a way
/// that depends on earlier parts.
bool add_names(History const& part, std::vector<std::size_t>& names);

}}}
