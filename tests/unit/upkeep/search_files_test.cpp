// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/upkeep/search_codec.hpp>
#include <sessionkit/detail/upkeep/search_files.hpp>
#include <sessionkit/version.hpp>

namespace sk = sessionkit;
using sk::detail::SegmentName;

TEST_CASE("a list of segments is read as it was written") {
  std::vector<SegmentName> const names{{"a.seg", 1000, 20, 0xFFFFFFFF}, {"b.seg", 0, 7, 1}};
  auto const read = sk::detail::read_segment_list(sk::detail::write_segment_list(names));
  REQUIRE(read.size() == 2);
  CHECK((read[0].file == "a.seg" && read[0].tail_at == 1000 && read[0].tail_bytes == 20));
  CHECK((read[0].tail_crc == 0xFFFFFFFF && read[1].file == "b.seg"));
}

TEST_CASE("a list of segments that is damaged, cut or of another version names none") {
  std::string const text = sk::detail::write_segment_list({{"a.seg", 1000, 20, 3}});
  REQUIRE(sk::detail::read_segment_list(text).size() == 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    CAPTURE(i);
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    CHECK(sk::detail::read_segment_list(changed).empty());
    CHECK(sk::detail::read_segment_list(text.substr(0, i)).empty());
  }
  CHECK(sk::detail::read_segment_list(text + "x").empty());
}

TEST_CASE("the segments of another version of the library are not used") {
  auto const list = [](std::string const& version) {
    std::string text;
    sk::detail::put_bytes(text, "sessionkit search index 1, library " + version);
    sk::detail::put_number(text, 1);
    sk::detail::put_bytes(text, "a.seg");
    for (std::uint64_t number = 1; number <= 3; ++number) sk::detail::put_number(text, number);
    sk::detail::put_number(text, sk::detail::crc32c(text));
    return text;
  };
  CHECK(sk::detail::read_segment_list(list(SESSIONKIT_VERSION)).size() == 1);
  CHECK(sk::detail::read_segment_list(list("0.0.1")).empty());
}
