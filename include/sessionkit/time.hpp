// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// Milliseconds UTC since 1970. Order in a log is by position, never by time.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// Returns the present time. If options name no clock, the system clock is used.
using Clock = std::function<Timestamp()>;

/// The system clock's time now.
SESSIONKIT_API Timestamp system_now() noexcept;

/// `2025-11-03T08:00:01.807Z`: RFC 3339, UTC, always three digits of milliseconds (as JavaScript's
/// toISOString).
SESSIONKIT_API std::string to_rfc3339(Timestamp);

/// Reads RFC 3339 and similar forms that other programs write. A time may have any number of fraction digits.
/// It ends in `Z`, in an offset, or in neither; then it is UTC. `invalid_argument` for anything else.
SESSIONKIT_API Result<Timestamp> parse_rfc3339(std::string_view text);

/// Milliseconds since 1970, negative before.
inline std::int64_t to_unix_ms(Timestamp at) noexcept { return at.time_since_epoch().count(); }
/// The time that is so many milliseconds after 1970; negative: before.
inline Timestamp from_unix_ms(std::int64_t ms) noexcept { return Timestamp(std::chrono::milliseconds(ms)); }

}}
