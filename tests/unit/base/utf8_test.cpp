// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/guarded_text.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/base/utf8.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace sessionkit::detail;
using sessionkit_test::GuardedText;
using sessionkit_test::Random;

namespace {

/// The bytes of a code point by the table of RFC 3629 section 3, surrogates included.
std::string encoded(std::uint32_t cp) {
  auto const c = [](std::uint32_t byte) { return static_cast<char>(byte); };
  if (cp <= 0x7F) return {c(cp)};
  if (cp <= 0x7FF) return {c(0xC0 + cp / 64), c(0x80 + cp % 64)};
  if (cp <= 0xFFFF) return {c(0xE0 + cp / 4096), c(0x80 + cp / 64 % 64), c(0x80 + cp % 64)};
  return {c(0xF0 + cp / 262144), c(0x80 + cp / 4096 % 64), c(0x80 + cp / 64 % 64), c(0x80 + cp % 64)};
}

bool is_surrogate(std::uint32_t cp) { return cp >= 0xD800 && cp <= 0xDFFF; }

/// The validity of byte sequences, from encoding every code point of up to three bytes; the index is the
/// bytes, big end first.
struct Encodings {
  std::vector<bool> of_length[4];
  Encodings() {
    for (unsigned length = 1; length <= 3; ++length) of_length[length].resize(std::size_t{1} << (8 * length));
    for (std::uint32_t cp = 0; cp <= 0xFFFF; ++cp) {
      if (is_surrogate(cp)) continue;
      std::string const bytes = encoded(cp);
      std::size_t index = 0;
      for (char const byte : bytes) index = index << 8 | static_cast<unsigned char>(byte);
      of_length[bytes.size()][index] = true;
    }
  }
  bool one(unsigned a) const { return of_length[1][a]; }
  bool two(unsigned a, unsigned b) const { return (one(a) && one(b)) || of_length[2][a << 8 | b]; }
  bool three(unsigned a, unsigned b, unsigned c) const {
    return (one(a) && two(b, c)) || (of_length[2][a << 8 | b] && one(c))
           || of_length[3][a << 16 | b << 8 | c];
  }
};

/// nlohmann's replacement of invalid bytes, an independent "maximal subpart" replacement.
std::string replaced_by_nlohmann(std::string const& text) {
  nlohmann::json const quoted = text;
  return nlohmann::json::parse(quoted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

}

TEST_CASE("all sequences of one to three bytes are valid exactly if some code points encode so") {
  Encodings const known;
  std::size_t wrong = 0;
  for (unsigned a = 0; a < 256; ++a) {
    char bytes[3] = {static_cast<char>(a), 0, 0};
    wrong += is_utf8({bytes, 1}) != known.one(a);
    for (unsigned b = 0; b < 256; ++b) {
      bytes[1] = static_cast<char>(b);
      wrong += is_utf8({bytes, 2}) != known.two(a, b);
      for (unsigned c = 0; c < 256; ++c) {
        bytes[2] = static_cast<char>(c);
        wrong += is_utf8({bytes, 3}) != known.three(a, b, c);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every code point is appended as its encoding, and is valid unless a surrogate") {
  std::size_t wrong = 0;
  for (std::uint32_t cp = 0; cp <= 0x10FFFF; ++cp) {
    std::string out;
    append_utf8(out, cp);
    wrong += out != encoded(cp) || is_utf8(out) == is_surrogate(cp) || has_surrogate(out) != is_surrogate(cp);
  }
  CHECK(wrong == 0);
  std::string out;
  append_utf8(out, 0x110000);
  CHECK(out == "\xEF\xBF\xBD");
}

TEST_CASE("four-byte sequences are invalid when overlong, beyond U+10FFFF or broken at any byte") {
  for (std::string_view const bad :
       {"\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xF8\x88\x80\x80\x80", "\xF0\x9F\x98", "\xF0\x9F", "\xF0", "\xF0\x9F\x98z"})
    CHECK_FALSE(is_utf8(bad));
  Random random(7);
  std::size_t wrong = 0;
  for (std::uint32_t cp = 0x10000; cp <= 0x10FFFF; cp += 37) {
    std::string bytes = encoded(cp);
    bytes[1 + random.below(3)] = static_cast<char>(random.below(0x80)); // an ASCII byte cannot continue
    wrong += is_utf8(bytes);
  }
  CHECK(wrong == 0);
}

TEST_CASE("one invalid byte is found at every place of a text of every length, without reading beyond it") {
  std::size_t wrong = 0;
  for (std::size_t size = 0; size <= 80; ++size) {
    GuardedText const clean{std::string(size, 'x')};
    wrong += !is_utf8(clean.view())
             || ascii_end(clean.view().data(), clean.view().data() + size)
                    != ascii_end_scalar(clean.view().data(), clean.view().data() + size);
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '\xE2';
      GuardedText const broken{text};
      char const* const begin = broken.view().data();
      wrong += is_utf8(broken.view()) || replace_invalid(broken.view()).size() != size + 2;
      wrong +=
          ascii_end(begin, begin + size) != begin + at || ascii_end_scalar(begin, begin + size) != begin + at;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("any changed byte among three-byte characters is judged as nlohmann judges it") {
  std::size_t wrong = 0;
  for (std::string_view const row : {"会话存储在本地文件", "가나다라마바사아자", "ࠀࠁࠂࠃࠄࠅࠆ!"}) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string text(row);
        text[at] = static_cast<char>(byte);
        GuardedText const guarded{text};
        wrong += is_utf8(guarded.view()) != (replaced_by_nlohmann(text) == text);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("invalid bytes are replaced as nlohmann replaces them, and valid text stays unchanged") {
  constexpr std::uint64_t seed = 20251103;
  CAPTURE(seed);
  Random random(seed);
  constexpr std::string_view leads =
      "\xC1\xC2\xDF\xE0\xE2\xED\xEF\xF0\xF3\xF4\xF5\xFF\x80\x8F\x90\x9F\xBF\x41";
  for (int round = 0; round < 100'000; ++round) {
    std::string text;
    for (std::size_t n = random.below(24); n != 0; --n)
      text += random.one_in(4) ? random.byte() : random.one_of(leads);
    if (has_surrogate(text)) continue;
    std::string const expected = replaced_by_nlohmann(text);
    if (replace_invalid(text) != expected || is_utf8(text) != (text == expected)) {
      CAPTURE(text);
      REQUIRE(replace_invalid(text) == expected);
      REQUIRE(is_utf8(text) == (text == expected));
    }
  }
}

TEST_CASE("a lone surrogate becomes one replacement character, and a pair becomes its character") {
  CHECK(replace_invalid("a\xED\xA0\xBDz") == "a\xEF\xBF\xBDz");
  CHECK(replace_invalid("\xED\xB8\x80\xED\xA0\xBD") == "\xEF\xBF\xBD\xEF\xBF\xBD"); // low before high
  CHECK(replace_invalid("\xED\xA0\xBD\xED\xB8\x80") == "\xF0\x9F\x98\x80");
  CHECK(replace_invalid("\xED\xA0")
        == "\xEF\xBF\xBD\xEF\xBF\xBD"); // torn: no surrogate, two bytes that begin nothing
  CHECK(replace_invalid("").empty());
  CHECK(has_surrogate("xx\xED\xA0\xBD"));
  CHECK_FALSE(has_surrogate("xx\xED\x9F\xBF\xED"));
  CHECK_FALSE(has_surrogate(""));
}

TEST_CASE("a text is cut after complete code points") {
  std::string_view const text = "a\xC3\xA9\xE4\xBC\x9A\xF0\x9F\x98\x80z"; // 1, 2, 3, 4 and 1 bytes
  std::size_t const ends[] = {0, 1, 3, 6, 10, 11, 11};
  for (std::size_t n = 0; n < 7; ++n) CHECK(utf8_cut(text, n) == ends[n]);
  CHECK(utf8_cut("", 5) == 0);
  CHECK(utf8_cut("\xED\xA0\xBD\xED\xB8\x80z", 1) == 6);
  CHECK(utf8_cut("\xFF\xFF\xFF", 2) == 2);
  CHECK(utf8_cut("\xE2\x82", 1) == 2);
}

TEST_CASE("text in a message is quoted, short and printable, whatever its content") {
  CHECK(printable("abc", 10) == "\"abc\"");
  CHECK(printable("a\x1B[2J\xFF\n", 10) == "\"a?[2J??\"");
  CHECK(printable("abcdef", 3) == "\"abc...\"");
}
