// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>

#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Who speaks in an entry. `other` means the host, an extension or the summary of a branch. Such text is sent
/// as the user's.
enum class Voice : std::uint8_t { silent, user, answer, result, other };
Voice voice_of(Entry const& entry) noexcept;

}}}
