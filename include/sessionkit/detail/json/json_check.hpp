// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json_map.hpp>
#include <sessionkit/detail/json/json_number.hpp>
#include <sessionkit/detail/json/json_scan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sessionkit { inline namespace v0 { namespace detail {

/// Returns the value of the four hex digits at `p`, or -1.
inline std::int32_t hex4(char const* p, char const* end) noexcept {
  if (end - p < 4) return -1;
  std::int32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    char const c = p[i];
    char const lower = static_cast<char>(c | 0x20);
    if (is_digit(c))
      value = value * 16 + (c - '0');
    else if (lower >= 'a' && lower <= 'f')
      value = value * 16 + (lower - 'a' + 10);
    else
      return -1;
  }
  return value;
}

/// Returns the code unit of the escape `\uXXXX` at `p`, or -1.
inline std::int32_t unicode_escape(char const* p, char const* end) noexcept {
  return end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
}

/// Maps the letter after a backslash to the character of the escape. NUL if there is no such two-byte escape.
constexpr std::array<char, 256> make_short_escapes() noexcept {
  std::array<char, 256> meaning{};
  for (std::size_t i = 0; i < 8; ++i) meaning[byte_of("\"\\/bfnrt"[i])] = "\"\\/\b\f\n\r\t"[i];
  return meaning;
}
inline constexpr std::array<char, 256> short_escapes = make_short_escapes();

/// Returns the character of the two-byte escape at `p`, which is a backslash. NUL if there is no such escape.
inline char short_escape(char const* p, char const* end) noexcept {
  return end - p >= 2 ? short_escapes[byte_of(p[1])] : '\0';
}

/// Moves `p` inside a string to the first quote or control byte, or to the first backslash that begins no
/// two-byte escape, or to `end`. Sets `non_ascii` if a byte >= 0x80 was passed.
inline void skip_text_scalar(char const*& p, char const* end, bool& non_ascii) noexcept {
  while (p != end && *p != '"' && byte_of(*p) >= 0x20) {
    if (*p == '\\') {
      if (short_escape(p, end) == '\0') return;
      ++p;
    }
    non_ascii |= byte_of(*p) >= 0x80;
    ++p;
  }
}

#if defined(__SSE2__)
inline __m128i control_bytes(__m128i block) noexcept {
  return _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
}

/// `letters` has a bit for each of the 64 bytes at `p` that follows a backslash and is itself neither a quote
/// nor a backslash. Returns the bits of the bytes that make no two-byte escape.
inline std::uint64_t other_escapes(char const* p, std::uint64_t letters) noexcept {
  letters &= ~mask64(p, 'n'); // most escapes are `\n`
  if (letters == 0) return 0;
  return letters & ~mask64(p, [](__m128i block) {
           __m128i const bft = _mm_or_si128(_mm_or_si128(equal_bytes(block, 'b'), equal_bytes(block, 'f')),
                                            equal_bytes(block, 't'));
           return _mm_or_si128(bft, _mm_or_si128(equal_bytes(block, 'r'), equal_bytes(block, '/')));
         });
}

/// As `skip_text`, but reads only complete blocks of 64 bytes. False if the rest must be searched byte by
/// byte.
SESSIONKIT_INLINE inline bool skip_text_blocks(char const*& p, char const* end, bool& non_ascii) noexcept {
  std::uint64_t carry = 0; // 1: the backslash before `p` escapes the byte at `p`
  bool found = false;
  for (; end - p >= 64; p += 64) {
    std::uint64_t const all_quotes = mask64(p, '"'), backslashes = mask64(p, '\\');
    std::uint64_t const carried = carry;
    std::uint64_t escaped = 0;
    if ((backslashes | carry) != 0) escaped = escaped_bytes(backslashes, carry);
    std::uint64_t const quotes = all_quotes & ~escaped;
    std::uint64_t const inside = (quotes & (0 - quotes)) - 1; // the bytes before the closing quote, or all
    // Bytes from 0x80 on are below 0x20 too, because they are compared as signed bytes.
    std::uint64_t odd =
        mask64(p, [](__m128i block) { return _mm_cmplt_epi8(block, _mm_set1_epi8(0x20)); }) & inside;
    if (odd != 0) {
      std::uint64_t const high = mask64(p, [](__m128i block) { return block; });
      non_ascii |= (odd & high) != 0;
      odd &= ~high;
    }
    escaped &= ~(all_quotes | backslashes);
    if (escaped != 0) odd |= other_escapes(p, escaped);
    if ((odd & inside) != 0) {
      carry = carried;
      break;
    }
    if (quotes != 0) {
      p += __builtin_ctzll(quotes);
      carry = 0;
      found = true;
      break;
    }
  }
  p -= carry;
  return found;
}
#endif

