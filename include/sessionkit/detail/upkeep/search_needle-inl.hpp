// SPDX-License-Identifier: MIT
// Finds the lines that a search must decode, by the longest run of its text that JSON writes in one way only.
#pragma once
#include <sessionkit/detail/base/fold_case.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/dialects/added_words.hpp>
#include <sessionkit/detail/json/json_text.hpp>
#include <sessionkit/detail/upkeep/search_needle.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace search_needle_inl { namespace {

// The bytes of transcripts, the most frequent first; all others are rare.
constexpr std::string_view frequent =
    " etaoinsrhldcu\",:mpfgwyb.v-_k0123456789()=;{}xjqz/ETAOINSRHLDCUMPFGWYBVKXJQZ";

std::size_t rarity(char c) noexcept {
  std::size_t const at = frequent.find(c);
  return at == std::string_view::npos ? frequent.size() : at;
}

// JSON may write each of these in several ways, or a search puts it between two strings of a line.
bool breaks(char c) noexcept {
  return byte_of(c) < 0x20 || std::string_view("\"\\/{}=").find(c) != std::string_view::npos;
}

// A search joins a tool's name and its arguments, which are any JSON value, with a blank.
bool may_begin_arguments(std::string_view rest) noexcept {
  if (rest.empty()) return true;
  for (std::string_view const word : {"true", "false"})
    if (rest.substr(0, word.size()) == word.substr(0, rest.size())) return true;
  return std::string_view("[-0123456789").find(rest.front()) != std::string_view::npos;
}

// A replacement character may stand for other bytes.
bool begins_replaced(std::string_view text) noexcept {
  return text.substr(0, replacement_character.size()) == replacement_character;
}

// The length of the run at the beginning of `text`.
std::size_t run_length(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (breaks(text[i]) || begins_replaced(text.substr(i))
        || (text[i] == ' ' && may_begin_arguments(text.substr(i + 1))))
      return i;
  return text.size();
}

std::string_view trim_blanks(std::string_view run) noexcept {
  while (!run.empty() && run.front() == ' ') run.remove_prefix(1);
  while (!run.empty() && run.back() == ' ') run.remove_suffix(1);
  return run;
}

std::string_view longest_run(std::string_view text) noexcept {
  std::string_view longest;
  if (!is_utf8(text)) return longest;
  while (!text.empty()) {
    std::size_t const length = run_length(text);
    std::string_view const run = trim_blanks(text.substr(0, length));
    if (run.size() > longest.size()) longest = run;
    text.remove_prefix(length);
    if (!text.empty()) text.remove_prefix(begins_replaced(text) ? replacement_character.size() : 1);
  }
  return longest;
}

// True if a text can have `run` in such a place that both have a byte in common.
bool may_overlap(std::string_view run, std::string_view words) noexcept {
  if (words.find(run) != std::string_view::npos || run.find(words) != std::string_view::npos) return true;
  for (std::size_t n = 1; n < std::min(run.size(), words.size()); ++n)
    if (run.substr(run.size() - n) == words.substr(0, n)
        || run.substr(0, n) == words.substr(words.size() - n))
      return true;
  return false;
}

bool may_be_added(std::string_view run, bool ignore_case) {
  return std::any_of(added_words.begin(), added_words.end(), [&](std::string_view words) {
    return may_overlap(run, ignore_case ? change_letters(words, small_letter_of) : std::string(words));
  });
}

#if defined(__SSE2__)
// One bit for each of the 64 places from `p` on that `select` chooses; it returns all ones for such a place.
// Nearly always there is none, so one test of all is first.
template <class Select> std::uint64_t chosen64(char const* p, Select select) noexcept {
  __m128i const a = select(p), b = select(p + 16), c = select(p + 32), d = select(p + 48);
  if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0) return 0;
  return block_bits(a, 0) | block_bits(b, 16) | block_bits(c, 32) | block_bits(d, 48);
}

__m128i load16(char const* p) noexcept { return _mm_loadu_si128(reinterpret_cast<__m128i const*>(p)); }
#endif

// Calls `check` with each of the first `places` bytes of a text that `select` chooses, until it returns true.
// `select` gets 16 bytes at once, and may look at the bytes after them.
template <class Select, class Check>
bool any_place(char const* text, std::size_t places, [[maybe_unused]] Select select, Check check) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t block = 64;
  for (std::size_t at = 0; places >= block && at < places; at += block) {
    char const* const p = text + std::min(at, places - block); // the last block overlaps the one before it
    for (std::uint64_t bits = chosen64(p, select); bits != 0; bits &= bits - 1)
      if (check(p + __builtin_ctzll(bits))) return true;
  }
  if (places >= block) return false;
