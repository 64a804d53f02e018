// SPDX-License-Identifier: MIT
// The texts of a build without {fmt} are those of a build with it.
#include "support/catch.hpp"
#include "text_patterns.hpp" // written by tests/headers/pattern_table.py: every pattern of the source tree

#include <sessionkit/detail/base/small_format.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using sessionkit::detail::format_values;
using sessionkit::detail::FormatValue;
using sessionkit::detail::SmallFormat;

namespace {

std::vector<FormatValue> const& numbers() {
  static std::vector<FormatValue> const all{0,
                                            7,
                                            -1,
                                            -31,
                                            255,
                                            4096,
                                            std::uint64_t{0xFFFFFFFFU},
                                            std::uint64_t{1} << 63,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min(),
                                            std::numeric_limits<std::uint64_t>::max()};
  return all;
}
std::vector<FormatValue> const& texts() {
  static std::vector<FormatValue> const all{"",
                                            "x",
                                            "{}",
                                            "{0}} {{",
                                            "a text of more than a few bytes",
                                            std::string_view("with\0a NUL", 10),
                                            "\xe2\x82\xac"};
  return all;
}

std::string small(std::string_view pattern, std::vector<FormatValue> const& values) {
  return SmallFormat(values.data(), values.size())(pattern);
}
// By {fmt}, as this build of the library formats.
std::string full(std::string_view pattern, std::vector<FormatValue> const& values) {
  return format_values(pattern, values.data(), values.size());
}

}

TEST_CASE("each pattern of the source tree gives the same text with the small formatter and with {fmt}") {
  constexpr std::size_t most_places = 16;
  std::size_t compared = 0;
  for (std::string_view const pattern : text_patterns) {
    bool const integers = pattern.find("{:") != std::string_view::npos; // in a form for integers only
    std::vector<FormatValue> kinds = numbers();
    if (!integers) kinds.insert(kinds.end(), texts().begin(), texts().end());
    for (std::size_t first = 0; first < kinds.size(); ++first) {
      std::vector<FormatValue> values;
      for (std::size_t i = 0; i < most_places; ++i) values.push_back(kinds[(first + i) % kinds.size()]);
      CAPTURE(pattern, first);
      CHECK(small(pattern, values) == full(pattern, values));
      ++compared;
    }
  }
  CHECK(compared > 3'000);
}

TEST_CASE("the small formatter gives the texts that {fmt}'s documentation gives") {
  CHECK(small("{}, {}, {}", {"a", "b", "c"}) == "a, b, c");
  CHECK(small("{2}, {1}, {0}", {"a", "b", "c"}) == "c, b, a");
  CHECK(small("{0}{1}{0}", {"abra", "cad"}) == "abracadabra");
  CHECK(small("int: {0:d};  hex: {0:x};  oct: {0:o}", {42}) == "int: 42;  hex: 2a;  oct: 52");
  CHECK(small("{:08X} {:04o} {:02x} {:05d}", {0xBEEF, 0644, 0x123, -7}) == "0000BEEF 0644 123 -0007");
  CHECK(small("{{{}}}", {1}) == "{1}");
}

TEST_CASE("every width and type of the small formatter is that of {fmt}") {
  for (char const* const type : {"d", "x", "X", "o"})
    for (int width = 0; width < 30; ++width) {
      std::string const pattern =
          width == 0 ? std::string("<{:") + type + ">" : "<{:0" + std::to_string(width) + type + "}>";
      for (FormatValue const& number : numbers())
        if (width > 0) CHECK(small(pattern, {number}) == full(pattern, {number}));
    }
}

TEST_CASE(
    "a place that the small formatter does not know stays in the text, and no pattern reads beyond its end") {
  CHECK(small("{} and {}", {1}) == "1 and {}");
  CHECK(small("{:>8} {:.3f} {name} {1:", {1, 2}) == "{:>8} {:.3f} {name} {1:");
  for (std::string const pattern :
       {"{", "}", "{{", "}}", "{0", "{:", "{:0", "{:08", "{:08x", "{}{", "a}b", "{99999999999999999999}"})
    for (std::size_t cut = 0; cut <= pattern.size(); ++cut) (void)small(pattern.substr(0, cut), {1});
}
