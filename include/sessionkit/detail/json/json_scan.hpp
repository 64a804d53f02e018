// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/config.hpp>
#include <sessionkit/detail/json/json_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Finds values in JSON text by its structure alone; only `check_json` checks the grammar. No function here
/// allocates, recurses or reads outside the view, whatever the bytes are. A raw value is the text of a value
/// as it is in the file.
namespace sessionkit { inline namespace v0 { namespace detail {

constexpr bool is_json_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline char const* skip_space(char const* p, char const* end) noexcept {
  while (p != end && is_json_space(*p)) ++p;
  return p;
}

/// Returns `text` without the white space around it.
inline std::string_view trim_space(std::string_view text) noexcept {
  while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_json_space(text.front())) text.remove_prefix(1);
  return text;
}

/// Returns the place of the closing quote, given the place just after the opening quote. Null if there is
/// none.
inline char const* string_end_scalar(char const* p, char const* end) noexcept {
  for (; p != end; ++p) {
    if (*p == '"') return p;
    if (*p == '\\' && ++p == end) break;
  }
  return nullptr;
}

#if defined(__SSE2__)
inline __m128i equal_bytes(__m128i block, char c) noexcept { return _mm_cmpeq_epi8(block, _mm_set1_epi8(c)); }

/// Returns one bit for each byte of the block, set if the highest bit of the byte is set. `at` is the offset
/// of the block in its 64 bytes.
inline std::uint64_t block_bits(__m128i block, int at) noexcept {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(block))) << at;
}

/// Returns one bit for each of the 64 bytes at `p`, set if `select` returns a byte whose highest bit is set.
template <class Select> std::uint64_t mask64(char const* p, Select select) noexcept {
  auto const bits = [&](int at) {
    return block_bits(select(_mm_loadu_si128(reinterpret_cast<__m128i const*>(p + at))), at);
  };
  return bits(0) | bits(16) | bits(32) | bits(48);
}

inline std::uint64_t mask64(char const* p, char c) noexcept {
  return mask64(p, [c](__m128i block) { return equal_bytes(block, c); });
}

/// Returns the bits of the bytes that a backslash escapes.
/// `carry` is 1 if the first byte of the block is escaped; the function sets `carry` for the next block. The
/// bit trick is simdjson's (Langdale and Lemire 2019, section 3.1.1).
inline std::uint64_t escaped_bytes(std::uint64_t backslashes, std::uint64_t& carry) noexcept {
  constexpr std::uint64_t even = 0x5555555555555555;
  backslashes &= ~carry;
  std::uint64_t const follows = backslashes << 1 | carry;
  std::uint64_t const odd_starts = backslashes & ~even & ~follows;
  std::uint64_t const even_runs = odd_starts + backslashes;
  carry = even_runs < backslashes ? 1 : 0;
  return (even ^ (even_runs << 1)) & follows;
}
#endif

#if defined(__SSE2__)
/// Returns the place of the quote that ends the string, if it is in the 16 bytes at `p` and no backslash is
/// before it. Otherwise null. `p` is inside the string.
inline char const* near_string_end(char const* p) noexcept {
  __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
  auto const stops = static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(equal_bytes(block, '"'), equal_bytes(block, '\\'))));
  if (stops == 0) return nullptr;
  char const* const stop = p + __builtin_ctz(stops);
  return *stop == '"' ? stop : nullptr;
}
#endif

inline char const* string_end(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
  if (end - p >= 16)
    if (char const* const end_near = near_string_end(p)) return end_near;
  std::uint64_t carry = 0;
  for (; end - p >= 64; p += 64) {
    std::uint64_t quotes = mask64(p, '"');
    std::uint64_t const backslashes = mask64(p, '\\');
    if ((backslashes | carry) != 0) quotes &= ~escaped_bytes(backslashes, carry);
    if (quotes != 0) return p + __builtin_ctzll(quotes);
  }
  if (carry != 0) {
    if (p == end) return nullptr;
    ++p;
  }
#endif
  return string_end_scalar(p, end);
}

inline char const* plain_end_scalar(char const* p, char const* end) noexcept {
  while (p != end && static_cast<unsigned char>(*p - ' ') < 0x60 && *p != '"' && *p != '\\') ++p;
  return p;
}

/// Returns the first byte inside a string that is not a plain ASCII character: a quote, a backslash, a
/// control byte or a byte from 0x80 on. Returns `end` if there is none.
inline char const* plain_end(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    __m128i const odd = _mm_cmplt_epi8(block, _mm_set1_epi8(' ')); // bytes from 0x80 on are negative
    __m128i const stops = _mm_or_si128(odd, _mm_or_si128(equal_bytes(block, '"'), equal_bytes(block, '\\')));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#endif
  return plain_end_scalar(p, end);
}

