// SPDX-License-Identifier: MIT
// Divides texts into grams of three bytes, in which capital letters are folded.
#pragma once
#include <sessionkit/detail/base/fold_case.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/upkeep/search_grams.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace search_grams_inl { namespace {

constexpr std::size_t possible_grams = std::size_t{1} << (8 * gram_bytes);
constexpr std::size_t most_to_find = 32; // each is one more read of the index

template <class Use> void each_gram(std::string_view text, Use use) {
  std::string const folded = change_letters(text, small_letter_of);
  Gram gram = 0;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    gram = (gram << 8 | byte_of(folded[i])) % possible_grams;
    if (i + 1 >= gram_bytes) use(gram);
  }
}

}}

GramSet::GramSet() : bits_(search_grams_inl::possible_grams / 64) {}

void GramSet::add(std::string_view text) {
  search_grams_inl::each_gram(text, [this](Gram gram) {
    std::uint64_t const bit = std::uint64_t{1} << gram % 64;
    if ((bits_[gram / 64] & bit) != 0) return;
    bits_[gram / 64] |= bit;
    grams_.push_back(gram);
  });
}

std::vector<Gram> GramSet::take() {
  for (Gram const gram : grams_) bits_[gram / 64] = 0;
  return std::exchange(grams_, {});
}

std::vector<Gram> grams_to_find(std::string_view text) {
  // A part of a character may have a capital letter around it, which is folded otherwise.
  if (!is_utf8(text)) return {};
  std::vector<Gram> all;
  search_grams_inl::each_gram(text, [&all](Gram gram) { all.push_back(gram); });
  std::size_t const step = all.size() / search_grams_inl::most_to_find + 1;
  std::vector<Gram> some;
  for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  std::sort(some.begin(), some.end());
  some.erase(std::unique(some.begin(), some.end()), some.end());
  return some;
}

}}}
