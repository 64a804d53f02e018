// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/json/json.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace sessionkit::detail;

TEST_CASE("strings are read as JavaScript reads them") {
  CHECK(to_text(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(to_text(R"("\u0041\u00e9\u4F1a\ud83d\ude00")") == "A\xC3\xA9\xE4\xBC\x9A\xF0\x9F\x98\x80");
  CHECK(to_text(R"("\u0000")") == std::string(1, '\0'));
  CHECK(to_text("\"\x7F\xE2\x80\xA8\"") == "\x7F\xE2\x80\xA8");
  CHECK(to_text("\"\"").empty());
  CHECK(to_text("\"").empty());
  CHECK(to_text("").empty());
  CHECK(to_text("12").empty());
}

TEST_CASE("a lone surrogate is kept in its WTF-8 form, and written as its original escape") {
  for (std::string_view const json :
       {R"("a\ud83dz")", R"("\ude00")", R"("\ud83d\ud83d")", R"("\ude00\ud83d")"}) {
    std::string again;
    append_json_string(again, to_text(json));
    CHECK(again == json);
  }
  CHECK(to_text(R"("\ud83d")") == "\xED\xA0\xBD");
  CHECK(to_text(R"("\ud83d\ud83d\ude00")") == "\xED\xA0\xBD\xF0\x9F\x98\x80");
}

TEST_CASE("invalid UTF-8 is read and written as U+FFFD, as a decoder does") {
  CHECK(to_text("\"a\xFF\xE2\x82z\"") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
  CHECK(to_text("\"\xED\xA0\xBD\"")
        == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // raw bytes are not a surrogate escape
  std::string out;
  append_json_string(out, "\xFF\xC3");
  CHECK(out == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST_CASE("a u after a backslash is found wherever it is, and nothing else") {
  auto const found = [](std::string const& text) {
    return has_backslash_u(text.data(), text.data() + text.size());
  };
  for (std::size_t size = 0; size != 200; ++size) {
    std::string const plain(size, 'u');
    REQUIRE_FALSE(found(plain + '\\')); // and not after the end
    for (std::size_t at = 0; at != size; ++at) {
      std::string text(size, 'n');
      text[at] = '\\';
      if (at != 0) text[at - 1] = 'u';
      REQUIRE_FALSE(found(text));
      if (at + 1 == size) continue;
      text[at + 1] = 'u';
      REQUIRE(found(text));
    }
  }
}

TEST_CASE("a sequence that is not an escape is kept unchanged") {
  std::string out;
  append_unescaped(out, R"(\x \u12 \ud83d\u12 \)");
  CHECK(out == "\\x \\u12 \xED\xA0\xBD\\u12 \\");
}

TEST_CASE("text is written as nlohmann writes it") {
  std::string all;
  for (int c = 0; c < 128; ++c) all.push_back(static_cast<char>(c));
  all += "\xC2\x80\xE2\x80\xA8\xEF\xBF\xBF\xF4\x8F\xBF\xBF";
  std::string out;
  append_json_string(out, all);
  CHECK(out == nlohmann::json(all).dump());
  CHECK(to_text(out) == all);
}

TEST_CASE("text that grows while it is read or written has room at every length") {
  using nlohmann::json;
  for (std::size_t size = 0; size <= 300; ++size) {
    for (std::string const& text :
         {std::string(size, '\x01'), std::string(size, '"'), std::string(size, '\xFF'),
          std::string(size, 'x') + std::string(size, '\x02') + std::string(size, '\xE4')}) {
      std::string const expected = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
      std::string out = "before";
      append_json_string(out, text);
      REQUIRE(out == "before" + expected);
      REQUIRE(to_text(expected) == json::parse(expected).get<std::string>());
      REQUIRE(to_text("\"" + std::string(size, '\xFF') + "\"").size() == 3 * size);
    }
  }
}

TEST_CASE("two halves of a pair that were joined are one character again") {
  std::string out;
  append_json_string(out, "\xED\xA0\xBD\xED\xB8\x80");
  CHECK(out == "\"\xF0\x9F\x98\x80\"");
}

TEST_CASE("integers are read in any spelling, if integral and in range") {
  CHECK(to_int("0") == 0);
  CHECK(to_int("-0") == 0);
  CHECK(to_int("-0.0") == 0);
  CHECK(to_int("42") == 42);
  CHECK(to_int("5.0") == 5);
  CHECK(to_int("1e3") == 1000);
  CHECK(to_int("1.25E2") == 125);
  CHECK(to_rounded_int("42") == 42);
  CHECK(to_rounded_int("1767225602000.5") == 1767225602001);
  CHECK(to_rounded_int("-1.4") == -1);
  CHECK(to_rounded_int("9223372036854775807") == 9223372036854775807);
  CHECK_FALSE(to_rounded_int("1e19"));
  CHECK_FALSE(to_rounded_int("1e999"));
  CHECK_FALSE(to_rounded_int("x"));
  CHECK(to_int("12500e-2") == 125);
  CHECK(to_int("0e999999999999999999999") == 0);
  CHECK(to_int("0.000" + std::string(100'000, '0') + "7e100004") == 7);
  CHECK(to_int("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(to_int("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(to_uint("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(to_uint("1844674407370955161.50e1") == std::numeric_limits<std::uint64_t>::max());
  CHECK(to_uint("-0") == 0U);
  for (std::string_view const none :
       {"9223372036854775808", "-9223372036854775809", "1.5", "1e-1", "1e19", "1e400",
        "1e99999999999999999999", "", "-", "x", "01", "1.", " 1", "1 ", "\"1\"", "null"}) {
    CAPTURE(none);
    CHECK_FALSE(to_int(none));
  }
  for (std::string_view const none : {"18446744073709551616", "-1", "18446744073709551615.5", "1e20"}) {
    CAPTURE(none);
    CHECK_FALSE(to_uint(none));
  }
}

TEST_CASE("doubles are the nearest ones, too large gives none, too small gives zero") {
  CHECK(to_double("0.1") == 0.1);
  CHECK(to_double("-1e-3") == -0.001);
  CHECK(to_double("1.7976931348623157e308") == std::numeric_limits<double>::max());
  CHECK(to_double("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(to_double("1e-400") == 0.0);
  CHECK(to_double("0.0000e400") == 0.0);
  CHECK(1 / *to_double("-1e-400") < 0);
  CHECK(1 / *to_double("-0") < 0);
  for (std::string_view const none :
       {"1e400", "-1e309", "nan", "inf", "infinity", "0x10", "+1", ".5", "1.", "1e", "", " 1", "1,5", "1 "}) {
    CAPTURE(none);
    CHECK_FALSE(to_double(none));
  }
}

TEST_CASE("only booleans are true and false") {
  CHECK(to_bool("true") == true);
  CHECK(to_bool("false") == false);
  CHECK_FALSE(to_bool("True"));
  CHECK_FALSE(to_bool("1"));
  CHECK_FALSE(to_bool(""));
}

TEST_CASE("the writer puts commas where JSON needs them") {
  std::string out;
  JsonWriter(out)
      .begin_object()
      .member("a\n", "x\"y")
      .key("list")
      .begin_array()
      .integer(std::numeric_limits<std::int64_t>::min())
      .unsigned_integer(std::numeric_limits<std::uint64_t>::max())
      .boolean(true)
      .null()
      .begin_array()
      .end_array()
      .begin_object()
      .end_object()
      .string("")
      .raw(" 1.50 ")
      .end_array()
      .member_raw("raw", "{\"k\":1e2}")
      .key("no")
      .boolean(false)
      .end_object();
  CHECK(out
        == R"({"a\n":"x\"y","list":[-9223372036854775808,18446744073709551615,true,null,[],{},"",1.50],)"
           R"("raw":{"k":1e2},"no":false})");
  CHECK(nlohmann::json::accept(out));
}

TEST_CASE("a writer continues existing text") {
  std::string out = "{\"messages\":[{}";
  JsonWriter(out).begin_object().member("role", "user").end_object().end_array();
  JsonWriter(out).member("model", "m").end_object();
  CHECK(out == R"({"messages":[{},{"role":"user"}],"model":"m"})");
  out += '\n';
  JsonWriter(out).begin_array().end_array();
  CHECK(out.substr(out.size() - 3) == "\n[]");
}
