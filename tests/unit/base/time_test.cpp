// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/time.hpp>

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>

using namespace sessionkit;
using sessionkit_test::contains;

namespace {

std::int64_t ms_of(std::string const& text) { return to_unix_ms(parse_rfc3339(text).value()); }

/// By the C library.
std::string slow_rfc3339(std::int64_t seconds, int ms) {
  auto const at = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ms);
  return text;
}

}

TEST_CASE("times are written as JavaScript writes them") {
  CHECK(to_rfc3339(from_unix_ms(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(to_rfc3339(from_unix_ms(1762156801807)) == "2025-11-03T08:00:01.807Z");
  CHECK(to_rfc3339(from_unix_ms(-1)) == "1969-12-31T23:59:59.999Z");
  CHECK(to_rfc3339(from_unix_ms(253402300799999)) == "9999-12-31T23:59:59.999Z");
  CHECK(to_rfc3339(from_unix_ms(253402300800000)) == "+010000-01-01T00:00:00.000Z");
  CHECK(to_rfc3339(from_unix_ms(-62167219200000)) == "0000-01-01T00:00:00.000Z");
  CHECK(to_rfc3339(from_unix_ms(-62167219200001)) == "-000001-12-31T23:59:59.999Z");
  CHECK(to_rfc3339(from_unix_ms(8640000000000000)) == "+275760-09-13T00:00:00.000Z"); // JavaScript's last
  CHECK(to_rfc3339(from_unix_ms(-8640000000000000)) == "-271821-04-20T00:00:00.000Z");
}

TEST_CASE("every time that fits in a timestamp can be written") {
  CHECK(to_rfc3339(from_unix_ms(std::numeric_limits<std::int64_t>::max()))
        == "+292278994-08-17T07:12:55.807Z");
  CHECK(to_rfc3339(from_unix_ms(std::numeric_limits<std::int64_t>::min()))
        == "-292275055-05-16T16:47:04.192Z");
}

TEST_CASE("times agree with the C library's calendar and are read back") {
  constexpr std::uint64_t seed = 1970;
  CAPTURE(seed);
  sessionkit_test::Random random(seed);
  constexpr std::int64_t first = -62'167'219'200, last = 253'402'300'799; // years 0 to 9999
  for (int i = 0; i < 100'000; ++i) {
    std::int64_t const seconds = first + static_cast<std::int64_t>(random.below(last - first + 1));
    auto const ms = static_cast<int>(random.below(1000));
    std::string const expected = slow_rfc3339(seconds, ms);
    if (to_rfc3339(from_unix_ms(seconds * 1000 + ms)) != expected || ms_of(expected) != seconds * 1000 + ms) {
      REQUIRE(to_rfc3339(from_unix_ms(seconds * 1000 + ms)) == expected);
      REQUIRE(ms_of(expected) == seconds * 1000 + ms);
    }
  }
}

TEST_CASE("every day from 1800 to 2200 is the day after the one before") {
  std::int64_t const from = ms_of("1800-01-01T00:00:00Z");
  for (std::int64_t day = 0; day < 146'097; ++day) {
    std::int64_t const ms = from + day * 86'400'000;
    REQUIRE(to_rfc3339(from_unix_ms(ms)) == slow_rfc3339(ms / 1000, 0));
    REQUIRE(ms_of(to_rfc3339(from_unix_ms(ms))) == ms);
  }
}

TEST_CASE("near forms of RFC 3339 that other programs write are read") {
  constexpr std::int64_t at = 1762156801807;
  for (std::string const text :
       {"2025-11-03T08:00:01.807Z", "2025-11-03t08:00:01.807z", "2025-11-03 08:00:01.807Z",
        "2025-11-03T08:00:01.807", "2025-11-03T08:00:01.807+00:00", "2025-11-03T08:00:01.807-00:00",
        "2025-11-03T10:30:01.807+02:30", "2025-11-02T23:00:01.807-09:00", "2025-11-03T08:00:01.807999999Z",
        "2025-11-03T09:00:01.807+0100", "2025-11-03 09:00:01.807000+01", "+002025-11-03T08:00:01.807Z",
        "2025-11-03T08:00:01.8070000000000000000000001Z"}) {
    CAPTURE(text);
    CHECK(ms_of(text) == at);
  }
  CHECK(ms_of("2025-11-03T08:00:01Z") == at - 807);
  CHECK(ms_of("2025-11-03T08:00:01.8Z") == at - 7);
  CHECK(ms_of("1969-12-31T23:59:59.9999Z") == -1);
  CHECK(ms_of("2016-12-31T23:59:60Z") == ms_of("2017-01-01T00:00:00Z")); // a leap second
  CHECK(ms_of("-000001-12-31T23:59:59.999Z") == -62167219200001);
}

TEST_CASE("leap days exist in leap years only") {
  CHECK(parse_rfc3339("2000-02-29T00:00:00Z"));
  CHECK(parse_rfc3339("2024-02-29T00:00:00Z"));
  CHECK_FALSE(parse_rfc3339("1900-02-29T00:00:00Z"));
  CHECK_FALSE(parse_rfc3339("2023-02-29T00:00:00Z"));
}

TEST_CASE("an invalid time is refused with the fix") {
  for (std::string const text : {"",
                                 "now",
                                 "2025-11-03",
                                 "2025-11-03T08:00Z",
                                 "2025-13-03T08:00:01Z",
                                 "2025-00-03T08:00:01Z",
                                 "2025-11-31T08:00:01Z",
                                 "2025-11-00T08:00:01Z",
                                 "2025-11-03T24:00:00Z",
                                 "2025-11-03T08:60:01Z",
                                 "2025-11-03T08:00:61Z",
                                 "2025-11-03T08:00:01.Z",
                                 "2025-11-03T08:00:01,5Z",
                                 "2025-11-03T08:00:01ZZ",
                                 "2025-11-03T08:00:01 Z",
                                 "2025-11-03T08:00:01+",
                                 "25-11-03T08:00:01Z",
                                 "2025-11-03T08:00:01+24:00",
                                 "2025-11-03T08:00:01+01:60",
                                 "2025-11-03T08:00:01+1",
                                 "2025-11-03T08:00:01+01:",
                                 "2025/11/03T08:00:01Z",
                                 "1762156801807",
                                 " 2025-11-03T08:00:01Z",
                                 "-000000-01-01T00:00:00Z",
                                 "2025-1-03T08:00:01Z",
                                 "2025-11-03X08:00:01Z",
                                 "+20251-11-03T08:00:01Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_rfc3339(text));
  }
  CHECK(parse_rfc3339("now").error().code == Errc::invalid_argument);
  CHECK_THAT(parse_rfc3339("now").error().message, contains("\"now\""));
  CHECK_THAT(parse_rfc3339("now").error().message, contains("write it as 2025-11-03T08:00:01.807Z"));
  CHECK(parse_rfc3339(std::string(100'000, '9')).error().message.size() < 200);
}

TEST_CASE("the system clock is later than this file and has whole milliseconds") {
  CHECK(system_now() > parse_rfc3339("2025-01-01T00:00:00Z").value());
  CHECK(system_now() <= std::chrono::system_clock::now());
}
