// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The place of a block.
enum class BlockPlace { user, assistant, result };

/// Converts a block that only one provider's API has to the form in which this API accepts it again. The
/// result has only the members that the API knows, and is JSON that any reader accepts. Absent if the
/// provider has no such block at this place, or refuses this block.
std::optional<RawJson> own_block(Provider provider, BlockPlace place, Opaque const& block);

/// Returns the text that replaces such a block if the block is not sent, for example "[document not sent]".
/// Empty if no provider has such a block, so that its meaning is unknown.
std::string block_marker(Opaque const& block);

/// Returns the `citations` of an assistant's text as Anthropic's API accepts them again: an object with this
/// member, or null.
RawJson own_citations(RawJson const& extra);

/// Returns the id that links a call of a server tool and its result. Empty if the block is neither of them.
std::string server_tool_id(Opaque const& block);

/// Applies the rule that the call of a server tool and its result are sent back together or not at all.
void mark_unpaired_blocks(Draft& draft, std::string_view name);

}}}
