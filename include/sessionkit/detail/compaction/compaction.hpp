// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Type of the `custom` entry that stops those compactions whose reason is size. They begin again when the
/// context has grown by a quarter, or what was said since is half of the limit.
inline constexpr std::string_view breaker_type = "sessionkit.compaction_breaker";

/// Who speaks in an entry. `other`: hosts, extensions and branches; their text is sent as the user's.
enum class Voice : std::uint8_t { silent, user, answer, result, other };
Voice voice_of(Entry const& entry) noexcept;

}}}
