// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Type of the `custom` entry that stops compactions for size (the breaker). Such compactions start again
/// when the context has grown by a quarter, or when the entries after the breaker have half of the limit's
/// tokens.
inline constexpr std::string_view breaker_type = "sessionkit.compaction_breaker";

/// Who speaks in an entry. `other` means the host, an extension or the summary of a branch. Such text is sent
/// as the user's.
enum class Voice : std::uint8_t { silent, user, answer, result, other };
Voice voice_of(Entry const& entry) noexcept;

}}}
