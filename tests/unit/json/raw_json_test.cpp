// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/raw_json.hpp>

#include <string>

using sessionkit::Errc;
using sessionkit::RawJson;
using sessionkit_test::contains;

TEST_CASE("raw JSON is null by default") {
  CHECK(RawJson().str() == "null");
  CHECK(RawJson().is_null());
}

TEST_CASE("raw JSON keeps the spelling of its source") {
  for (std::string const text :
       {R"({"z":1.0,"a":1e400,"z":"\u0041\ud83d"})", "-0", "12345678901234567890123", "[ ]", "\"\""})
    CHECK(RawJson::parse(text).value().str() == text);
}

TEST_CASE("raw JSON is one line, without white space around it") {
  CHECK(RawJson::parse("\n { \"a\" :\r\n1,\t\"b\\n\":2 } \r\n").value().str()
        == "{ \"a\" :  1,\t\"b\\n\":2 }");
  CHECK(RawJson::parse(" [\n1\n]").value().str() == "[ 1 ]");
}

TEST_CASE("invalid JSON is refused with its offset and the fix") {
  struct Bad {
    std::string text;
    char const* place;
  };
  for (auto const& bad : {Bad{"", "at offset 0"}, Bad{"{\"a\":1", "ends too early, at offset 6"},
                          Bad{"{\"a\":x}", "at offset 5"}, Bad{"1 2", "second value at offset 2"},
                          Bad{std::string(200, '['), "deeper than 128 at offset 128"},
                          Bad{"\"ab\xFF\"", "not UTF-8 at offset 3"}, Bad{"\"a\nb\"", "at offset 2"},
                          Bad{"NaN", "at offset 0"}}) {
    CAPTURE(bad.text);
    auto const parsed = RawJson::parse(bad.text);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code == Errc::invalid_argument);
    CHECK_THAT(parsed.error().message, contains(bad.place));
    CHECK_THAT(parsed.error().message, contains("; "));
  }
}

TEST_CASE("text that is not JSON becomes a JSON string of that text") {
  CHECK(RawJson::from("{\"a\":1}").str() == "{\"a\":1}");
  CHECK(RawJson::from("{\"path\": \"cut of").str() == R"("{\"path\": \"cut of")");
  CHECK(RawJson::from("").str() == R"("")");
  CHECK(RawJson::from("NaN").str() == R"("NaN")");
  CHECK(RawJson::from("two\nlines").str() == R"("two\nlines")");
  CHECK(RawJson::from(std::string(129, '[') + std::string(129, ']')).is_string());
}

TEST_CASE("valid JSON with bytes that are not UTF-8 keeps its shape and loses the bytes") {
  CHECK(RawJson::from("{\"a\":\"x\xFFy\"}").str() == "{\"a\":\"x\xEF\xBF\xBDy\"}");
  CHECK(RawJson::from("\"x\xE2\x82\"").str() == "\"x\xEF\xBF\xBD\"");
}

TEST_CASE("a text becomes an escaped JSON string") {
  CHECK(RawJson::string("say \"hi\"\n\x01\xE4\xBC\x9A").str() == "\"say \\\"hi\\\"\\n\\u0001\xE4\xBC\x9A\"");
  CHECK(RawJson::string("\xED\xA0\xBD").str() == R"("\ud83d")");
}

TEST_CASE("raw JSON reports its kind") {
  CHECK(RawJson::from(" {}").is_object());
  CHECK(RawJson::string("").is_string());
  CHECK_FALSE(RawJson::from("[]").is_object());
  CHECK_FALSE(RawJson::from("[]").is_string());
  CHECK_FALSE(RawJson::string("null").is_null());
}

TEST_CASE("raw JSON is equal if its text is") {
  CHECK(RawJson::from("1") == RawJson::from("1"));
  CHECK(RawJson::from("1") != RawJson::from("1.0"));
}
