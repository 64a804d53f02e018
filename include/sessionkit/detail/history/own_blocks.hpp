// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The place of a block.
enum class BlockPlace { user, assistant, result };

/// Returns a block that only one provider's API has in the form in which the API accepts it again. The result
/// has the members that the API knows, as JSON that any reader accepts. Absent if the provider has no such
/// block at this place, or refuses this block.
std::optional<RawJson> own_block(Provider provider, BlockPlace place, Opaque const& block);

/// The text that replaces such a block if it is not sent, such as "[document not sent]". Empty if the block
/// belongs to no provider, so that its meaning is unknown.
std::string block_marker(Opaque const& block);

/// Returns the `citations` of an assistant's text as Anthropic's API accepts them again: an object with this
/// member, or null.
RawJson own_citations(RawJson const& extra);

/// The id by which a call of a server tool and its result refer to each other; empty if the block is neither.
std::string server_tool_id(Opaque const& block);

/// Applies the rule that a server tool's call and its result are sent back together or not at all.
void mark_unpaired_blocks(Draft& draft, std::string_view name);

}}}
