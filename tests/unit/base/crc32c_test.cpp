// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/guarded_text.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/base/crc32c.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

using sessionkit::detail::crc32c;

namespace {

/// Bit by bit, by the definition.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (char const c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
  }
  return crc ^ 0xFFFFFFFF;
}

std::string counting(int from, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes.push_back(static_cast<char>(from + i * step));
  return bytes;
}

}

TEST_CASE("CRC-32C gives the values of RFC 3720 appendix B.4") {
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  CHECK(crc32c(counting(0, 1)) == 0x46DD794E);
  CHECK(crc32c(counting(31, -1)) == 0x113FDB5C);
  unsigned char const read_command[48] = {0x01, 0xC0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                                          0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                                          0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
  CHECK(crc32c({reinterpret_cast<char const*>(read_command), sizeof read_command}) == 0xD9963A56);
}

TEST_CASE("CRC-32C of nothing is 0, of the digits the catalogue's check value") {
  CHECK(crc32c("") == 0);
  CHECK(crc32c("123456789") == 0xE3069283);
}

TEST_CASE("CRC-32C equals the bitwise definition at every length and alignment, and continues from a seed") {
  sessionkit_test::Random random(3720);
  std::string const bytes = random.bytes(200);
  for (std::size_t from = 0; from < 16; ++from) {
    for (std::size_t size = 0; size <= 100; ++size) {
      std::string_view const part = std::string_view(bytes).substr(from, size);
      std::uint32_t const expected = slow_crc32c(part);
      REQUIRE(crc32c(part) == expected);
      auto const* const begin = reinterpret_cast<unsigned char const*>(part.data());
      REQUIRE(~sessionkit::detail::crc32c_by_tables(begin, size, 0xFFFFFFFF) == expected);
      std::size_t const cut = size / 3;
      REQUIRE(crc32c(part.substr(cut), crc32c(part.substr(0, cut))) == expected);
    }
  }
}

TEST_CASE("CRC-32C of long input equals the bitwise definition, from a seed too") {
  sessionkit_test::Random random(3385);
  std::string const bytes = random.bytes(40'000);
  for (std::size_t const size :
       std::initializer_list<std::size_t>{8191, 12'287, 12'288, 12'289, 12'300, 24'576, 30'001, 39'993}) {
    std::string_view const part = std::string_view(bytes).substr(7, size);
    std::uint32_t const expected = slow_crc32c(part);
    CHECK(crc32c(part) == expected);
    CHECK(crc32c(part.substr(100), crc32c(part.substr(0, 100))) == expected);
  }
}

TEST_CASE("CRC-32C reads nothing after its input") {
  sessionkit_test::GuardedText const text{std::string(64, 'x')};
  for (std::size_t size = 0; size <= 64; ++size)
    CHECK(crc32c(text.tail(size)) == slow_crc32c(text.tail(size)));
}
