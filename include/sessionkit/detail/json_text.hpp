// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json_check.hpp>
#include <sessionkit/detail/json_scan.hpp>
#include <sessionkit/detail/utf8.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// JSON strings to text and back.
namespace sessionkit { inline namespace v0 { namespace detail {

/// The first byte that is not copied as it is: quote, backslash, below 0x20, or from 0x80.
inline char const* plain_end_scalar(char const* p, char const* end) noexcept {
  while (p != end && *p != '"' && *p != '\\' && byte_of(*p) >= 0x20 && byte_of(*p) < 0x80) ++p;
  return p;
}

inline char const* plain_end(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
  __m128i const quote = _mm_set1_epi8('"');
  __m128i const backslash = _mm_set1_epi8('\\');
  __m128i const space = _mm_set1_epi8(0x20);
  for (; end - p >= 16; p += 16) {
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    // As signed bytes, those from 0x80 are below 0x20 too.
    __m128i const stops =
        _mm_or_si128(_mm_cmplt_epi8(block, space),
                     _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#endif
  return plain_end_scalar(p, end);
}

/// Appends what the escape at `p` means, and answers where it ends. What is no escape is kept as it is.
inline char const* append_unescaped_one(std::string& out, char const* p, char const* end) {
  if (end - p >= 2 && short_escape(p[1]) != '\0') {
    out.push_back(short_escape(p[1]));
    return p + 2;
  }
  std::int32_t const first = unicode_escape(p, end);
  if (first < 0) {
    out.push_back(*p);
    return p + 1;
  }
  p += 6;
  auto unit = static_cast<std::uint32_t>(first);
  std::int32_t const second = is_high_surrogate(unit) ? unicode_escape(p, end) : -1;
  if (second >= 0 && is_low_surrogate(static_cast<std::uint32_t>(second))) {
    unit = join_surrogates(unit, static_cast<std::uint32_t>(second));
    p += 6;
  }
  append_utf8(out, unit);
  return p;
}

/// Appends the text of a JSON string given without its quotes: a lone surrogate escape in its WTF-8 form,
/// invalid UTF-8 bytes as U+FFFD.
inline void append_unescaped(std::string& out, std::string_view between_quotes) {
  char const* p = between_quotes.data();
  char const* const end = p + between_quotes.size();
  char const* run = p;
  while ((p = plain_end(p, end)) != end) {
    if (*p == '\\') {
      out.append(run, p);
      run = p = append_unescaped_one(out, p, end);
      continue;
    }
    Utf8Step const step = utf8_step(p, end);
    if (!step.valid) {
      out.append(run, p);
      out.append(replacement_character);
      run = p + step.length;
    }
    p += step.length;
  }
  out.append(run, p);
}

/// The text of a raw JSON string; empty when `raw` is not a string.
inline std::string to_text(std::string_view raw_string) {
  std::string text;
  if (raw_string.size() >= 2 && raw_string.front() == '"' && raw_string.back() == '"')
    append_unescaped(text, raw_string.substr(1, raw_string.size() - 2));
  return text;
}

inline std::optional<bool> to_bool(std::string_view raw) noexcept {
  if (raw == "true") return true;
  if (raw == "false") return false;
  return std::nullopt;
}

/// Whether a key as `for_members` gives it is `name`.
inline bool key_is(std::string_view raw_key, std::string_view name) {
  if (raw_key.find('\\') == std::string_view::npos) return raw_key == name;
  std::string text;
  append_unescaped(text, raw_key);
  return text == name;
}

/// The value of the last member of that name, as JavaScript reads it; empty when there is none, or no
/// complete object.
inline std::string_view find_member(std::string_view object, std::string_view name) {
  std::string_view found;
  bool const complete = for_members(object, [&](std::string_view key, std::string_view value) {
    if (key_is(key, name)) found = value;
    return true;
  });
  return complete ? found : std::string_view();
}

inline void append_unicode_escape(std::string& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  out.append("\\u");
  for (unsigned shift = 16; shift != 0; shift -= 4) out.push_back(digits[unit >> (shift - 4) & 0xF]);
}

/// Appends the byte or sequence at `p` that cannot be copied as it is, and answers where it ends.
inline char const* append_escaped_one(std::string& out, char const* p, char const* end) {
  constexpr std::string_view letters = "\"\\\b\f\n\r\t";
  if (byte_of(*p) < 0x80) {
    auto const letter = letters.find(*p);
    if (letter == std::string_view::npos)
      append_unicode_escape(out, byte_of(*p));
    else
      out.append({'\\', "\"\\bfnrt"[letter]});
    return p + 1;
  }
  Surrogates const found = surrogates_at(p, end);
  if (found.length == 3)
    append_unicode_escape(out, found.code_point);
  else
    append_utf8(out, found.length == 6 ? found.code_point : 0xFFFD);
  return p + (found.length != 0 ? found.length : utf8_step(p, end).length);
}

/// Appends the text as a JSON string, quotes included, as JavaScript's JSON.stringify writes it: a lone
/// surrogate as its escape, other characters raw. Invalid bytes become U+FFFD.
inline void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  char const* p = text.data();
  char const* const end = p + text.size();
  char const* run = p;
  while ((p = plain_end(p, end)) != end) {
    Utf8Step const step = byte_of(*p) < 0x80 ? Utf8Step{1, false} : utf8_step(p, end);
    if (step.valid) {
      p += step.length;
      continue;
    }
    out.append(run, p);
    run = p = append_escaped_one(out, p, end);
  }
  out.append(run, p);
  out.push_back('"');
}

}}}
