// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/json_scan.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Converts JSON strings to text and back.
namespace sessionkit { inline namespace v0 { namespace detail {

/// Bytes that cannot be copied into a JSON string unchecked: quotes, backslashes, and bytes below 0x20 or
/// from 0x80 on.
struct BytesToEscape {
  static bool has(char c) noexcept {
    return c == '"' || c == '\\' || byte_of(c) < 0x20 || byte_of(c) >= 0x80;
  }
#if defined(__SSE2__)
  static __m128i has(__m128i block) noexcept {
    // As signed bytes, the bytes from 0x80 on are below 0x20 too.
    return _mm_or_si128(_mm_cmplt_epi8(block, _mm_set1_epi8(0x20)),
                        _mm_or_si128(equal_bytes(block, '"'), equal_bytes(block, '\\')));
  }
  static std::uint64_t places(char const* p) noexcept {
    return mask64(p, [](__m128i block) { return has(block); });
  }
#endif
};

/// Backslashes that begin an escape.
struct Backslashes {
  static bool has(char c) noexcept { return c == '\\'; }
#if defined(__SSE2__)
  static __m128i has(__m128i block) noexcept { return equal_bytes(block, '\\'); }
  static std::uint64_t places(char const* p) noexcept {
    std::uint64_t const all = mask64(p, '\\');
    std::uint64_t carry = 0;
    return all & ~escaped_bytes(all, carry);
  }
#endif
};

/// Copies text, but calls `special` to write the bytes for which `Bytes::has` is true. `special(p, end)`
/// returns where it stopped reading. `special.to()` is the place to write to. Before each step,
/// `special.make_room(left, next)` is called: `left` bytes are still to be read, and this step reads `next`
/// of them.
template <class Bytes, class Special>
void copy_with_scalar(char const* p, char const* end, Special& special) {
  while (p != end) {
    special.make_room(static_cast<std::size_t>(end - p), 1);
    if (Bytes::has(*p))
      p = special(p, end);
    else
      *special.to()++ = *p++;
  }
}

#if defined(__SSE2__)
/// Always copies 64 bytes, although only the first `bytes` of them count. A loop would need a branch that is
/// hard to predict.
inline void copy_stretch(char const* from, char*& to, std::ptrdiff_t bytes) noexcept {
  auto const copy16 = [&](int at) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + at)));
  };
  copy16(0), copy16(16), copy16(32), copy16(48);
  to += bytes;
}

/// Copies the next 64 bytes. For a byte for which `Bytes::has` is true, `special.usual(p, to)` is called
/// first. If `usual` returns `p`, it wrote nothing, and `special(p, end)` is called. Returns where it stopped
/// reading. Source and target must have 128 bytes, because this function may copy too much.
template <class Bytes, class Special>
char const* copy_block(char const* p, char const* end, Special& special) noexcept {
  char const* const begin = p;
  char const* const stop = p + 64;
  char* to = special.to(); // a local copy stays in a register
  for (std::uint64_t places = Bytes::places(begin); places != 0;) {
    char const* const place = begin + __builtin_ctzll(places);
    copy_stretch(p, to, place - p);
    p = special.usual(place, to);
    places &= places - 1;
    if (p != place) continue;
    special.to() = to;
    p = special(place, end);
    to = special.to();
    if (p >= stop) return p;
    places = places >> (p - begin) << (p - begin);
  }
  if (p < stop) {
    copy_stretch(p, to, stop - p);
    p = stop;
  }
  special.to() = to;
  return p;
}
#endif

template <class Bytes, class Special> void copy_with(char const* p, char const* end, Special& special) {
#if defined(__SSE2__)
  while (end - p >= 128) {
    special.make_room(static_cast<std::size_t>(end - p), 64);
    p = copy_block<Bytes>(p, end, special);
  }
  while (end - p >= 16) {
    special.make_room(static_cast<std::size_t>(end - p), 16);
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(special.to()), block);
    auto const mask = static_cast<unsigned>(_mm_movemask_epi8(Bytes::has(block)));
    int const plain = mask != 0 ? __builtin_ctz(mask) : 16;
    p += plain;
    special.to() += plain;
    if (mask != 0) p = special(p, end);
  }
#endif
  copy_with_scalar<Bytes>(p, end, special);
}

/// Appends to a string through a pointer. Makes room for the rest of the source first, and removes unused
/// room at the end.
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
  /// Must be called after more bytes were written than read. Between two calls there is room for `slack`
  /// extra bytes.
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

