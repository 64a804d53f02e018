// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/json_check.hpp>
#include <sessionkit/detail/json_scan.hpp>
#include <sessionkit/detail/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// JSON strings to text and back.
namespace sessionkit { inline namespace v0 { namespace detail {

/// Copies up to the first byte that needs a look: quote, backslash, below 0x20, or from 0x80. `to` must have
/// room for all of the text.
inline void copy_plain_scalar(char const*& p, char const* end, char*& to) noexcept {
  while (p != end && *p != '"' && *p != '\\' && byte_of(*p) >= 0x20 && byte_of(*p) < 0x80) *to++ = *p++;
}

inline void copy_plain(char const*& p, char const* end, char*& to) noexcept {
#if defined(__SSE2__)
  __m128i const space = _mm_set1_epi8(0x20);
  for (; end - p >= 16; p += 16, to += 16) {
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
    // As signed bytes, those from 0x80 are below 0x20 too.
    __m128i const stops = _mm_or_si128(_mm_cmplt_epi8(block, space),
                                       _mm_or_si128(equal_bytes(block, '"'), equal_bytes(block, '\\')));
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(stops));
    if (mask == 0) continue;
    p += __builtin_ctz(mask);
    to += __builtin_ctz(mask);
    return;
  }
#endif
  copy_plain_scalar(p, end, to);
}

/// Appends to a string through a pointer: room for what is left to read is made before, and what was not used
/// is cut off at the end.
class TextSink {
 public:
  TextSink(std::string& out, std::size_t expected) : out_(&out) {
    std::size_t const size = out.size();
    out.resize(size + expected + slack);
    set(size);
  }

  char*& to() noexcept { return to_; }
  void put(char c) noexcept { *to_++ = c; }
  void put(char const* bytes, std::size_t count) noexcept {
    std::memcpy(to_, bytes, count);
    to_ += count;
  }
  void put(std::string_view text) noexcept { put(text.data(), text.size()); }
  void put_utf8(std::uint32_t code_point) noexcept { to_ = encode_utf8(to_, code_point); }
  /// Call after what may be longer than its source: up to `slack` bytes more fit between two calls.
  void make_room(std::size_t left) {
    if (static_cast<std::size_t>(limit_ - to_) >= left + slack) return;
    auto const size = static_cast<std::size_t>(to_ - out_->data());
    out_->resize(size + left + left / 8 + 4 * slack);
    set(size);
  }
  void finish() { out_->resize(static_cast<std::size_t>(to_ - out_->data())); }

 private:
  static constexpr std::size_t slack = 16;
  void set(std::size_t size) noexcept {
    to_ = out_->data() + size;
    limit_ = out_->data() + out_->size();
  }

  std::string* out_;
  char* to_ = nullptr;
  char* limit_ = nullptr;
};

/// Copies the valid sequences at `p` up to the next ASCII byte; false at one that is not valid.
inline bool copy_valid_utf8(char const*& p, char const* end, char*& to) noexcept {
  char const* const run = p;
  std::size_t length = 1;
  while (p != end && byte_of(*p) >= 0x80 && (length = utf8_length(p, end)) != 0) p += length;
  auto const size = static_cast<std::size_t>(p - run);
  std::memcpy(to, run, size);
  to += size;
  return length != 0;
}

/// Writes what the escape at `p` means, and answers where it ends. What is no escape is kept as it is.
inline char const* unescape_one(TextSink& sink, char const* p, char const* end) noexcept {
  if (char const c = short_escape(p, end)) {
    sink.put(c);
    return p + 2;
  }
  std::int32_t const first = unicode_escape(p, end);
  if (first < 0) {
    sink.put(*p);
    return p + 1;
  }
  p += 6;
  auto unit = static_cast<std::uint32_t>(first);
  std::int32_t const second = is_high_surrogate(unit) ? unicode_escape(p, end) : -1;
  if (second >= 0 && is_low_surrogate(static_cast<std::uint32_t>(second))) {
    unit = join_surrogates(unit, static_cast<std::uint32_t>(second));
    p += 6;
  }
  sink.put_utf8(unit);
  return p;
}

/// Appends the text of a JSON string given without its quotes: a lone surrogate escape in its WTF-8 form,
/// invalid UTF-8 bytes as U+FFFD.
inline void append_unescaped(std::string& out, std::string_view between_quotes) {
  char const* p = between_quotes.data();
  char const* const end = p + between_quotes.size();
  TextSink sink(out, between_quotes.size());
  while (copy_plain(p, end, sink.to()), p != end) {
    if (*p == '\\') {
      p = unescape_one(sink, p, end);
    } else if (byte_of(*p) < 0x80) {
      sink.put(*p++);
    } else if (!copy_valid_utf8(p, end, sink.to())) {
      sink.put(replacement_character);
      p += utf8_step(p, end).length;
      sink.make_room(static_cast<std::size_t>(end - p));
    }
  }
  sink.finish();
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
  // Escapes are longer than what they mean, so only a longer key can need unescaping.
  if (raw_key.size() < name.size()) return false;
  if (raw_key.size() == name.size()) return raw_key == name && name.find('\\') == std::string_view::npos;
  if (raw_key.find('\\') == std::string_view::npos) return false;
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

inline void put_unicode_escape(TextSink& sink, std::uint32_t unit) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  sink.put("\\u");
  for (unsigned shift = 16; shift != 0; shift -= 4) sink.put(digits[unit >> (shift - 4) & 0xF]);
}

/// The letter of the two-byte escape JSON.stringify uses for a byte, by byte; NUL where it uses none.
constexpr std::array<char, 128> make_escape_letters() noexcept {
  std::array<char, 128> letters{};
  for (std::size_t i = 0; i < 7; ++i) letters[byte_of("\"\\\b\f\n\r\t"[i])] = "\"\\bfnrt"[i];
  return letters;
}
inline constexpr std::array<char, 128> escape_letters = make_escape_letters();

/// Writes the ASCII byte that cannot stand in a string as it is.
inline void escape_one(TextSink& sink, char c) noexcept {
  char const letter = escape_letters[byte_of(c)];
  if (letter == '\0') return put_unicode_escape(sink, byte_of(c));
  sink.put('\\');
  sink.put(letter);
}

/// Writes what stands for the bytes at `p` that are not UTF-8, and answers where they end.
inline char const* escape_invalid(TextSink& sink, char const* p, char const* end) noexcept {
  Surrogates const found = surrogates_at(p, end);
  if (found.length == 3)
    put_unicode_escape(sink, found.code_point);
  else
    sink.put_utf8(found.length == 6 ? found.code_point : 0xFFFD);
  return p + (found.length != 0 ? found.length : utf8_step(p, end).length);
}

/// Appends the text as a JSON string, quotes included, as JavaScript's JSON.stringify writes it: a lone
/// surrogate as its escape, other characters raw. Invalid bytes become U+FFFD.
inline void append_json_string(std::string& out, std::string_view text) {
  char const* p = text.data();
  char const* const end = p + text.size();
  TextSink sink(out, text.size() + 2);
  sink.put('"');
  while (copy_plain(p, end, sink.to()), p != end) {
    if (byte_of(*p) < 0x80)
      escape_one(sink, *p++);
    else if (!copy_valid_utf8(p, end, sink.to()))
      p = escape_invalid(sink, p, end);
    sink.make_room(static_cast<std::size_t>(end - p) + 1);
  }
  sink.put('"');
  sink.finish();
}

}}}
