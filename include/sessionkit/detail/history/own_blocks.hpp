// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/history/draft.hpp>

#include <optional>
#include <string>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Where a block is.
enum class BlockPlace { user, assistant, result };

/// A block that one API alone knows, as that API takes it back: the members it knows, as JSON that any reader
/// takes. Nothing if the provider does not know such a block there, or refuses this one.
std::optional<RawJson> own_block(Provider provider, BlockPlace place, Opaque const& block);

/// What takes the place of such a block elsewhere: "[document not sent]". Empty: it is no provider's, and
/// nobody knows what it would mean.
std::string block_marker(Opaque const& block);

/// The `citations` of an assistant's text as Anthropic's API takes them back: an object with this member, or
/// null.
RawJson own_citations(RawJson const& extra);

/// Rule: a server tool's call and its result go back together or not at all.
void mark_unpaired_blocks(Draft& draft, std::string_view name);

}}}
