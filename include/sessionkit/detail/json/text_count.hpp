// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/utf8.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The length of a text, in the units that token estimates use.
struct TextCount {
  std::size_t bytes = 0;
  std::size_t ascii = 0, others = 0; ///< code points below 128, and all other code points
  std::size_t units = 0;             ///< code units of UTF-16
  std::size_t wide = 0;              ///< how many of `others` are Chinese, Japanese or Korean
  std::size_t escaped = 0;           ///< bytes of the text in a JSON string that Go writes

  std::size_t code_points() const noexcept { return ascii + others; }

  void add(std::string_view text) noexcept {
    char const* p = text.data();
    char const* const end = p + text.size();
    bytes += text.size();
    while (p != end) p += byte_of(*p) < 0x80 ? add_ascii(*p) : add_other(p, end);
  }

 private:
  std::size_t add_ascii(char c) noexcept {
    ++ascii;
    ++units;
    bool const two = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t';
    bool const six = c == '<' || c == '>' || c == '&' || byte_of(c) < 0x20;
    escaped += two ? 2U : six ? 6U : 1U;
    return 1;
  }
  std::size_t add_other(char const* p, char const* end) noexcept {
    std::size_t const valid = utf8_length(p, end);
    std::size_t const length = valid != 0 ? valid : surrogate_at(p, end) != 0 ? 3 : utf8_step(p, end).length;
    std::uint32_t const point = valid >= 3 ? code_point(p, valid) : 0;
    ++others;
    units += length == 4 ? 2U : 1U;
    wide += is_wide(point) ? 1U : 0U;
    escaped += valid == 0 || point == 0x2028 || point == 0x2029 ? std::size_t{6} : length;
    return length;
  }
  static std::uint32_t code_point(char const* p, std::size_t length) noexcept {
    std::uint32_t point = byte_of(*p) & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) point = point << 6 | (byte_of(p[i]) & 0x3F);
    return point;
  }
  static bool is_wide(std::uint32_t point) noexcept {
    constexpr std::uint32_t ranges[][2] = {
        {0x2E80, 0xA4FF}, {0xAC00, 0xD7AF}, {0xF900, 0xFAFF}, {0xFF01, 0xFF60}, {0x20000, 0x2FA1F}};
    for (auto const& range : ranges)
      if (point >= range[0] && point <= range[1]) return true;
    return false;
  }
};

inline TextCount count_text(std::string_view text) noexcept {
  TextCount count;
  count.add(text);
  return count;
}

}}}
