// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_info.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace sessionkit { inline namespace v0 {

/// OpenClaw's two rules for the end of a session. If the newest session of a key is too old by one of these
/// rules, the host begins a new session.
struct FreshnessRule {
  /// The hour of the local day, 0 to 23, at which sessions end. If absent, no hour ends sessions.
  std::optional<int> daily_at_hour = 4;
  /// A session ends after this time without interaction. 0: a session never ends for this reason.
  std::chrono::minutes idle{0};
};

/// The known times of a session. A time counts as unknown if it is absent, before 1970, or later than now.
struct SessionTimes {
  std::optional<Timestamp> updated = {};          ///< the time of the last entry of any kind
  std::optional<Timestamp> started = {};          ///< if unknown, `updated` is used
  std::optional<Timestamp> last_interaction = {}; ///< if unknown, `started` is used
};
/// Returns the times that a store knows. An entry of any kind counts as an interaction.
SESSIONKIT_API SessionTimes times_of(SessionInfo const& info);

/// The decision whether a session is continued, and until when.
struct Freshness {
  bool fresh = true;                          ///< false: the host should begin a new session
  std::optional<Timestamp> daily_reset = {};  ///< a session that began before this time is not fresh
  std::optional<Timestamp> idle_expires = {}; ///< after this time the session is not fresh
};

/// A function that returns local time minus UTC at a moment. If it is absent, days are those of UTC.
using UtcOffset = std::function<std::chrono::minutes(Timestamp)>;

/// Decides whether a session is continued. This is a pure function: the host passes the present time and the
/// offset of its time zone. If daylight saving time skips or repeats the hour `daily_at_hour`, the offset
/// before the change is used.
SESSIONKIT_API Freshness freshness_of(SessionTimes const& times, FreshnessRule const& rule, Timestamp now,
                                      UtcOffset const& offset = {});

}}