/// As `skip_text_scalar`, but reads blocks. May also set `non_ascii` for a byte after the place where it
/// stops, in the same block.
SESSIONKIT_INLINE inline void skip_text(char const*& p, char const* end, bool& non_ascii) noexcept {
#if defined(__SSE2__)
  if (end - p >= 16) { // most strings end within one block
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    __m128i const stops =
        _mm_or_si128(control_bytes(block), _mm_or_si128(equal_bytes(block, '"'), equal_bytes(block, '\\')));
    non_ascii |= _mm_movemask_epi8(block) != 0;
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    p += mask != 0 ? __builtin_ctz(mask) : 16;
    if (mask != 0 && *p == '"') return;
  }
  if (skip_text_blocks(p, end, non_ascii)) return;
#endif
  skip_text_scalar(p, end, non_ascii);
}

/// The result of `check_json`. True if the text is one JSON value.
struct JsonCheck {
  enum Fault {
    none,
    syntax,   ///< the grammar does not allow the text at `offset`, or the text ends there too early
    too_deep, ///< the bracket at `offset` opens one level too many
    trailing, ///< the value is complete, but other text follows at `offset`
  } fault = none;
  std::size_t offset = 0;      ///< bytes
  bool utf8 = true;            ///< the whole text is valid UTF-8
  bool lone_surrogate = false; ///< a `\ud800`..`\udfff` escape without its partner was read

  explicit operator bool() const noexcept { return fault == none; }
};

/// Takes the place of a `JsonMap` if no map is wanted.
struct NoJsonMap {
  void clear() const noexcept {}
  void set_utf8(bool) const noexcept {}
  void string(char const*, char const*, std::size_t) const noexcept {}
  void open(char const*, std::size_t) const noexcept {}
  void close(char const*, std::size_t) const noexcept {}
};

