// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/upkeep/search_grams.hpp>

#include <algorithm>
#include <string>

namespace sk = sessionkit;
using Grams = std::vector<sk::detail::Gram>;

namespace {

sk::detail::Gram gram(std::string const& text) {
  sk::detail::Gram value = 0;
  for (char const c : text) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}
Grams sorted(Grams grams) {
  std::sort(grams.begin(), grams.end());
  return grams;
}

}

TEST_CASE("the grams of a text are its sequences of three bytes, in small letters") {
  sk::detail::GramSet set;
  set.add("ABcab");
  set.add("ab"); // none
  CHECK(sorted(set.take()) == Grams{gram("abc"), gram("bca"), gram("cab")});
  CHECK(set.take().empty());
  set.add("abc");
  CHECK(set.take() == Grams{gram("abc")}); // also a second time
}

TEST_CASE("a text has the grams of each part of it that a search may find") {
  std::string const text = "Ünïcödé 日本語 \xFF\xC3"
                           "x ЖЁ😀\xED\xA0\x80 end",
                    capitals = "ÜNÏCÖDÉ 日";
  sk::detail::GramSet set;
  set.add(text);
  Grams const all = sorted(set.take());
  for (std::string const& part : {text.substr(0, 9), std::string("日"), std::string("本語 "),
                                  std::string("x ЖЁ"), std::string("Ё😀"), std::string(" end"), capitals}) {
    CAPTURE(part);
    Grams const grams = sk::detail::grams_to_find(part);
    CHECK_FALSE(grams.empty());
    CHECK(std::includes(all.begin(), all.end(), grams.begin(), grams.end()));
  }
}

TEST_CASE("short texts, and parts of characters, have no grams to find") {
  for (auto const* text : {"", "a", "ab", "é", "\x84xyz", "xyz\xC3"})
    CHECK(sk::detail::grams_to_find(text).empty());
}

TEST_CASE("a long text is found by some of its grams") {
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::to_string(i * 7919) + " ";
  sk::detail::GramSet set;
  set.add(text);
  Grams const all = sorted(set.take()), some = sk::detail::grams_to_find(text);
  CHECK((some.size() > 8 && some.size() <= 32));
  CHECK(std::is_sorted(some.begin(), some.end()));
  CHECK(std::includes(all.begin(), all.end(), some.begin(), some.end()));
}
