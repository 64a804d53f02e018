// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <sstream>
#include <vector>

namespace cli {

namespace {

struct CodePoint {
  std::size_t length = 0; ///< bytes; 0: the bytes here are not UTF-8
  char32_t value = 0;
};

CodePoint decode(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char const first = byte(0);
  if (first < 0x80) return {1, first};
  std::size_t const length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  bool const overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  bool const surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {length, value};
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }
bool turns_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E)
         || (c >= 0x2066 && c <= 0x2069);
}
std::string visible(char32_t c) {
  auto const value = static_cast<std::uint32_t>(c);
  return value < 0x100 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
}
bool is_zero_width(char32_t c) {
  return (c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F);
}
bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3)
         || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60)
         || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

/// Calls `each(bytes, code point)`, with length 0 for a byte that is not UTF-8.
template <class F> void for_code_points(std::string_view text, F&& each) {
  while (!text.empty()) {
    CodePoint const c = decode(text);
    std::size_t const length = std::max<std::size_t>(c.length, 1);
    if (!each(text.substr(0, length), c)) return;
    text.remove_prefix(length);
  }
}

}

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
  std::optional<std::size_t> bad;
  for_code_points(text, [&](std::string_view bytes, CodePoint c) {
    if (c.length == 0) bad = static_cast<std::size_t>(bytes.data() - text.data());
    return !bad;
  });
  return bad;
}

std::string neutral(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_code_points(text, [&](std::string_view bytes, CodePoint c) {
    if (c.length == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    else if ((is_control(c.value) && c.value != '\n' && c.value != '\t') || turns_direction(c.value))
      out += visible(c.value);
    else
      out += bytes;
    return true;
  });
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_code_points(text, [&](std::string_view bytes, CodePoint c) {
    out += c.length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes;
    return true;
  });
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for_code_points(text, [&](std::string_view bytes, CodePoint c) {
    bool const splits = is_control(c.value) || c.value == 0x2028 || c.value == 0x2029;
    out += c.length != 0 && splits ? " " : bytes;
    return true;
  });
  return out;
}

std::string in_single_quotes(std::string_view text) {
  std::string all;
  for (char const c : text) all += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return all;
}

std::string shell_word(std::string const& word) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:@%+,";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  return "'" + in_single_quotes(word) + "'";
}

std::string unix_lines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for_code_points(text, [&](std::string_view, CodePoint c) {
    sum += is_zero_width(c.value) ? 0U : is_wide(c.value) ? 2U : 1U;
    return true;
  });
  return sum;
}

std::string cut(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  std::string out;
  std::size_t used = 1; // by the ellipsis
  for_code_points(text, [&](std::string_view bytes, CodePoint) {
    used += columns(bytes);
    if (used > most) return false;
    out += bytes;
    return true;
  });
  return out + "…";
}

std::size_t fitting(std::string_view text, std::size_t most) {
  std::size_t used = 0, length = 0, word_end = 0;
  bool fits = true;
  for_code_points(text, [&](std::string_view bytes, CodePoint) {
    used += columns(bytes);
    fits = used <= most || length == 0;
    if (!fits) return false;
    if (bytes == " ") word_end = length;
    length += bytes.size();
    return true;
  });
  bool const between_words = fits || (length < text.size() && text[length] == ' ') || word_end == 0;
  return between_words ? length : word_end;
}

std::string cut_front(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  std::vector<std::string_view> points;
  for_code_points(text, [&](std::string_view bytes, CodePoint) {
    points.push_back(bytes);
    return true;
  });
  std::size_t used = 1, from = points.size(); // 1: the ellipsis
  while (from > 0 && used + columns(points[from - 1]) <= most) used += columns(points[--from]);
  std::string out = "…";
  for (; from < points.size(); ++from) out += points[from];
  return out;
}

std::string wrapped(std::string const& text, std::size_t indent, std::size_t most) {
  std::istringstream words(text);
  std::string out;
  std::size_t used = indent;
  for (std::string word; words >> word; used += columns(word)) {
    if (!out.empty() && used + 1 + columns(word) > most) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++used;
    }
    out += word;
  }
  return out;
}

