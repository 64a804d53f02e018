// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Text inside the library is UTF-8, except for lone surrogates. A lone surrogate comes from a JSON escape
/// such as `\ud83d` without its partner. It is stored as the three bytes that UTF-8 would give it (WTF-8: ED
/// A0..BF xx), so that it can be written again unchanged.
namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

constexpr unsigned byte_of(char c) noexcept { return static_cast<unsigned char>(c); }

/// Returns the place of the first byte >= 0x80, or `end` if there is none.
inline char const* ascii_end_scalar(char const* p, char const* end) noexcept {
  while (p != end && byte_of(*p) < 0x80) ++p;
  return p;
}

inline char const* ascii_end(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    auto const high = _mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<__m128i const*>(p)));
    if (high != 0) return p + __builtin_ctz(static_cast<unsigned>(high));
  }
#endif
  return ascii_end_scalar(p, end);
}

/// Returns the length of the valid sequence at `p`, or 0 if there is none. `p` must be before `end`.
/// Surrogates are invalid.
inline std::size_t utf8_length(char const* p, char const* end) noexcept {
  auto const continues = [p](int i) { return (byte_of(p[i]) & 0xC0) == 0x80; };
  unsigned const lead = byte_of(*p);
  if (lead < 0x80) return 1;
  auto const room = end - p;
  if (lead < 0xE0) return lead >= 0xC2 && room >= 2 && continues(1) ? 2 : 0;
  if (room < 3 || !continues(1) || !continues(2)) return 0;
  unsigned const first_bits =
      (lead & 0xF) << 6 | (byte_of(p[1]) & 0x3F); // the upper bits of the code point, from these two bytes
  if (lead < 0xF0) return first_bits >= 0x20 && (first_bits & 0x3E0) != 0x360 ? 3 : 0;
  return room >= 4 && continues(3) && lead <= 0xF4 && first_bits >= 0x10 && first_bits <= 0x10F ? 4 : 0;
}

/// One step of a decoder: the length of a valid sequence, or of the invalid bytes that one U+FFFD replaces.
/// The invalid bytes are Unicode's "maximal subpart", as in WHATWG's decoder, and contain no ASCII byte.
struct Utf8Step {
  std::size_t length;
  bool valid;
};

inline Utf8Step utf8_step(char const* p, char const* end) noexcept {
  if (std::size_t const length = utf8_length(p, end)) return {length, true};
  unsigned const lead = byte_of(*p);
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  // Some leads allow fewer second bytes, because the others would give an overlong form, a surrogate or a
  // value above U+10FFFF.
  unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  std::size_t length = 1;
  while (p + length != end && byte_of(p[length]) >= low && byte_of(p[length]) <= high) {
    ++length;
    low = 0x80;
    high = 0xBF;
  }
  return {length, false};
}

#if defined(__SSE2__)
/// True if the 15 bytes at `p` are five valid characters of three bytes. False also if a character begins
/// with E0 or ED, because these bytes allow only some second bytes. 16 bytes must be readable at `p`.
inline bool are_five_of_three(char const* p) noexcept {
  __m128i const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
  auto const is = [](__m128i block, int byte) {
    return _mm_cmpeq_epi8(block, _mm_set1_epi8(static_cast<char>(byte)));
  };
  __m128i const follows = _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(-0x40)));
  __m128i const leads =
      _mm_andnot_si128(_mm_or_si128(is(bytes, 0xE0), is(bytes, 0xED)),
                       is(_mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(-0x10))), 0xE0));
  constexpr int fifteen = 0x7FFF, first_of_three = 0x1249;
  return (_mm_movemask_epi8(leads) & fifteen) == first_of_three
         && (_mm_movemask_epi8(follows) & fifteen) == (fifteen & ~first_of_three);
}
#endif

/// True for strict UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
inline bool is_utf8(std::string_view text) noexcept {
  char const* p = text.data();
  char const* const end = p + text.size();
  while ((p = ascii_end(p, end)) != end) {
#if defined(__SSE2__)
    while (end - p >= 16 && are_five_of_three(p)) p += 15;
#endif
    do {
      std::size_t const length = utf8_length(p, end);
      if (length == 0) return false;
      p += length;
    } while (p != end && byte_of(*p) >= 0x80);
  }
  return true;
}