#endif
  for (std::size_t at = 0; at < places; ++at)
    if (check(text + at)) return true;
  return false;
}

// True if an escape of a code unit may stand for a byte of a run. A run has no control characters, so that
// for an ASCII run only `\u0020` to `\u007f` count: terminal output and foreign scripts have many others.
bool has_escape_for(std::string_view line, bool ascii) noexcept {
  constexpr std::size_t length = 6; // of an escape
  if (line.size() < length) return false;
#if defined(__SSE2__)
  auto const begins_escape = [](char const* p) {
    return _mm_and_si128(equal_bytes(load16(p), '\\'), equal_bytes(load16(p + 1), 'u'));
  };
#else
  constexpr int begins_escape = 0;
#endif
  return any_place(line.data(), line.size() - length + 1, begins_escape, [ascii](char const* p) {
    if (p[0] != '\\' || p[1] != 'u') return false;
    return !ascii || (p[2] == '0' && p[3] == '0' && p[4] >= '2' && p[4] <= '7');
  });
}

}}

ByteRun::ByteRun(std::string lower, std::string capital)
    : small_(std::move(lower)), capital_(std::move(capital)), second_(small_.size() - 1) {
  auto const rarer = [&](std::size_t a, std::size_t b) {
    return search_needle_inl::rarity(small_[a]) > search_needle_inl::rarity(small_[b]);
  };
  for (std::size_t i = 1; i < small_.size(); ++i)
    if (rarer(i, first_)) first_ = i;
  if (second_ == first_) second_ = 0;
  for (std::size_t i = 0; i < small_.size(); ++i)
    if (i != first_ && rarer(i, second_)) second_ = i;
}

bool ByteRun::is_at(char const* p) const noexcept {
  for (std::size_t i = 0; i < small_.size(); ++i)
    if (p[i] != small_[i] && p[i] != capital_[i]) return false;
  return true;
}

bool ByteRun::is_in(std::string_view text) const noexcept {
  if (text.size() < small_.size()) return false;
  std::size_t const places = text.size() - small_.size() + 1;
  auto const check = [this](char const* p) { return is_at(p); };
#if defined(__SSE2__)
  auto const all = [](char c) { return _mm_set1_epi8(c); };
  std::size_t const first = first_, second = second_;
  __m128i const a = all(small_[first]), b = all(small_[second]);
  auto const has_pair = [=](char const* p) {
    return _mm_and_si128(_mm_cmpeq_epi8(search_needle_inl::load16(p + first), a),
                         _mm_cmpeq_epi8(search_needle_inl::load16(p + second), b));
  };
  if (small_ == capital_) return search_needle_inl::any_place(text.data(), places, has_pair, check);
  __m128i const c = all(capital_[first]), d = all(capital_[second]);
  auto const has_either_pair = [=](char const* p) {
    __m128i const x = search_needle_inl::load16(p + first), y = search_needle_inl::load16(p + second);
    return _mm_and_si128(_mm_or_si128(_mm_cmpeq_epi8(x, a), _mm_cmpeq_epi8(x, c)),
                         _mm_or_si128(_mm_cmpeq_epi8(y, b), _mm_cmpeq_epi8(y, d)));
  };
  return search_needle_inl::any_place(text.data(), places, has_either_pair, check);
#else
  return search_needle_inl::any_place(text.data(), places, 0, check);
#endif
}

SearchNeedle::SearchNeedle(std::string_view text, bool ignore_case) {
  std::string const lower = ignore_case ? change_letters(text, small_letter_of) : std::string(text);
  std::string const run(search_needle_inl::longest_run(lower));
  if (run.empty()) return;
  run_.emplace_back(run, ignore_case ? change_letters(run, capital_letter_of) : run);
  ascii_ = std::all_of(run.begin(), run.end(), [](char c) { return byte_of(c) < 0x80; });
  if (!search_needle_inl::may_be_added(run, ignore_case)) return;
  for (std::string_view const role : rewording_roles)
    roles_.emplace_back(std::string(role), std::string(role));
}

bool SearchNeedle::passes(std::string_view line) const noexcept {
  if (run_.empty() || run_.front().is_in(line)) return true;
  if (search_needle_inl::has_escape_for(line, ascii_)) return true;
  return std::any_of(roles_.begin(), roles_.end(), [&](ByteRun const& role) { return role.is_in(line); });
}

}}}
