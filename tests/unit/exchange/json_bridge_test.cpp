// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/small_stack.hpp"

#include <sessionkit/json.hpp>

#include <cmath>
#include <limits>
#include <string>

using nlohmann::json;
using nlohmann::ordered_json;
using sessionkit::RawJson;
using sessionkit::to_nlohmann;
using sessionkit::to_raw_json;

namespace {

std::string there_and_back(std::string const& text) {
  return to_raw_json(to_nlohmann(RawJson::parse(text).value())).str();
}

}

TEST_CASE("a tree keeps key order and values in both directions") {
  for (std::string const text :
       {R"({"z":1,"a":[true,false,null,-5,2.5,18446744073709551615],"s":"\"\\\n\u0001"})", "[]", "{}",
        "[[],{}]", "\"\"", "0"})
    CHECK(there_and_back(text) == text);
  CHECK(to_nlohmann(RawJson()).is_null());
}

TEST_CASE("both kinds of nlohmann value are written as nlohmann writes them") {
  std::string const text = R"({"b":[1,{"c":"x"}],"a":{"d":1.5,"e":[]}})";
  CHECK(to_raw_json(json::parse(text)).str() == json::parse(text).dump());
  CHECK(to_raw_json(ordered_json::parse(text)).str() == text);
}

TEST_CASE("a tree with sorted keys is the one that nlohmann itself reads") {
  std::string const text = R"({"z":1,"a":{"y":[2.5,null],"b":"x"},"big":18446744073709551615})";
  json const tree = to_nlohmann<json>(RawJson::parse(text).value());
  CHECK(tree == json::parse(text));
  CHECK(tree.dump() == json::parse(text).dump());
  CHECK(to_nlohmann<ordered_json>(RawJson::parse(text).value()).dump() == text);
  CHECK(to_nlohmann<json>(RawJson::parse(R"({"k":"\ud83d"})").value())["k"] == "\xEF\xBF\xBD");
}

TEST_CASE("a lone surrogate becomes U+FFFD in the tree, a pair stays a character") {
  auto const tree = to_nlohmann(RawJson::parse(R"({"k\ud83d":"a\ude00z","p":"\ud83d\ude00"})").value());
  CHECK(tree["k\xEF\xBF\xBD"] == "a\xEF\xBF\xBDz");
  CHECK(tree["p"] == "\xF0\x9F\x98\x80");
}

TEST_CASE("a number beyond the greatest double becomes null, and its neighbours stay unchanged") {
  auto const tree =
      to_nlohmann(RawJson::parse(R"([1e400,-1e999,1e-999,"1e400",12345678901234567890123,7])").value());
  REQUIRE(tree.size() == 6);
  CHECK(tree[0].is_null());
  CHECK(tree[1].is_null());
  CHECK(tree[2] == 0.0);
  CHECK(tree[3] == "1e400");
  CHECK(tree[4].is_number_float());
  CHECK(tree[5] == 7);
}

TEST_CASE("of members with the same name the last counts") {
  CHECK(to_nlohmann(RawJson::parse(R"({"a":1,"b":2,"a":3})").value()).dump() == R"({"a":3,"b":2})");
}

TEST_CASE("values that JSON cannot represent are written as null, bad bytes as U+FFFD") {
  CHECK(to_raw_json(json(std::nan(""))).str() == "null");
  CHECK(to_raw_json(json(std::numeric_limits<double>::infinity())).str() == "null");
  CHECK(to_raw_json(json::binary({1, 2})).str() == "null");
  CHECK(to_raw_json(json(json::value_t::discarded)).str() == "null");
  CHECK(to_raw_json(json{{"k\xFF", "v\xC3"}}).str() == "{\"k\xEF\xBF\xBD\":\"v\xEF\xBF\xBD\"}");
}

TEST_CASE("a tree deeper than 128 is cut there, on a small stack too") {
  std::string const deepest = std::string(128, '[') + std::string(128, ']');
  CHECK(to_raw_json(json::parse(deepest)).str() == deepest);
  auto const tree = json::parse(std::string(100'000, '[') + std::string(100'000, ']'));
  std::string cut;
  ordered_json last;
  REQUIRE(sessionkit_test::on_small_stack([&] {
    cut = to_raw_json(tree).str();
    last = to_nlohmann(RawJson::parse(deepest).value());
  }));
  CHECK(cut == std::string(128, '[') + "null" + std::string(128, ']'));
  CHECK(last.dump() == deepest);
}