namespace {

std::tm local_time(sessionkit::Timestamp at) {
  std::time_t const seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
#if defined(_WIN32)
  localtime_s(&parts, &seconds);
#else
  localtime_r(&seconds, &parts);
#endif
  return parts;
}

char const* month_of(std::tm const& parts) {
  constexpr char const* names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return names[parts.tm_mon];
}

}

std::string date_of(sessionkit::Timestamp at) {
  auto const then = local_time(at);
  return fmt::format("{} {} {}", month_of(then), then.tm_mday, then.tm_year + 1900);
}

std::string time_of_day(sessionkit::Timestamp at) {
  auto const then = local_time(at);
  return fmt::format("{:02}:{:02}", then.tm_hour, then.tm_min);
}

std::string moment(sessionkit::Timestamp at, sessionkit::Timestamp now) {
  if (at == sessionkit::Timestamp{}) return "-";
  auto const then = local_time(at), today = local_time(now);
  if (then.tm_year != today.tm_year) return date_of(at);
  if (then.tm_yday == today.tm_yday && at <= now + std::chrono::minutes(1)) return age(now - at);
  return fmt::format("{} {} {}", month_of(then), then.tm_mday, time_of_day(at));
}

std::string span(std::chrono::milliseconds length) {
  auto const seconds = length.count() / 1000;
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86400);
}

std::string progress_text(double done, double total, char const* of, std::chrono::milliseconds elapsed) {
  auto text = fmt::format("{:.0f} of {:.0f} {}", std::floor(done), total, of);
  if (done <= 0 || done >= total || elapsed < std::chrono::seconds(1)) return text;
  double const rate = done * 1000 / static_cast<double>(elapsed.count()); // a second
  auto const left =
      std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>((total - done) * 1000 / rate));
  text += rate < 10 ? fmt::format(", {:.1f}/s", rate)
                    : fmt::format(", {}/s", short_number(static_cast<std::uint64_t>(rate)));
  return text + fmt::format(", {} left", span(left + std::chrono::milliseconds(999)));
}

std::string age(std::chrono::milliseconds since) {
  auto const seconds = since.count() / 1000;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return fmt::format("{}m ago", seconds / 60);
  if (seconds < 86400) return fmt::format("{}h ago", seconds / 3600);
  return fmt::format("{}d ago", seconds / 86400);
}

std::string plural(std::uint64_t count, char const* one, char const* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string short_number(std::uint64_t number) {
  if (number < 1000) return fmt::format("{}", number);
  if (number < 1000000) return fmt::format("{:.1f}k", static_cast<double>(number) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(number) / 1e6);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  unsigned number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "ms") return std::chrono::milliseconds(number);
  if (unit == "s" || unit.empty()) return std::chrono::seconds(number);
  if (unit == "m") return std::chrono::minutes(number);
  if (unit == "h") return std::chrono::hours(number);
  if (unit == "d") return std::chrono::hours(24) * number;
  return std::nullopt;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t const replaced = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

namespace {

/// True if a mistyped word may be this name: two letters, or half of a short word, are wrong, or its end is
/// missing.
bool is_near(std::string const& word, std::string const& name) {
  return edit_distance(word, name) <= std::min<std::size_t>(2, word.size() / 2)
         || (word.size() >= 3 && name.compare(0, word.size(), word) == 0);
}

}

std::string nearest_option(std::string const& word, std::vector<std::string> const& names) {
  auto const bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::string found;
  std::size_t least = std::string::npos;
  for (auto const& name : names) {
    auto const distance = edit_distance(word, name);
    if (name.size() <= 2 || !is_near(bare, name.substr(2)) || distance >= least) continue;
    least = distance;
    found = name;
  }
  return found;
}

std::string no_such_option(std::string const& word, std::vector<std::string> const& names) {
  auto const name = word.substr(0, word.find('='));
  auto const nearest = nearest_option(name, names);
  return "there is no option " + name + (nearest.empty() ? "" : ": did you mean " + nearest + "?");
}

}
