// SPDX-License-Identifier: MIT
// Changes capital letters to small ones and back.
#pragma once
#include <sessionkit/detail/base/fold_case.hpp>
#include <sessionkit/detail/base/utf8.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace fold_case_inl { namespace {

// Ranges of capital letters with a constant distance to their small letters.
struct Capitals {
  char32_t first, last, distance;
};
constexpr Capitals capitals[] = {{0xC0, 0xD6, 32},   {0xD8, 0xDE, 32},   {0x391, 0x3A1, 32},
                                 {0x3A3, 0x3AB, 32}, {0x400, 0x40F, 80}, {0x410, 0x42F, 32}};

// Ranges in which each second letter is a capital, the small one after it. U+0130 is none of them.
struct Pairs {
  char32_t first, last;
};
constexpr Pairs pairs[] = {{0x100, 0x12F}, {0x132, 0x137}, {0x139, 0x148},
                           {0x14A, 0x177}, {0x179, 0x17E}, {0x460, 0x481}};

}}

char32_t small_letter_of(char32_t c) noexcept {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
  for (fold_case_inl::Capitals const& range : fold_case_inl::capitals)
    if (c >= range.first && c <= range.last) return c + range.distance;
  for (fold_case_inl::Pairs const& range : fold_case_inl::pairs)
    if (c >= range.first && c <= range.last) return c + (c - range.first + 1) % 2;
  return c;
}

char32_t capital_letter_of(char32_t c) noexcept {
  if (c < 0x80) return c >= 'a' && c <= 'z' ? c - 32 : c;
  for (fold_case_inl::Capitals const& range : fold_case_inl::capitals)
    if (c >= range.first + range.distance && c <= range.last + range.distance) return c - range.distance;
  for (fold_case_inl::Pairs const& range : fold_case_inl::pairs)
    if (c >= range.first && c <= range.last) return c - (c - range.first) % 2;
  return c;
}

std::string change_letters(std::string_view text, char32_t (*change)(char32_t) noexcept) {
  std::string out(text);
  char* const end = out.data() + out.size();
  for (char* p = out.data(); p != end;) {
    std::size_t const length = utf8_length(p, end);
    if (length == 1) *p = static_cast<char>(change(byte_of(*p)));
    if (length == 2) encode_utf8(p, change((byte_of(p[0]) & 0x1F) << 6 | (byte_of(p[1]) & 0x3F)));
    p += length != 0 ? length : 1;
  }
  return out;
}

}}}
