// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/upkeep/search_needle.hpp>

#include <string>

using sessionkit::detail::ByteRun;
using sessionkit::detail::SearchNeedle;

namespace {

std::string run_of(std::string const& text) { return std::string(SearchNeedle(text, false).run()); }

bool passes(std::string const& text, std::string const& line, bool ignore_case = false) {
  return SearchNeedle(text, ignore_case).passes(line);
}

}

TEST_CASE("the run of a search is the longest part that JSON writes in one way") {
  CHECK(run_of("needle") == "needle");
  CHECK(run_of("src/csv.ts") == "csv.ts");
  CHECK(run_of("a \"quoted\" word") == "quoted");
  CHECK(run_of("one\ntwo three\tx") == "two three");
  CHECK(run_of("日本\\") == "日本");
  CHECK(run_of(std::string("ab\0cde", 6)) == "cde");
  CHECK(run_of("ab\xEF\xBF\xBD"
               "c")
        == "ab");
  CHECK(run_of(" theme = dark ") == "theme");
  CHECK(run_of("bash {\"a\"") == "bash");
  CHECK(run_of("error 404") == "error");
  CHECK(run_of("is true") == "true");
  CHECK(run_of("a flaky test") == "a flaky test");
  CHECK(run_of("\\/\"\n = {}").empty());
  CHECK(run_of("\xFFneedle").empty());
}

TEST_CASE("lines pass that have the run, or escapes that may stand for it") {
  CHECK(passes("needle", R"({"a":"a needle"})"));
  CHECK_FALSE(passes("needle", R"({"a":"a need le"})"));
  CHECK(passes("needle", R"({"a":"n\u0065edle"})"));
  CHECK_FALSE(passes("needle", R"({"a":"\u001b[31m \u4f60\u597d"})"));
  CHECK(passes("你", R"({"a":"\u4f60"})"));
  CHECK(passes("Needle", R"({"a":"nEEDLE"})", true));
  CHECK_FALSE(passes("Needle", R"({"a":"nEEDLE"})"));
  CHECK(passes("ёлка", R"({"a":"ЁЛКА"})", true));
  CHECK(passes("\n", "anything"));
}

TEST_CASE("lines pass whose decoder adds words that the text may have") {
  std::string const line = R"({"message":{"role":"bashExecution","command":"ls"}})";
  CHECK(passes("exited with code", line));
  CHECK(passes("EXITED WITH", line, true));
  CHECK(passes("`ls", line)); // ends in the command
  CHECK_FALSE(passes("needle", line));
  CHECK_FALSE(passes("exited with code", R"({"message":{"role":"user","content":"ls"}})"));
}

TEST_CASE("a run is found wherever it is, also at the ends of texts of any length") {
  sessionkit_test::Random random(20);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t n = random.below(200); n > 0; --n) text += random.one_of("ab");
    std::string needle;
    for (std::size_t n = 1 + random.below(9); n > 0; --n) needle += random.one_of("ab");
    CAPTURE(text, needle);
    REQUIRE(ByteRun(needle, needle).is_in(text) == (text.find(needle) != std::string::npos));
  }
}
