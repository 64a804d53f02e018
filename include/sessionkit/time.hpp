// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

/// A time in milliseconds since 1970, UTC. The order of entries in a log is by position, never by time.
using Timestamp = std::chrono::time_point<std::chrono::system_clock, std::chrono::milliseconds>;

/// A function that returns the present time. If options have no clock, the system clock is used.
using Clock = std::function<Timestamp()>;

/// Returns the present time of the system clock.
SESSIONKIT_API Timestamp system_now() noexcept;

/// Writes a time as `2025-11-03T08:00:01.807Z`: RFC 3339 in UTC, always with three digits of milliseconds. A
/// year outside 0 to 9999 has a sign and six digits. JavaScript's `toISOString` writes the same.
SESSIONKIT_API std::string to_rfc3339(Timestamp);

/// Reads RFC 3339 and similar forms that other programs write. A time may have any number of fraction digits.
/// It may end in `Z` or in an offset; if it ends in neither, it is UTC. Fails with `invalid_argument` for any
/// other text.
SESSIONKIT_API Result<Timestamp> parse_rfc3339(std::string_view text);

/// Returns milliseconds since 1970; a time before 1970 is negative.
inline std::int64_t to_unix_ms(Timestamp at) noexcept { return at.time_since_epoch().count(); }
/// Returns the time that is this number of milliseconds after 1970; a negative number gives a time before
/// 1970.
inline Timestamp from_unix_ms(std::int64_t ms) noexcept { return Timestamp(std::chrono::milliseconds(ms)); }

}}
