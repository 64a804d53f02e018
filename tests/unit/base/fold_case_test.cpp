// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/fold_case.hpp>

#include <map>

using sessionkit::detail::capital_letter_of;
using sessionkit::detail::change_letters;
using sessionkit::detail::small_letter_of;

TEST_CASE("each small letter has at most one capital, and both have one length in bytes") {
  std::map<char32_t, char32_t> capitals;
  for (char32_t c = 0; c < 0x3000; ++c) {
    char32_t const small = small_letter_of(c);
    CHECK((small < 0x80) == (c < 0x80));
    CHECK((small < 0x800) == (c < 0x800));
    if (small == c) continue;
    CHECK(small_letter_of(small) == small);
    CHECK(capitals.emplace(small, c).second);
  }
  CHECK(capitals.size() > 200);
  for (char32_t c = 0; c < 0x3000; ++c) {
    auto const capital = capitals.find(c);
    CHECK(capital_letter_of(c) == (capital == capitals.end() ? c : capital->second));
  }
}

TEST_CASE("letters change in place") {
  CHECK(change_letters("aé-Жz\xFF题", capital_letter_of) == "AÉ-ЖZ\xFF题");
  CHECK(change_letters("", capital_letter_of).empty());
}
