// SPDX-License-Identifier: MIT
// Reads and writes times in RFC 3339, and reads the system's clock.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/time.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 {

namespace time_inl { namespace {

constexpr std::int64_t time_ms_per_day = 86'400'000;

struct CivilDay {
  std::int64_t year;
  int month, day;
};

/// Days since 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so that the leap
/// day is the last of its year, in eras of 400 years.
constexpr std::int64_t time_days_of(CivilDay const& civil) noexcept {
  std::int64_t const year = civil.month <= 2 ? civil.year - 1 : civil.year;
  std::int64_t const era = (year >= 0 ? year : year - 399) / 400;
  std::int64_t const year_of_era = year - era * 400;
  std::int64_t const day_of_year = (153 * (civil.month + (civil.month > 2 ? -3 : 9)) + 2) / 5 + civil.day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

constexpr CivilDay time_civil_of(std::int64_t days) noexcept {
  days += 719'468;
  std::int64_t const era = (days >= 0 ? days : days - 146'096) / 146'097;
  std::int64_t const day_of_era = days - era * 146'097;
  std::int64_t const year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  std::int64_t const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  std::int64_t const month_from_march = (5 * day_of_year + 2) / 153;
  auto const day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  auto const month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr int time_days_in(std::int64_t year, int month) noexcept {
  bool const leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month == 2) return leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// Writes a number with at least `width` digits, and returns where it ends.
char* time_put(char* to, std::int64_t value, int width) noexcept {
  char digits[20];
  char* const end = digits + sizeof digits;
  char* begin = end;
  for (; value != 0 || width > 0; value /= 10, --width) *--begin = static_cast<char>('0' + value % 10);
  return std::copy(begin, end, to);
}

/// Reads text from its front; a step that does not fit leaves it as it is.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) noexcept : text_(text) {}

  bool at_end() const noexcept { return text_.empty(); }
  bool take(char c) noexcept {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_one_of(std::string_view letters) noexcept {
    return std::any_of(letters.begin(), letters.end(), [this](char c) { return take(c); });
  }
  /// Exactly `Width` digits, at least `least` and at most `most`.
  template <std::size_t Width> std::optional<int> number(int least, int most) noexcept {
    if (text_.size() < Width) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < Width; ++i) {
      char const c = text_[i];
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    if (value < least || value > most) return std::nullopt;
    text_.remove_prefix(Width);
    return value;
  }
  /// Any number of digits after a point; digits finer than a millisecond are cut off.
  std::optional<int> milliseconds() noexcept {
    if (!take('.')) return 0;
    int value = 0;
    std::size_t count = 0;
    for (; auto const digit = number<1>(0, 9); ++count)
      if (count < 3) value = value * 10 + *digit;
    if (count == 0) return std::nullopt;
    for (; count < 3; ++count) value *= 10;
    return value;
  }

 private:
  std::string_view text_;
};

/// Four digits, or a sign and six (ECMA-262, expanded years; there is no -000000).
std::optional<std::int64_t> time_read_year(TimeReader& in) noexcept {
  bool const minus = in.take('-');
  if (!minus && !in.take('+')) return in.number<4>(0, 9999);
  auto const year = in.number<6>(minus ? 1 : 0, 999'999);
  if (!year) return std::nullopt;
  return minus ? -*year : *year;
}

std::optional<std::int64_t> time_read_day(TimeReader& in) noexcept {
  auto const year = time_read_year(in);
  if (!year || !in.take('-')) return std::nullopt;
  auto const month = in.number<2>(1, 12);
  if (!month || !in.take('-')) return std::nullopt;
  auto const day = in.number<2>(1, time_days_in(*year, *month));
  if (!day) return std::nullopt;
  return time_days_of({*year, *month, *day});
}

/// Milliseconds since midnight; second 60 is a leap second and reads as the next minute's first.
std::optional<std::int64_t> time_read_clock(TimeReader& in) noexcept {
  auto const hour = in.number<2>(0, 23);
  if (!hour || !in.take(':')) return std::nullopt;
  auto const minute = in.number<2>(0, 59);
  if (!minute || !in.take(':')) return std::nullopt;
  auto const second = in.number<2>(0, 60);
  if (!second) return std::nullopt;
  auto const ms = in.milliseconds();
  if (!ms) return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + *second) * std::int64_t{1000} + *ms;
}

/// `Z`, `+hh:mm`, `+hhmm`, `+hh` or nothing, in milliseconds ahead of UTC.
std::optional<std::int64_t> time_read_offset(TimeReader& in) noexcept {
  if (in.at_end() || in.take_one_of("Zz")) return 0;
  bool const west = in.take('-');
  if (!west && !in.take('+')) return std::nullopt;
  auto const hours = in.number<2>(0, 23);
  if (!hours) return std::nullopt;
  std::optional<int> minutes = 0;
  if (in.take(':') || !in.at_end()) minutes = in.number<2>(0, 59);
  if (!minutes) return std::nullopt;
  std::int64_t const offset = (*hours * 60 + *minutes) * std::int64_t{60'000};
  return west ? -offset : offset;
}

}}

Timestamp system_now() noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

std::string to_rfc3339(Timestamp at) {
  std::int64_t const ms = to_unix_ms(at);
  std::int64_t const days = ms / time_inl::time_ms_per_day - (ms % time_inl::time_ms_per_day < 0 ? 1 : 0);
  std::int64_t const of_day =
      (ms % time_inl::time_ms_per_day + time_inl::time_ms_per_day) % time_inl::time_ms_per_day;
  time_inl::CivilDay const civil = time_inl::time_civil_of(days);
  bool const four_digits = civil.year >= 0 && civil.year <= 9999;

  char text[sizeof "+292278994-08-17T07:12:55.807Z"]; // the longest time
  char* to = text;
  if (!four_digits) *to++ = civil.year < 0 ? '-' : '+';
  to = time_inl::time_put(to, civil.year < 0 ? -civil.year : civil.year, four_digits ? 4 : 6);
  struct Field {
    char before;
    std::int64_t value;
    int width;
  };
  for (Field const& field : {Field{'-', civil.month, 2}, Field{'-', civil.day, 2},
                             Field{'T', of_day / 3'600'000, 2}, Field{':', of_day / 60'000 % 60, 2},
                             Field{':', of_day / 1000 % 60, 2}, Field{'.', of_day % 1000, 3}}) {
    *to++ = field.before;
    to = time_inl::time_put(to, field.value, field.width);
  }
  *to++ = 'Z';
  return {text, to};
}

Result<Timestamp> parse_rfc3339(std::string_view text) {
  time_inl::TimeReader in(text);
  auto const day = time_inl::time_read_day(in);
  if (day && in.take_one_of("Tt ")) {
    auto const clock = time_inl::time_read_clock(in);
    auto const offset = clock ? time_inl::time_read_offset(in) : std::nullopt;
    if (offset && in.at_end()) return from_unix_ms(*day * time_inl::time_ms_per_day + *clock - *offset);
  }
  return detail::make_error(Errc::invalid_argument, "not a time: {}; write it as 2025-11-03T08:00:01.807Z",
                            detail::printable(text, 64));
}

}}