/// Checks a text by the grammar of RFC 8259. An open bracket takes one bit, and no stack frame.
template <class Map> class JsonChecker {
 public:
  JsonChecker(std::string_view text, std::size_t max_depth, Map& map) noexcept
      : map_(map),
        text_(text),
        p_(text.data()),
        end_(text.data() + text.size()),
        max_depth_(max_depth < greatest_depth ? max_depth : greatest_depth) {}

  JsonCheck run() {
    JsonCheck result;
    map_.clear();
    space();
    if (!value()) {
      result.fault = too_deep_ ? JsonCheck::too_deep : JsonCheck::syntax;
    } else {
      space();
      if (p_ != end_) result.fault = JsonCheck::trailing;
    }
    if (result.fault != JsonCheck::none) result.offset = static_cast<std::size_t>(p_ - text_.data());
    // A byte >= 0x80 outside of strings is a fault. The bytes after a fault were not checked.
    if (non_ascii_ || result.fault != JsonCheck::none) result.utf8 = is_utf8(text_);
    result.lone_surrogate = lone_surrogate_;
    map_.set_utf8(result.utf8);
    return result;
  }

 private:
  static constexpr std::size_t greatest_depth = 1024;

  void space() noexcept { p_ = skip_space(p_, end_); }
  bool at(char c) const noexcept { return p_ != end_ && *p_ == c; }
  bool take(char c) noexcept {
    if (!at(c)) return false;
    ++p_;
    return true;
  }

  bool in_object() const noexcept { return (objects_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64) & 1) != 0; }
  bool push(bool object) noexcept {
    if (depth_ == max_depth_) {
      too_deep_ = true;
      return false;
    }
    std::uint64_t const bit = std::uint64_t{1} << (depth_ % 64);
    std::uint64_t& word = objects_[depth_ / 64];
    word = object ? word | bit : word & ~bit;
    ++depth_;
    return true;
  }

  /// Reads one value with all nested values.
  bool value() {
    for (;;) {
      bool opened = false;
      if (!simple_value(opened)) return false;
      if (!opened && !close_brackets()) return false;
      if (!opened && depth_ == 0) return true;
      if (in_object() && !member_name()) return false;
    }
  }

  /// Reads a value without nested values. Of a value with nested values, reads only the opening bracket and
  /// sets `opened`.
  bool simple_value(bool& opened) {
    if (p_ == end_) return false;
    switch (*p_) {
    case '"': return string_value();
    case '{': return open(true, '}', opened);
    case '[': return open(false, ']', opened);
    case 't': return word("true");
    case 'f': return word("false");
    case 'n': return word("null");
    default: return skip_number(p_, end_);
    }
  }

  bool open(bool object, char closing, bool& opened) {
    if (!push(object)) return false;
    map_.open(p_, depth_ - 1);
    ++p_;
    space();
    opened = !take(closing);
    if (!opened) close();
    return true;
  }
  void close() noexcept { map_.close(p_, --depth_); }

  bool string_value() {
    char const* const begin = p_++;
    if (!string()) return false;
    map_.string(begin, p_, depth_);
    return true;
  }

  /// Reads what follows a value: closing brackets, then the comma before the next value. At depth 0 it reads
  /// nothing.
  bool close_brackets() noexcept {
    while (depth_ != 0) {
      space();
      if (take(',')) {
        space();
        return true;
      }
      if (!take(in_object() ? '}' : ']')) return false;
      close();
    }
    return true;
  }

  bool member_name() noexcept {
    if (!take('"') || !string()) return false;
    space();
    if (!take(':')) return false;
    space();
    return true;
  }

  bool word(std::string_view letters) noexcept {
    for (char const letter : letters)
      if (!take(letter)) return false;
    return true;
  }

  /// Reads the rest of a string, from the byte after its opening quote to the closing quote.
  SESSIONKIT_NOINLINE bool string() noexcept {
    for (;;) {
      skip_text(p_, end_, non_ascii_);
      if (take('"')) return true;
      if (!at('\\')) return false;
      do { // many may follow each other: some programs escape all text that is not ASCII
        if (!unicode()) return false;
      } while (end_ - p_ >= 2 && p_[0] == '\\' && p_[1] == 'u');
    }
  }

  /// Reads the escape of one code unit, or the two escapes of a surrogate pair.
  bool unicode() noexcept {
    std::int32_t const unit = unicode_escape(p_, end_);
    if (unit < 0) return false;
    p_ += 6;
    auto const first = static_cast<std::uint32_t>(unit);
    if (is_low_surrogate(first)) lone_surrogate_ = true;
    if (!is_high_surrogate(first)) return true;
    std::int32_t const second = unicode_escape(p_, end_);
    if (second >= 0 && is_low_surrogate(static_cast<std::uint32_t>(second)))
      p_ += 6;
    else
      lone_surrogate_ = true;
    return true;
  }

  Map& map_;
  std::string_view text_;
  char const* p_;
  char const* end_;
  std::size_t max_depth_;
  std::size_t depth_ = 0;
  std::uint64_t objects_[greatest_depth / 64] = {}; ///< bit d: level d is an object, not an array
  bool non_ascii_ = false;
  bool lone_surrogate_ = false;
  bool too_deep_ = false;
};

/// Checks that the text is exactly one JSON value. White space around the value is allowed. Brackets may be
/// nested at most `max_depth` deep, and never deeper than 1024. Invalid UTF-8 and lone surrogate escapes are
/// reported but are no faults. Control bytes below 0x20 in strings are faults.
inline JsonCheck check_json(std::string_view text, std::size_t max_depth = 128) noexcept {
  NoJsonMap none;
  return JsonChecker<NoJsonMap>(text, max_depth, none).run();
}

/// Does the same, and fills `map` for this text.
inline JsonCheck check_json(std::string_view text, JsonMap& map, std::size_t max_depth = 128) {
  return JsonChecker<JsonMap>(text, max_depth, map).run();
}

/// True if this trimmed line is one whole JSON object.
inline bool is_whole_object(std::string_view text) noexcept {
  return !text.empty() && text.front() == '{' && check_json(text).fault == JsonCheck::none;
}

}}}