/// Copies the valid UTF-8 sequences at `p` up to the next ASCII byte. False if it stops at an invalid
/// sequence.
inline bool copy_valid_utf8(char const*& p, char const* end, char*& to) noexcept {
  char const* const run = p;
  std::size_t length = 1;
  while (p != end && byte_of(*p) >= 0x80 && (length = utf8_length(p, end)) != 0) p += length;
  auto const size = static_cast<std::size_t>(p - run);
  std::memcpy(to, run, size);
  to += size;
  return length != 0;
}

/// Writes the character of the escape at `p`, and returns where the escape ends. A backslash that begins no
/// valid escape is copied. Never writes more bytes than it reads.
inline char const* unescape_one(char*& to, char const* p, char const* end) noexcept {
  if (char const c = short_escape(p, end)) {
    *to++ = c;
    return p + 2;
  }
  std::int32_t const first = unicode_escape(p, end);
  if (first < 0) {
    *to++ = *p;
    return p + 1;
  }
  p += 6;
  auto unit = static_cast<std::uint32_t>(first);
  std::int32_t const second = is_high_surrogate(unit) ? unicode_escape(p, end) : -1;
  if (second >= 0 && is_low_surrogate(static_cast<std::uint32_t>(second))) {
    unit = join_surrogates(unit, static_cast<std::uint32_t>(second));
    p += 6;
  }
  to = encode_utf8(to, unit);
  return p;
}

/// True if there is a backslash with a `u` after it. Else the text has no escape of a code unit.
inline bool has_backslash_u(char const* p, char const* end) noexcept {
#if defined(__SSE2__)
  for (; end - p > 64; p += 64)
    if ((mask64(p, '\\') & mask64(p + 1, 'u')) != 0) return true;
#endif
  return between(p, end).find("\\u") != std::string_view::npos;
}

/// The `Special` of `copy_with` that writes the characters of escapes.
struct Unescaping {
  char* at;
  char*& to() noexcept { return at; }
  void make_room(std::size_t, std::size_t) const noexcept {
  } // what is written is never longer than what is read
  char const* operator()(char const* p, char const* end) noexcept { return unescape_one(at, p, end); }
  /// Writes the character of a two-byte escape. Returns `p` if there is no such escape.
  static char const* usual(char const* p, char*& to) noexcept {
    *to = short_escapes[byte_of(p[1])];
    return *to != '\0' ? (++to, p + 2) : p;
  }
};

/// Appends the text of a JSON string, which is given without its quotes and is known to be UTF-8.
inline void append_unescaped_utf8(std::string& out, std::string_view between_quotes) {
  std::size_t const plain = between_quotes.find('\\');
  std::size_t const before = out.size();
  out.append(between_quotes);
  if (plain == std::string_view::npos) return;
  Unescaping writing{out.data() + before + plain};
  char const* const begin = between_quotes.data();
  copy_with<Backslashes>(begin + plain, begin + between_quotes.size(), writing);
  out.resize(static_cast<std::size_t>(writing.at - out.data()));
}

