// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/freshness.hpp>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>
#include <string>

namespace sk = sessionkit;
using namespace sessionkit_test;
using Json = nlohmann::json;

namespace {

// The rules of three zones in POSIX form, so that no zone files are needed.
class Zone {
 public:
  explicit Zone(std::string const& name) {
    set(name == "Europe/Berlin"      ? "CET-1CEST,M3.5.0,M10.5.0/3"
        : name == "America/New_York" ? "EST5EDT,M3.2.0,M11.1.0"
                                     : "UTC0");
  }
  ~Zone() { set(nullptr); }
  Zone(Zone const&) = delete;
  Zone& operator=(Zone const&) = delete;

  static std::chrono::minutes offset(sk::Timestamp at) {
    std::time_t const seconds = std::chrono::system_clock::to_time_t(at);
    std::tm local{};
    localtime_r(&seconds, &local);
    return std::chrono::minutes(local.tm_gmtoff / 60);
  }

 private:
  static void set(char const* rule) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread
    rule ? setenv("TZ", rule, 1) : unsetenv("TZ");
    tzset();
  }
};

std::optional<sk::Timestamp> time_in(Json const& entry, char const* name) {
  if (!entry.contains(name)) return std::nullopt;
  return sk::from_unix_ms(entry[name].get<std::int64_t>());
}

sk::Timestamp at(char const* text) { return sk::parse_rfc3339(text).value(); }

}

TEST_CASE("a session is fresh by day and by idle time as OpenClaw decides it, in three time zones") {
  Json const cases = Json::parse(read_file(data("openclaw/freshness.json")));
  REQUIRE(cases.size() == 120);
  for (Json const& one : cases) {
    CAPTURE(one.dump());
    Zone const zone(one["tz"]);
    Json const& policy = one["policy"];
    sk::FreshnessRule rule;
    if (policy["mode"] == "daily")
      rule.daily_at_hour = policy["atHour"].get<int>();
    else
      rule.daily_at_hour.reset();
    rule.idle = std::chrono::minutes(policy.value("idleMinutes", 0));
    Json const& entry = one["entry"];
    sk::SessionTimes const times{time_in(entry, "updatedAt"), time_in(entry, "sessionStartedAt"),
                                 time_in(entry, "lastInteractionAt")};
    auto const answer = sk::freshness_of(times, rule, *time_in(entry, "now"), Zone::offset);
    Json output{{"fresh", answer.fresh}};
    if (answer.daily_reset) output["dailyResetAt"] = sk::to_unix_ms(*answer.daily_reset);
    if (answer.idle_expires) output["idleExpiresAt"] = sk::to_unix_ms(*answer.idle_expires);
    CHECK(output == one["output"]);
  }
}

TEST_CASE("the day begins once if a clock change skips or repeats its hour") {
  Zone const zone("Europe/Berlin");
  sk::FreshnessRule rule;
  auto const reset = [&](int hour, char const* now) {
    rule.daily_at_hour = hour;
    return sk::to_rfc3339(*sk::freshness_of({}, rule, at(now), Zone::offset).daily_reset);
  };
  CHECK(reset(2, "2026-03-29T10:00:00Z") == "2026-03-29T01:00:00.000Z"); // 02:00 is skipped: 03:00
  CHECK(reset(4, "2026-03-29T10:00:00Z") == "2026-03-29T02:00:00.000Z");
  CHECK(reset(4, "2026-03-29T01:59:59Z") == "2026-03-28T03:00:00.000Z");
  CHECK(reset(2, "2026-10-25T10:00:00Z") == "2026-10-25T00:00:00.000Z"); // 02:00 comes twice: the first
  CHECK(reset(4, "2026-10-25T10:00:00Z") == "2026-10-25T03:00:00.000Z");
  CHECK(reset(4, "2026-10-25T02:59:59Z") == "2026-10-24T02:00:00.000Z");
  CHECK(reset(99, "2026-06-01T22:30:00Z") == "2026-06-01T21:00:00.000Z"); // hours end at 23
}

TEST_CASE("impossible times are unknown, and without any time the session is stale") {
  sk::Timestamp const now = at("2026-06-01T12:00:00Z");
  sk::FreshnessRule rule;
  rule.idle = std::chrono::minutes(30);
  CHECK_FALSE(sk::freshness_of({}, rule, now).fresh);
  sk::SessionTimes times;
  times.updated = now - std::chrono::minutes(10);
  times.started = now + std::chrono::hours(1);
  times.last_interaction = sk::from_unix_ms(-1);
  auto const answer = sk::freshness_of(times, rule, now);
  CHECK(answer.fresh);
  CHECK(answer.daily_reset == at("2026-06-01T04:00:00Z"));
  CHECK(answer.idle_expires == now + std::chrono::minutes(20));
  sk::SessionInfo info = sk::make_session_info(sk::SessionId::parse("s").value());
  CHECK_FALSE(sk::freshness_of(sk::times_of(info), rule, now).fresh);
  info.created = now - std::chrono::hours(1), info.updated = now - std::chrono::minutes(30);
  CHECK(sk::freshness_of(sk::times_of(info), rule, now).fresh);
  CHECK_FALSE(sk::freshness_of(sk::times_of(info), rule, now + std::chrono::milliseconds(1)).fresh);
}
