// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/session_info.hpp>
#include <sessionkit/time.hpp>

#include <chrono>
#include <functional>
#include <optional>

namespace sessionkit { inline namespace v0 {

/// When a key stops answering with its newest session and begins a new one, as OpenClaw decides it. The first
/// of the two that applies ends the session.
struct FreshnessRule {
  std::optional<int> daily_at_hour = 4; ///< of the local day, 0 to 23; absent: not by the day
  std::chrono::minutes idle{0};         ///< since the last interaction; 0: not by idleness
};

/// The known times of a session. Times that are absent, before 1970 or later than now count as unknown.
struct SessionTimes {
  std::optional<Timestamp> updated = {};
  std::optional<Timestamp> started = {};          ///< unknown: `updated`
  std::optional<Timestamp> last_interaction = {}; ///< unknown: `started`
};
/// The times as a store knows them; any last entry counts as an interaction.
SESSIONKIT_API SessionTimes times_of(SessionInfo const& info);

/// Whether a session still answers, and until when.
struct Freshness {
  bool fresh = true;
  std::optional<Timestamp> daily_reset = {};  ///< a session that began before this is stale
  std::optional<Timestamp> idle_expires = {}; ///< after this it is stale
};

/// Local time minus UTC at a moment. Absent: the day is that of UTC.
using UtcOffset = std::function<std::chrono::minutes(Timestamp)>;

/// Whether the session still answers. Pure: the host brings the time and its zone. An hour that a clock
/// change skips or repeats is taken as it was before the change.
SESSIONKIT_API Freshness freshness_of(SessionTimes const& times, FreshnessRule const& rule, Timestamp now,
                                      UtcOffset const& offset = {});

}}
