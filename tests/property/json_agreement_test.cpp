// SPDX-License-Identifier: MIT
// Our scanner and nlohmann must agree on every line: accept or reject, and every decoded value. Where they
// differ on purpose, the difference is one of the policies below, each with a test case of its name; any
// other fails.
#include "support/catch.hpp"
#include "support/json_lines.hpp"
#include "support/json_oracle.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/json/json.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <string>
#include <string_view>

using namespace sessionkit_test::oracle;
using sessionkit_test::LineMaker;
using sessionkit_test::mutate;
using sessionkit_test::Random;

namespace {

/// Compares generated lines, about half of them mutated.
void compare_lines(std::uint64_t seed, std::size_t lines) {
  Random random(seed);
  LineMaker maker(random);
  std::size_t counts[verdict_count] = {};
  std::string other = "{}";
  for (std::size_t i = 0; i < lines; ++i) {
    std::string const made = maker.line();
    std::string line = made;
    if (random.one_in(2))
      for (std::size_t n = 1 + random.below(3); n != 0; --n) mutate(random, line, other);
    other = made;
    Verdict const verdict = compare(line);
    ++counts[verdict];
    if (verdict == disagreement) {
      CAPTURE(seed, i, json(line).dump(-1, ' ', true, json::error_handler_t::replace));
      REQUIRE(verdict != disagreement);
    }
  }
  std::printf("seed %llu, %zu lines:", static_cast<unsigned long long>(seed), lines);
  for (std::size_t i = 0; i < verdict_count; ++i) {
    std::printf(" %s %zu%s", verdict_names[i], counts[i], i + 1 < verdict_count ? "," : "\n");
    if (i == disagreement) continue;
    INFO(verdict_names[i]);
    CHECK(counts[i] > 0); // a kind that never occurred was not tested
  }
  CHECK(counts[both_accept] > lines / 3);
  CHECK(counts[both_reject] > lines / 10);
}

}

TEST_CASE("scanner and nlohmann agree on generated and mutated lines, first quarter million") {
  compare_lines(1, 250'000 / sessionkit_test::sanitizer_share);
}
TEST_CASE("scanner and nlohmann agree on generated and mutated lines, second quarter million") {
  compare_lines(2, 250'000 / sessionkit_test::sanitizer_share);
}
TEST_CASE("scanner and nlohmann agree on generated and mutated lines, third quarter million") {
  compare_lines(3, 250'000 / sessionkit_test::sanitizer_share);
}
TEST_CASE("scanner and nlohmann agree on generated and mutated lines, fourth quarter million") {
  compare_lines(4, 250'000 / sessionkit_test::sanitizer_share);
}

TEST_CASE("policy: a lone surrogate escape does not lose the line, nlohmann refuses it") {
  std::string const line = R"({"text":"cut \ud83d"})";
  CHECK_FALSE(json::accept(line));
  CHECK(check_json(line));
  CHECK(check_json(line).lone_surrogate);
  CHECK(to_text(find_member(line, "text")) == "cut \xED\xA0\xBD");
  CHECK(compare(line) == lone_surrogate);
}

TEST_CASE("policy: bytes that are not UTF-8 do not lose the line, nlohmann refuses it") {
  std::string const line = "{\"text\":\"a\xFFz\"}";
  CHECK_FALSE(json::accept(line));
  CHECK(check_json(line));
  CHECK_FALSE(check_json(line).utf8);
  CHECK(to_text(find_member(line, "text")) == "a\xEF\xBF\xBDz");
  CHECK(compare(line) == invalid_utf8);
}

TEST_CASE("policy: a number beyond the greatest double is valid JSON without a value, nlohmann refuses it") {
  std::string const line = R"({"n":-1e400})";
  CHECK_FALSE(json::accept(line));
  CHECK(check_json(line));
  CHECK_FALSE(to_double(find_member(line, "n")));
  CHECK(compare(line) == too_great_a_number);
}

TEST_CASE(
    "policy: an integer beyond 64 bits is not an integer and keeps its text, nlohmann makes it a double") {
  std::string const line = R"({"n":18446744073709551617})";
  CHECK(json::parse(line)["n"].is_number_float());
  CHECK(find_member(line, "n") == "18446744073709551617");
  CHECK_FALSE(to_uint(find_member(line, "n")));
  CHECK(to_double(find_member(line, "n")) == 0x1p64);
  CHECK(compare(line) == big_integer);
}

TEST_CASE("policy: more than 128 levels are refused, nlohmann reads them and may not survive writing them") {
  std::string const fits = std::string(128, '[') + std::string(128, ']');
  std::string const deep = "[" + fits + "]";
  CHECK(json::accept(deep));
  CHECK(check_json(deep).fault == JsonCheck::too_deep);
  CHECK(compare(deep) == deeper_than_128);
  CHECK(compare(fits) == both_accept);
}

TEST_CASE(
    "policy: a byte order mark is not JSON, the reader of a file skips it, nlohmann skips it anywhere") {
  std::string const line = "\xEF\xBB\xBF{}";
  CHECK(json::accept(line));
  CHECK(check_json(line).fault == JsonCheck::syntax);
  CHECK(check_json(line).offset == 0);
  CHECK(compare(line) == byte_order_mark);
}

TEST_CASE("policy: a NUL byte does not end the text, nlohmann ignores what follows it") {
  std::string const line("{}\0{broken", 10);
  CHECK(json::accept(line));
  CHECK(check_json(line).fault == JsonCheck::trailing);
  CHECK(check_json(line).offset == 2);
  CHECK(compare(line) == nul_byte);
}
