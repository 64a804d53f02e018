// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_info.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace sessionkit { inline namespace v0 {

/// When the newest session of a key is too old to be continued, by OpenClaw's rules, so that a new session
/// begins. Each of the two rules alone ends a session.
struct FreshnessRule {
  std::optional<int> daily_at_hour =
      4; ///< the hour of the local day, 0 to 23, at which sessions end; absent: no such hour
  std::chrono::minutes idle{0}; ///< the time without interaction after which a session ends; 0: no such time
};

/// The known times of a session. Times that are absent, before 1970 or later than now count as unknown.
struct SessionTimes {
  std::optional<Timestamp> updated = {};
  std::optional<Timestamp> started = {};          ///< unknown: `updated`
  std::optional<Timestamp> last_interaction = {}; ///< unknown: `started`
};
/// The times that a store knows. The last entry of any kind counts as an interaction.
SESSIONKIT_API SessionTimes times_of(SessionInfo const& info);

/// Whether a session is continued, and until when.
struct Freshness {
  bool fresh = true;
  std::optional<Timestamp> daily_reset = {};  ///< a session that began before this is stale
  std::optional<Timestamp> idle_expires = {}; ///< after this it is stale
};

/// Returns local time minus UTC at a moment. If absent, days are those of UTC.
using UtcOffset = std::function<std::chrono::minutes(Timestamp)>;

/// Decides whether a session is continued. Pure: the host passes the time and its zone. If a clock change
/// skips or repeats the hour, the offset before the change is used.
SESSIONKIT_API Freshness freshness_of(SessionTimes const& times, FreshnessRule const& rule, Timestamp now,
                                      UtcOffset const& offset = {});

}}
