// SPDX-License-Identifier: MIT
// Finds blank text and trims white space, as Unicode defines it.
#pragma once
#include <sessionkit/detail/json/whitespace.hpp>

#include <array>

namespace sessionkit { inline namespace v0 {

namespace whitespace_inl { namespace {

// What checkers of the providers call white space, in UTF-8; the second group only at the end of a text.
constexpr std::array<std::string_view, 5> wide_blanks{"\xC2\xA0", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                                      "\xE3\x80\x80"};
constexpr std::array<std::string_view, 14> wide_end_blanks{
    "\xE1\x9A\x80", "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
    "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87", "\xE2\x80\x88",
    "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xAF", "\xE2\x81\x9F"};

constexpr bool is_narrow_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::size_t blank_at(std::string_view text) noexcept {
  if (is_narrow_blank(text.front())) return 1;
  for (std::string_view const blank : wide_blanks)
    if (text.substr(0, blank.size()) == blank) return blank.size();
  return 0;
}

template <std::size_t N>
std::size_t ends_in(std::string_view text, std::array<std::string_view, N> const& blanks) noexcept {
  for (std::string_view const blank : blanks)
    if (text.size() >= blank.size() && text.substr(text.size() - blank.size()) == blank) return blank.size();
  return 0;
}

template <std::size_t N>
std::size_t begins_in(std::string_view text, std::array<std::string_view, N> const& blanks) noexcept {
  for (std::string_view const blank : blanks)
    if (text.substr(0, blank.size()) == blank) return blank.size();
  return 0;
}

std::size_t blank_before_end(std::string_view text) noexcept {
  char const last = text.back();
  if (is_narrow_blank(last) || (last >= '\x1C' && last <= '\x1F')) return 1;
  std::size_t const wide = ends_in(text, wide_blanks);
  return wide != 0 ? wide : ends_in(text, wide_end_blanks);
}

}}

namespace detail {

bool is_blank(std::string_view text) noexcept {
  while (!text.empty()) {
    std::size_t const length = whitespace_inl::blank_at(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty()) {
    std::size_t const narrow = whitespace_inl::blank_at(text);
    std::size_t const length =
        narrow != 0 ? narrow : whitespace_inl::begins_in(text, whitespace_inl::wide_end_blanks);
    if (length == 0) break;
    text.remove_prefix(length);
  }
  return text.substr(0, trimmed_length(text));
}

std::size_t trimmed_length(std::string_view text) noexcept {
  while (!text.empty()) {
    std::size_t const length = whitespace_inl::blank_before_end(text);
    if (length == 0) break;
    text.remove_suffix(length);
  }
  return text.size();
}

}

}}
