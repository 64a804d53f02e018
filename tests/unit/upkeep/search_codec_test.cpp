// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/upkeep/search_codec.hpp>

#include <algorithm>
#include <set>

using namespace sessionkit_test;
namespace sk = sessionkit;

TEST_CASE("numbers and texts of an index are read as they were written") {
  std::vector<std::uint64_t> const numbers{0, 1, 127, 128, 16383, 16384, 1U << 31, ~std::uint64_t{0}};
  std::string text;
  for (std::uint64_t const number : numbers) sk::detail::put_number(text, number);
  sk::detail::put_bytes(text, "bytes");
  sk::detail::put_bytes(text, "");
  sk::detail::NumberReader reader(text);
  for (std::uint64_t const number : numbers) CHECK(reader.number() == number);
  CHECK(reader.bytes() == "bytes");
  CHECK(reader.bytes().empty());
  CHECK((reader.is_at_end() && !reader.has_failed()));
}

TEST_CASE("a text of an index that is cut or damaged gives a failure, and no more numbers") {
  for (std::string const& text : {std::string(), std::string("\x80"), std::string(12, '\xFF')}) {
    sk::detail::NumberReader reader(text);
    CHECK(reader.number() == 0);
    CHECK((reader.has_failed() && reader.is_at_end()));
  }
  sk::detail::NumberReader reader("\x05four");
  CHECK(reader.bytes().empty());
  CHECK(reader.has_failed());
}

TEST_CASE("lists of blocks are decoded and intersected as sets") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::set<std::uint32_t> a, b;
    std::size_t const most = 1 + random.below(300);
    for (std::size_t i = random.below(80); i > 0; --i)
      a.insert(static_cast<std::uint32_t>(random.below(most)));
    for (std::size_t i = random.below(80); i > 0; --i)
      b.insert(static_cast<std::uint32_t>(random.below(most)));
    sk::detail::BlockNumbers const first(a.begin(), a.end()), second(b.begin(), b.end());
    CHECK(sk::detail::decode_blocks(sk::detail::encode_blocks(first)) == first);
    sk::detail::BlockNumbers both, kept = first;
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
    sk::detail::keep_listed(kept, sk::detail::encode_blocks(second));
    CHECK(kept == both);
  }
}

TEST_CASE("the entries of a page are read in their order") {
  std::string page;
  sk::detail::put_gram(page, 0, 5, "a");
  sk::detail::put_gram(page, 5, 70000, "");
  sk::detail::put_gram(page, 70000, 0xFFFFFF, "list");
  sk::detail::PageWalk walk(page);
  REQUIRE(walk.next());
  CHECK((walk.gram() == 5 && walk.list() == "a"));
  REQUIRE(walk.next());
  CHECK((walk.gram() == 70000 && walk.list().empty()));
  REQUIRE(walk.next());
  CHECK((walk.gram() == 0xFFFFFF && walk.list() == "list"));
  CHECK_FALSE(walk.next());
  sk::detail::PageWalk cut(std::string_view(page).substr(0, 2));
  CHECK_FALSE(cut.next());
}
