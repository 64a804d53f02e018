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

/// Where "now" comes from. Absent in options: the system clock.
using Clock = std::function<Timestamp()>;

/// The system clock's time now.
SESSIONKIT_API Timestamp system_now() noexcept;

/// `2025-11-03T08:00:01.807Z`: RFC 3339, UTC, always three digits of milliseconds (as JavaScript's
/// toISOString).
SESSIONKIT_API std::string to_rfc3339(Timestamp);

/// Reads RFC 3339 and the near forms other programs write: any number of fraction digits, `Z`, an offset, or
/// none (read as UTC). `invalid_argument` for anything else.
SESSIONKIT_API Result<Timestamp> parse_rfc3339(std::string_view text);

/// Milliseconds since 1970, negative before.
inline std::int64_t to_unix_ms(Timestamp at) noexcept { return at.time_since_epoch().count(); }
/// The other way round.
inline Timestamp from_unix_ms(std::int64_t ms) noexcept { return Timestamp(std::chrono::milliseconds(ms)); }

}}
