// SPDX-License-Identifier: MIT
// Decides whether the newest session of a key is continued.
#pragma once
#include <sessionkit/freshness.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 {

namespace freshness_inl { namespace {

using LocalDays = std::chrono::duration<std::int64_t, std::ratio<86400>>;

// The moment (in UTC) at which the local clock shows this hour on this day. The offset from UTC at that
// moment is not known yet, so the offset of 24 hours earlier is tried first. The moment is then computed once
// more, with the offset that the first result has. Once is enough, because the clock changes at most once in
// 24 hours. If the second result does not fit its own offset, the first one counts.
Timestamp moment_of(LocalDays day, int hour, UtcOffset const& offset) {
  Timestamp const local(std::chrono::milliseconds(day) + std::chrono::hours(hour));
  Timestamp const before = local - offset(local - std::chrono::hours(24));
  Timestamp const corrected = local - offset(before);
  return corrected + offset(corrected) == local ? corrected : before;
}

// The last time that the clock showed this hour.
Timestamp last_reset(int hour, Timestamp now, UtcOffset const& offset) {
  auto const local = (now + offset(now)).time_since_epoch();
  LocalDays day = std::chrono::duration_cast<LocalDays>(local);
  if (day > local) --day; // before 1970
  Timestamp const today = moment_of(day, hour, offset);
  return now < today ? moment_of(day - LocalDays(1), hour, offset) : today;
}

std::optional<Timestamp> known_time(std::optional<Timestamp> const& at, Timestamp now) {
  return at && *at >= Timestamp{} && *at <= now ? at : std::nullopt;
}

}}

SessionTimes times_of(SessionInfo const& info) {
  auto const known = [](Timestamp at) { return at == Timestamp{} ? std::nullopt : std::optional(at); };
  return {known(info.updated), known(info.created), known(info.updated)};
}

Freshness freshness_of(SessionTimes const& times, FreshnessRule const& rule, Timestamp now,
                       UtcOffset const& offset) {
  Timestamp const updated = freshness_inl::known_time(times.updated, now).value_or(Timestamp{});
  Timestamp const started = freshness_inl::known_time(times.started, now).value_or(updated);
  Freshness answer;
  if (rule.daily_at_hour) {
    UtcOffset const zone = offset ? offset : [](Timestamp) { return std::chrono::minutes(0); };
    answer.daily_reset = freshness_inl::last_reset(std::clamp(*rule.daily_at_hour, 0, 23), now, zone);
    answer.fresh = started >= *answer.daily_reset;
  }
  if (rule.idle.count() > 0) {
    answer.idle_expires =
        freshness_inl::known_time(times.last_interaction, now).value_or(started) + rule.idle;
    answer.fresh = answer.fresh && now <= *answer.idle_expires;
  }
  return answer;
}

}}