/// Marks the bytes that end a number, `true`, `false` or `null`.
constexpr std::array<bool, 256> make_word_ends() noexcept {
  std::array<bool, 256> ends{};
  for (std::size_t c = 0; c <= ' '; ++c) ends[c] = true;
  for (char const c : {',', '}', ']', ':'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}
inline constexpr std::array<bool, 256> ends_word = make_word_ends();

/// Returns one past the last byte of the value that begins at `p`. Null if the value is torn, or if there is
/// none. Brackets are counted, but not matched by kind.
inline char const* skip_value(char const* p, char const* end) noexcept {
  if (p == end) return nullptr;
  if (*p == '"') {
    p = string_end(p + 1, end);
    return p != nullptr ? p + 1 : nullptr;
  }
  if (*p == '{' || *p == '[') {
    std::size_t depth = 0;
    for (; p != end; ++p) {
      char const c = *p;
      if (c == '"') {
        p = string_end(p + 1, end);
        if (p == nullptr) return nullptr;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return p + 1;
      }
    }
    return nullptr;
  }
  char const* const begin = p;
  while (p != end && !ends_word[static_cast<unsigned char>(*p)]) ++p;
  return p != begin ? p : nullptr;
}

/// Does the same for a text that was checked. A value whose end is in the map is not scanned again.
SESSIONKIT_INLINE inline char const* skip_value(char const* p, char const* end, JsonMap const* map) noexcept {
  if (map == nullptr || p == end || (*p != '"' && *p != '{' && *p != '[')) return skip_value(p, end);
  if (*p == '"' && end - p > JsonMap::shortest)
    if (char const* const quote = string_end(p + 1, p + JsonMap::shortest)) return quote + 1;
  char const* const known = map->end_of(p);
  return known != nullptr ? known : skip_value(p, end);
}

constexpr std::string_view between(char const* begin, char const* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Calls `f(key, value)` for each member, until `f` returns false. `key` is the text between the quotes,
/// still escaped; `value` is raw. Returns false if the view is not one complete object; `f` was then called
/// for the members before the fault. Returns true also if `f` stopped early; then the rest was not looked at.
/// `map` belongs to the text that contains the object, or is null.
template <class F> bool for_members(std::string_view object, F&& f, JsonMap const* map = nullptr) {
  char const* const end = object.data() + object.size();
  char const* p = skip_space(object.data(), end);
  if (p == end || *p != '{') return false;
  p = skip_space(p + 1, end);
  if (p != end && *p == '}') return skip_space(p + 1, end) == end;
  for (;;) {
    if (p == end || *p != '"') return false;
    char const* const key = p + 1;
    char const* const key_end = string_end(key, end);
    if (key_end == nullptr) return false;
    p = skip_space(key_end + 1, end);
    if (p == end || *p != ':') return false;
    char const* const value = skip_space(p + 1, end);
    p = skip_value(value, end, map);
    if (p == nullptr) return false;
    if (!f(between(key, key_end), between(value, p))) return true;
    p = skip_space(p, end);
    if (p == end) return false;
    if (*p == '}') return skip_space(p + 1, end) == end;
    if (*p != ',') return false;
    p = skip_space(p + 1, end);
  }
}

/// Calls `f(value)` for each element. All else is as in `for_members`.
template <class F> bool for_elements(std::string_view array, F&& f, JsonMap const* map = nullptr) {
  char const* const end = array.data() + array.size();
  char const* p = skip_space(array.data(), end);
  if (p == end || *p != '[') return false;
  p = skip_space(p + 1, end);
  if (p != end && *p == ']') return skip_space(p + 1, end) == end;
  for (;;) {
    char const* const value = p;
    p = skip_value(value, end, map);
    if (p == nullptr) return false;
    if (!f(between(value, p))) return true;
    p = skip_space(p, end);
    if (p == end) return false;
    if (*p == ']') return skip_space(p + 1, end) == end;
    if (*p != ',') return false;
    p = skip_space(p + 1, end);
  }
}

enum class JsonKind { invalid, null, boolean, number, string, array, object };

/// Returns the only kind of value that can begin with the first byte of `raw`.
SESSIONKIT_INLINE inline JsonKind json_kind(std::string_view raw) noexcept {
  if (raw.empty()) return JsonKind::invalid;
  switch (raw.front()) {
  case 'n': return JsonKind::null;
  case 't':
  case 'f': return JsonKind::boolean;
  case '"': return JsonKind::string;
  case '[': return JsonKind::array;
  case '{': return JsonKind::object;
  default: break;
  }
  bool const digit = raw.front() >= '0' && raw.front() <= '9';
  return digit || raw.front() == '-' ? JsonKind::number : JsonKind::invalid;
}

}}}