/// Does the same for any bytes. A lone surrogate escape becomes its WTF-8 form, and invalid bytes become
/// U+FFFD.
inline void append_unescaped(std::string& out, std::string_view between_quotes) {
  if (is_utf8(between_quotes)) return append_unescaped_utf8(out, between_quotes);
  char const* p = between_quotes.data();
  char const* const end = p + between_quotes.size();
  TextSink sink(out, between_quotes.size());
  while (p != end) {
    if (*p == '\\') {
      p = unescape_one(sink.to(), p, end);
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

/// The text of a raw JSON string. Empty if `raw_string` is not a string. `map` belongs to the text that
/// contains the string, or is null.
inline std::string to_text(std::string_view raw_string, JsonMap const* map = nullptr) {
  std::string text;
  if (raw_string.size() < 2 || raw_string.front() != '"' || raw_string.back() != '"') return text;
  std::string_view const inside = raw_string.substr(1, raw_string.size() - 2);
  if (map != nullptr && map->utf8())
    append_unescaped_utf8(text, inside);
  else
    append_unescaped(text, inside);
  return text;
}

inline std::optional<bool> to_bool(std::string_view raw) noexcept {
  if (raw == "true") return true;
  if (raw == "false") return false;
  return std::nullopt;
}

/// True if a key from `for_members` is `name`.
inline bool key_is(std::string_view raw_key, std::string_view name) {
  // Escapes are longer than their characters, so only a longer key may need to be unescaped.
  if (raw_key.size() < name.size()) return false;
  if (raw_key.size() == name.size()) return raw_key == name && name.find('\\') == std::string_view::npos;
  if (raw_key.find('\\') == std::string_view::npos) return false;
  std::string text;
  append_unescaped(text, raw_key);
  return text == name;
}

/// The value of the last member with this name, as in JavaScript. Empty if there is none, or if `object` is
/// not a complete object.
inline std::string_view find_member(std::string_view object, std::string_view name) {
  std::string_view found;
  bool const complete = for_members(object, [&](std::string_view key, std::string_view value) {
    if (key_is(key, name)) found = value;
    return true;
  });
  return complete ? found : std::string_view();
}

/// Returns the text of the member with this name. Empty if the value of the member is no string.
inline std::string member_text(std::string_view object, std::string_view name) {
  std::string_view const raw = find_member(object, name);
  return json_kind(raw) == JsonKind::string ? to_text(raw) : std::string{};
}

inline void put_unicode_escape(TextSink& sink, std::uint32_t unit) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  sink.put("\\u");
  for (unsigned shift = 16; shift != 0; shift -= 4) sink.put(digits[unit >> (shift - 4) & 0xF]);
}

/// Maps a byte to the letter of the two-byte escape that JSON.stringify uses. NUL if there is none.
constexpr std::array<char, 256> make_escape_letters() noexcept {
  std::array<char, 256> letters{};
  for (std::size_t i = 0; i < 7; ++i) letters[byte_of("\"\\\b\f\n\r\t"[i])] = "\"\\bfnrt"[i];
  return letters;
}
inline constexpr std::array<char, 256> escape_letters = make_escape_letters();

/// Writes the escape of an ASCII byte that a JSON string cannot contain.
inline void escape_one(TextSink& sink, char c) noexcept {
  char const letter = escape_letters[byte_of(c)];
  if (letter == '\0') return put_unicode_escape(sink, byte_of(c));
  sink.put('\\');
  sink.put(letter);
}

/// Writes the replacement of the bytes at `p` that are not UTF-8, and returns where they end.
inline char const* escape_invalid(TextSink& sink, char const* p, char const* end) noexcept {
  Surrogates const found = surrogates_at(p, end);
  if (found.length == 3)
    put_unicode_escape(sink, found.code_point);
  else
    sink.put_utf8(found.length == 6 ? found.code_point : 0xFFFD);
  return p + (found.length != 0 ? found.length : utf8_step(p, end).length);
}

/// The `Special` of `copy_with` that writes bytes in the form that a JSON string needs.
struct Escaping {
  static constexpr std::size_t longest = 6; // the most bytes that are written for one byte
  TextSink sink;
  char*& to() noexcept { return sink.to(); }
  void make_room(std::size_t left, std::size_t next) { sink.make_room(left + longest * next + 64); }
  char const* operator()(char const* p, char const* end) noexcept {
    if (byte_of(*p) < 0x80) return escape_one(sink, *p), p + 1;
    return copy_valid_utf8(p, end, sink.to()) ? p : escape_invalid(sink, p, end);
  }
  /// Writes the two-byte escape of a byte. Returns `p` if there is no such escape.
  static char const* usual(char const* p, char*& to) noexcept {
    char const letter = escape_letters[byte_of(*p)];
    if (letter == '\0') return p;
    to[0] = '\\';
    to[1] = letter;
    to += 2;
    return p + 1;
  }
};

/// Appends the text as a JSON string, quotes included, as JavaScript's JSON.stringify writes it: a lone
/// surrogate as its escape, other characters raw. Invalid bytes become U+FFFD.
SESSIONKIT_NOINLINE inline void append_json_string(std::string& out, std::string_view text) {
  constexpr std::size_t short_text = 32; // as most names, ids and times
  if (text.size() <= short_text
      && std::none_of(text.begin(), text.end(), [](char c) { return BytesToEscape::has(c); })) {
    out.append(1, '"').append(text).append(1, '"');
    return;
  }
  Escaping writing{TextSink(out, text.size() + Escaping::longest + 2)};
  writing.sink.put('"');
  copy_with<BytesToEscape>(text.data(), text.data() + text.size(), writing);
  writing.sink.make_room(1);
  writing.sink.put('"');
  writing.sink.finish();
}

/// Calls `use` with each member: with its name, unescaped, and its raw value.
template <class Use> void for_named_members(std::string_view object, Use&& use) {
  for_members(object, [&](std::string_view key, std::string_view value) {
    std::string name;
    append_unescaped(name, key);
    use(std::move(name), value);
    return true;
  });
}

}}}