/// Writes one to four bytes and returns where they end. A surrogate becomes its three bytes of WTF-8. A value
/// above 0x10FFFF becomes U+FFFD.
inline char* encode_utf8(char* to, std::uint32_t code_point) noexcept {
  if (code_point > 0x10FFFF) code_point = 0xFFFD;
  auto const tail = [&](unsigned shift) { *to++ = static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    *to++ = static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    *to++ = static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    *to++ = static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    *to++ = static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
  return to;
}

inline void append_utf8(std::string& out, std::uint32_t code_point) {
  char bytes[4];
  out.append(bytes, encode_utf8(bytes, code_point));
}

constexpr bool is_high_surrogate(std::uint32_t unit) noexcept { return (unit & 0xFFFFFC00U) == 0xD800; }
constexpr bool is_low_surrogate(std::uint32_t unit) noexcept { return (unit & 0xFFFFFC00U) == 0xDC00; }
constexpr std::uint32_t join_surrogates(std::uint32_t high, std::uint32_t low) noexcept {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

/// Returns the surrogate whose WTF-8 form is at `p`, or 0 if there is none.
inline std::uint32_t surrogate_at(char const* p, char const* end) noexcept {
  if (end - p < 3 || byte_of(p[0]) != 0xED || (byte_of(p[1]) & 0xE0) != 0xA0
      || (byte_of(p[2]) & 0xC0) != 0x80)
    return 0;
  return 0xD000 | ((byte_of(p[1]) & 0x3F) << 6) | (byte_of(p[2]) & 0x3F);
}

/// The surrogates in WTF-8 at a place that is not valid UTF-8. `length` is 0 if there is none, 3 for a lone
/// surrogate, and 6 for a pair. A pair results when two texts are joined. `code_point` is the lone surrogate
/// or the character that the pair represents.
struct Surrogates {
  std::size_t length;
  std::uint32_t code_point;
};

inline Surrogates surrogates_at(char const* p, char const* end) noexcept {
  std::uint32_t const first = surrogate_at(p, end);
  if (first == 0) return {0, 0};
  std::uint32_t const second = is_high_surrogate(first) ? surrogate_at(p + 3, end) : 0;
  if (is_low_surrogate(second)) return {6, join_surrogates(first, second)};
  return {3, first};
}

/// Returns the length in bytes of the first `code_points` code points. Invalid bytes count as the U+FFFD that
/// would replace them.
inline std::size_t utf8_cut(std::string_view text, std::size_t code_points) noexcept {
  char const* p = text.data();
  char const* const end = p + text.size();
  for (; p != end && code_points != 0; --code_points) {
    Utf8Step const step = utf8_step(p, end);
    std::size_t const surrogates = step.valid ? 0 : surrogates_at(p, end).length;
    p += surrogates != 0 ? surrogates : step.length;
  }
  return static_cast<std::size_t>(p - text.data());
}

/// True if the text contains a surrogate in WTF-8. It may be lone or part of a pair.
inline bool has_surrogate(std::string_view text) noexcept {
  char const* const end = text.data() + text.size();
  for (std::size_t at = 0; (at = text.find('\xED', at)) != std::string_view::npos; ++at)
    if (surrogate_at(text.data() + at, end) != 0) return true;
  return false;
}

/// Returns the text as valid UTF-8. Each invalid sequence (`Utf8Step`) and each lone surrogate becomes
/// U+FFFD. A pair of surrogates becomes the character that it represents.
inline std::string replace_invalid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  char const* p = text.data();
  char const* const end = p + text.size();
  char const* run = p;
  while ((p = ascii_end(p, end)) != end) {
    Utf8Step const step = utf8_step(p, end);
    if (step.valid) {
      p += step.length;
      continue;
    }
    out.append(run, p);
    Surrogates const found = surrogates_at(p, end);
    append_utf8(out, found.length == 6 ? found.code_point : 0xFFFD);
    p += found.length != 0 ? found.length : step.length;
    run = p;
  }
  out.append(run, p);
  return out;
}

/// Returns at most `bytes` bytes of a text that may be hostile, in quotes, for a message or a terminal. Every
/// byte that is not printable ASCII becomes `?`.
inline std::string printable(std::string_view text, std::size_t bytes) {
  std::string out = "\"";
  for (char const c : text.substr(0, bytes)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  out.append(text.size() > bytes ? "...\"" : "\"");
  return out;
}

}}}
