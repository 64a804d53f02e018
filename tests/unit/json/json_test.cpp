// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/guarded_text.hpp"
#include "support/random.hpp"
#include "support/small_stack.hpp"

#include <sessionkit/detail/json/json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace sessionkit::detail;
using sessionkit_test::GuardedText;
using sessionkit_test::Random;

namespace {

/// Index of the closing quote, escapes counted one by one; npos if there is none.
std::size_t slow_string_end(std::string_view text) {
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!escaped && text[i] == '"') return i;
    escaped = !escaped && text[i] == '\\';
  }
  return std::string_view::npos;
}

std::size_t index_of(char const* found, std::string_view text) {
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - text.data());
}

std::vector<std::pair<std::string, std::string>> members_of(std::string_view object) {
  std::vector<std::pair<std::string, std::string>> members;
  for_members(object, [&](std::string_view key, std::string_view value) {
    members.emplace_back(key, value);
    return true;
  });
  return members;
}

std::string nested(std::size_t depth, std::string_view open, std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

/// A value of random shape, made by nlohmann.
nlohmann::json random_tree(Random& random, int depth) {
  if (depth > 0 && random.one_in(2)) {
    auto tree = random.one_in(2) ? nlohmann::json::array() : nlohmann::json::object();
    for (std::size_t n = random.below(5); n != 0; --n) {
      auto child = random_tree(random, depth - 1);
      std::string key;
      for (std::size_t size = 1 + random.below(9); size != 0; --size)
        key.push_back(random.one_of("abc\"\\{}[]:,"));
      if (tree.is_array())
        tree.push_back(std::move(child));
      else
        tree[key] = std::move(child);
    }
    return tree;
  }
  if (random.one_in(4)) return random.one_in(2) ? nlohmann::json(random.one_in(2)) : nlohmann::json(nullptr);
  if (random.one_in(3)) return static_cast<double>(random.below(100'000)) / 64;
  std::string text;
  for (std::size_t n = random.below(100); n != 0; --n) text.push_back(random.one_of("ab \"\\{}[]:,\n\t\x01"));
  return text;
}

constexpr std::string_view sample =
    R"({"type":"message","id":"a\"b","n":[1,-2.5e3,{"x":"\ud83d\ude00 \\"},[]],"t":true,"text":"0123456789012345678901234567890123456789012345678901234567890123456789","last":null})";

}

TEST_CASE("a string ends at its first unescaped quote, in random text of every length and alignment") {
  constexpr std::uint64_t seed = 64;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 100'000; ++round) {
    std::string text(random.below(200), 'x');
    std::size_t const plain = 1 + random.below(60);
    for (char& c : text) c = random.one_in(plain) ? random.one_of("\"\\\\\\") : random.byte() | 0x40;
    std::string_view const view = std::string_view(text).substr(text.empty() ? 0 : random.below(text.size()));
    char const* const end = view.data() + view.size();
    std::size_t const expected = slow_string_end(view);
    if (index_of(string_end(view.data(), end), view) != expected
        || index_of(string_end_scalar(view.data(), end), view) != expected) {
      CAPTURE(text);
      REQUIRE(index_of(string_end(view.data(), end), view) == expected);
      REQUIRE(index_of(string_end_scalar(view.data(), end), view) == expected);
    }
  }
}

TEST_CASE("runs of backslashes of every length across the block boundary find the right quote") {
  for (std::size_t before = 50; before < 140; ++before) {
    for (std::size_t run = 0; run < 140; ++run) {
      std::string const text =
          std::string(before, 'x') + std::string(run, '\\') + "\"yyy\"" + std::string(70, 'z');
      REQUIRE(index_of(string_end(text.data(), text.data() + text.size()), text)
              == before + run + (run % 2 == 0 ? 0 : 4));
    }
  }
}

TEST_CASE("unescaped ASCII ends at the same byte by blocks, by bytes and by the rule") {
  constexpr std::uint64_t seed = 48;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 100'000; ++round) {
    std::string text(random.below(60), 'x');
    std::size_t const plain = 1 + random.below(40);
    for (char& c : text)
      if (random.one_in(plain)) c = random.one_in(2) ? random.byte() : random.one_of(" ~\x7F\x80\x1F\"\\");
    char const *const begin = text.data(), *const end = begin + text.size();
    char const* const rule = std::find_if(begin, end, [](char c) {
      auto const byte = static_cast<unsigned char>(c);
      return byte < 0x20 || byte > 0x7F || c == '"' || c == '\\';
    });
    REQUIRE(plain_end(begin, end) == rule);
    REQUIRE(plain_end_scalar(begin, end) == rule);
  }
}

TEST_CASE("block and byte-wise searches stop at the same byte") {
  constexpr std::uint64_t seed = 16;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 100'000; ++round) {
    std::string text(random.below(100), 'x');
    std::size_t const plain = 1 + random.below(80);
    for (char& c : text)
      if (random.one_in(plain)) c = random.one_in(2) ? random.byte() : random.one_of("\\\\nu\"\x1F");
    char const* const end = text.data() + text.size();
    char const *fast = text.data(), *slow = fast;
    bool fast_seen = false, slow_seen = false;
    fast = slow = text.data();
    skip_text(fast, end, fast_seen);
    skip_text_scalar(slow, end, slow_seen);
    REQUIRE(fast == slow);
    REQUIRE((fast_seen || !slow_seen)); // it may find one after the stop, but never miss one before it
  }
}

TEST_CASE("block and byte-wise copies of text write the same") {
  constexpr std::uint64_t seed = 17;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 30'000; ++round) {
    std::string text(random.below(400), 'x');
    std::size_t const plain = 1 + random.below(80);
    for (char& c : text)
      if (random.one_in(plain))
        c = random.one_in(3) ? random.byte() : random.one_of("\\nu\"\x1F\xE4\xBC\x9A");
    std::string fast, slow;
    append_json_string(fast, text);
    Escaping escaping{TextSink(slow, 0)};
    escaping.sink.put('"');
    copy_with_scalar<BytesToEscape>(text.data(), text.data() + text.size(), escaping);
    escaping.sink.put('"');
    escaping.sink.finish();
    REQUIRE(fast == slow);

    std::string read;
    append_unescaped_utf8(read, text);
    std::string read_slowly(text.size(), '\0');
    Unescaping unescaping{read_slowly.data()};
    copy_with_scalar<Backslashes>(text.data(), text.data() + text.size(), unescaping);
    read_slowly.resize(static_cast<std::size_t>(unescaping.at - read_slowly.data()));
    REQUIRE(read == read_slowly);
  }
}

TEST_CASE("a map knows the end of values as a search finds it, and only of those that begin there") {
  constexpr std::uint64_t seed = 18;
  CAPTURE(seed);
  Random random(seed);
  std::size_t known = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string const text = random_tree(random, 6).dump(random.one_in(3) ? 2 : -1);
    CAPTURE(text);
    JsonMap map;
    REQUIRE(check_json(text, map));
    char const* const end = text.data() + text.size();
    bool in_string = false;
    for (char const* p = text.data(); p != end; ++p) {
      bool const begins = !in_string && (*p == '"' || *p == '{' || *p == '[');
      char const* const found = map.end_of(p);
      if (begins) {
        char const* const searched = skip_value(p, end);
        REQUIRE((found == nullptr || found == searched));
        REQUIRE(skip_value(p, end, &map) == searched);
        known += found != nullptr ? 1 : 0;
      } else {
        REQUIRE(found == nullptr);
      }
      if (in_string && *p == '\\')
        ++p;
      else if (*p == '"')
        in_string = !in_string;
    }
  }
  REQUIRE(known > 1000);
}

TEST_CASE("a map takes at most a few times the memory of its text, for any text") {
  for (std::string const& text :
       {std::string(128, '[') + std::string(128, ']'), "[" + std::string(60'000, '[') + "1",
        "[\"" + std::string(66, 'x') + "\"]"}) {
    JsonMap map;
    check_json(text, map);
    CHECK(map.size() <= 8 * (1 + text.size() / 65));
  }
}

TEST_CASE("a value is skipped exactly as far as nlohmann wrote it, and is incomplete if cut anywhere") {
  constexpr std::uint64_t seed = 31;
  CAPTURE(seed);
  Random random(seed);
  for (int round = 0; round < 3000; ++round) {
    std::string const value = random_tree(random, 5).dump(random.one_in(3) ? 2 : -1);
    CAPTURE(value);
    for (std::string_view const behind : {"", ",", "}", "]", " ", "\n", ", \"x\": \"}\""}) {
      std::string const text = value + std::string(behind);
      REQUIRE(index_of(skip_value(text.data(), text.data() + text.size()), text) == value.size());
    }
    if (value.front() != '{' && value.front() != '[' && value.front() != '"') continue;
    for (std::size_t size = 0; size < value.size(); ++size) // the prefix of a number may be a number
      REQUIRE(skip_value(value.data(), value.data() + size) == nullptr);
  }
}

TEST_CASE("a delimiter in place of a value is not a value") {
  for (std::string_view const text : {"", ",", "}", "]", ":", " 1", "\n"})
    CHECK(skip_value(text.data(), text.data() + text.size()) == nullptr);
}

TEST_CASE("members come in order, keys still escaped, values raw, without white space") {
  auto const members = members_of(" { \"a\" : 1 , \"b\\u0062\":[ 1, 2 ]\t,\r\n\"\" :\"x\" } \n");
  REQUIRE(members.size() == 3);
  CHECK(members[0] == std::pair<std::string, std::string>("a", "1"));
  CHECK(members[1] == std::pair<std::string, std::string>("b\\u0062", "[ 1, 2 ]"));
  CHECK(members[2] == std::pair<std::string, std::string>("", "\"x\""));
  CHECK(members_of("{}").empty());
}

TEST_CASE("a walk over members is false unless the view is one complete object") {
  auto const complete = [](std::string_view text) {
    return for_members(text, [](auto, auto) { return true; });
  };
  CHECK(complete(sample));
  CHECK(complete("{ } \r"));
  for (std::size_t size = 0; size < sample.size(); ++size) CHECK_FALSE(complete(sample.substr(0, size)));
  for (std::string_view const bad :
       {"[]", "1", "{]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{a:1}",
        "{\"a\":1}}", "{\"a\":1}x", "{\"a\":1]", "{1:1}", "{\"a\" 1}"}) {
    CAPTURE(bad);
    CHECK_FALSE(complete(bad));
  }
}

TEST_CASE("a walk over elements is false unless the view is one complete array") {
  std::vector<std::string> values;
  auto const complete = [&](std::string_view text) {
    values.clear();
    return for_elements(text, [&](std::string_view value) {
      values.emplace_back(value);
      return true;
    });
  };
  CHECK(complete(" [ 1 ,\"a,]\" , {\"x\":[]},[ ] ] "));
  CHECK(values == std::vector<std::string>{"1", "\"a,]\"", "{\"x\":[]}", "[ ]"});
  CHECK(complete("[ ]"));
  CHECK(values.empty());
  for (std::string_view const bad :
       {"", "[", "[1", "[1,", "[1,]", "[,]", "[1 2]", "[1]]", "[1}", "{}", "[1]x"}) {
    CAPTURE(bad);
    CHECK_FALSE(complete(bad));
  }
}

TEST_CASE("a walk that is stopped early is true and looks no further") {
  int seen = 0;
  CHECK(for_members("{\"a\":1,\"b\":2, torn", [&](auto, auto) { return ++seen < 2; }));
  CHECK(seen == 2);
  CHECK(for_elements("[1,2,3 torn", [&](auto) { return ++seen < 4; }));
  CHECK(seen == 4);
}

TEST_CASE("a key is compared by its decoded text") {
  CHECK(key_is("type", "type"));
  CHECK(key_is("t\\u0079pe", "type"));
  CHECK(key_is("a\\nb", "a\nb"));
  CHECK_FALSE(key_is("a\\nb", "a\\nb"));
  CHECK_FALSE(key_is("type", "types"));
  CHECK(key_is("", ""));
}

TEST_CASE("of members with the same name the last is found, as in JavaScript") {
  CHECK(find_member("{\"a\":1,\"b\":2,\"\\u0061\":3}", "a") == "3");
  CHECK(find_member("{\"a\":1}", "b").empty());
  CHECK(find_member("{\"a\":1,", "a").empty());
  CHECK(find_member("[1]", "a").empty());
  CHECK(find_member("", "a").empty());
}

TEST_CASE("a value's kind is known by its first byte") {
  CHECK(json_kind("null") == JsonKind::null);
  CHECK(json_kind("true") == JsonKind::boolean);
  CHECK(json_kind("false") == JsonKind::boolean);
  CHECK(json_kind("-1") == JsonKind::number);
  CHECK(json_kind("0") == JsonKind::number);
  CHECK(json_kind("\"\"") == JsonKind::string);
  CHECK(json_kind("[]") == JsonKind::array);
  CHECK(json_kind("{}") == JsonKind::object);
  CHECK(json_kind("") == JsonKind::invalid);
  CHECK(json_kind("x") == JsonKind::invalid);
}

TEST_CASE("the grammar of RFC 8259 is accepted") {
  for (std::string_view const good : {"0",           "-0",
                                      "10",          "1.5",
                                      "-0.0e-10",    "1E+2",
                                      "\"\"",        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\uAbF9\"",
                                      "true",        "false",
                                      "null",        "[]",
                                      "{}",          " [ ] ",
                                      "[1,2]",       "{\"\":{}}",
                                      "\t\r\n 1 \n", "[[],{},\"\",0]",
                                      "\"\x7F\"",    "[{\"a\":[{}]}]"}) {
    CAPTURE(good);
    JsonCheck const check = check_json(good);
    CHECK(check);
    CHECK(check.offset == 0);
    CHECK(check.utf8);
    CHECK_FALSE(check.lone_surrogate);
  }
  CHECK(check_json(sample));
}

TEST_CASE("a violation of the grammar is located") {
  struct Bad {
    std::string_view text;
    std::size_t offset;
    JsonCheck::Fault fault = JsonCheck::syntax;
  };
  for (Bad const& bad : {Bad{"", 0},
                         {"  ", 2},
                         {"tru", 3},
                         {"trve", 2},
                         {"nul", 3},
                         {"+1", 0},
                         {".5", 0},
                         {"1.", 2},
                         {"-", 1},
                         {"1e", 2},
                         {"1e+", 3},
                         {"01", 1, JsonCheck::trailing},
                         {"1 2", 2, JsonCheck::trailing},
                         {"NaN", 0},
                         {"-Infinity", 1},
                         {"[", 1},
                         {"[1,]", 3},
                         {"[,1]", 1},
                         {"[1 2]", 3},
                         {"[1}", 2},
                         {"{]", 1},
                         {"{\"a\"}", 4},
                         {"{\"a\":}", 5},
                         {"{\"a\":1,}", 7},
                         {"{a:1}", 1},
                         {"{\"a\":1", 6},
                         {"'a'", 0},
                         {"\"a", 2},
                         {"\"\\x\"", 1},
                         {"\"\\u12g4\"", 1},
                         {"\"\\u123\"", 1},
                         {"\"a\nb\"", 2},
                         {"\"\x1F\"", 1},
                         {"[1]]", 3, JsonCheck::trailing},
                         {"\xEF\xBB\xBF{}", 0},
                         {"{}\xFF", 2, JsonCheck::trailing},
                         {"\"\\", 1},
                         {"[\"0123456789abcdef\x01\"]", 18},
                         {"//x\n1", 0}}) {
    CAPTURE(bad.text);
    JsonCheck const check = check_json(bad.text);
    CHECK(check.fault == bad.fault);
    CHECK(check.offset == bad.offset);
  }
  CHECK(check_json(std::string_view("1\0", 2)).fault == JsonCheck::trailing);
  CHECK(check_json(std::string_view("\"\0\"", 3)).offset == 1);
}

TEST_CASE("every prefix of an object line is incomplete") {
  for (std::size_t size = 0; size < sample.size(); ++size) {
    JsonCheck const check = check_json(sample.substr(0, size));
    REQUIRE(check.fault == JsonCheck::syntax);
    // Inside an escape the error is at the beginning of the escape, otherwise at the end of the text.
    REQUIRE((check.offset == size || sample[check.offset] == '\\'));
  }
}

TEST_CASE("128 levels are read, and the 129th is refused where it opens") {
  for (auto const& [open, close] : {std::pair<char const*, char const*>{"[", "]"}, {"{\"\":", "}"}}) {
    std::string const inner = open[0] == '[' ? "" : "1";
    std::string fits = nested(128, open, close);
    std::string deep = nested(129, open, close);
    std::size_t const width = std::string_view(open).size();
    fits.insert(128 * width, inner);
    deep.insert(129 * width, inner);
    CHECK(check_json(fits));
    CHECK(check_json(deep).fault == JsonCheck::too_deep);
    CHECK(check_json(deep).offset == 128 * width);
    CHECK(check_json(deep, 129));
  }
  CHECK(check_json("1", 0));
  CHECK(check_json("[]", 0).fault == JsonCheck::too_deep);
  CHECK(check_json(nested(1024, "[", "]"), 1'000'000));
  CHECK(check_json(nested(1025, "[", "]"), 1'000'000).offset == 1024);
}

TEST_CASE("every depth distinguishes arrays from objects") {
  for (std::size_t depth = 1; depth <= 128; ++depth) {
    std::string open, close;
    for (std::size_t i = 0; i < depth; ++i) {
      bool const object = (i * 7 + depth) % 3 == 0;
      open += object ? "{\"k\":" : "[";
      close.insert(0, 1, object ? '}' : ']');
    }
    REQUIRE(check_json(open + "0" + close));
    std::string wrong = close;
    wrong[depth / 2] = wrong[depth / 2] == ']' ? '}' : ']';
    REQUIRE(check_json(open + "0" + wrong).offset == open.size() + 1 + depth / 2);
  }
}

TEST_CASE("invalid UTF-8 and lone surrogate escapes are reported and are not errors") {
  CHECK_FALSE(check_json("\"\xFF\"").utf8);
  CHECK(check_json("\"\xFF\""));
  CHECK_FALSE(check_json("\"\xED\xA0\xBD\"").utf8);
  CHECK(check_json("\"\xE4\xBC\x9A 0123456789abcdef \xF0\x9F\x98\x80\"").utf8);
  CHECK_FALSE(check_json("\"0123456789abcdef0123456789abcdef\xC3\"").utf8);
  for (std::string_view const lone :
       {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\ud83d\n")", R"("\ud83d\u0041")",
        R"("\ude00\ud83d")", R"("\ud83d\ud83d\ude00")", R"({"\uDBFF":1})"}) {
    CAPTURE(lone);
    CHECK(check_json(lone));
    CHECK(check_json(lone).lone_surrogate);
  }
  for (std::string_view const paired :
       {R"("\ud83d\ude00")", R"("\uD83D\uDE00\uDBFF\uDFFF")", R"("\\ud83d")"}) {
    CAPTURE(paired);
    CHECK_FALSE(check_json(paired).lone_surrogate);
  }
}

TEST_CASE("a million open brackets do not exhaust the stack") {
  std::string const open(1'000'000, '[');
  std::string const closed = nested(1'000'000, "[", "]");
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  std::size_t visited = 0;
  bool right = false;
  REQUIRE(sessionkit_test::on_small_stack([&] {
    right = check_json(open).fault == JsonCheck::too_deep && check_json(objects).offset == 128 * 5
            && skip_value(open.data(), open.data() + open.size()) == nullptr
            && skip_value(closed.data(), closed.data() + closed.size()) == closed.data() + closed.size()
            && !for_members(objects, [](auto, auto) { return true; })
            && for_elements(closed, [&](auto value) {
                 visited = value.size();
                 return true;
               });
  }));
  CHECK(right);
  CHECK(visited == closed.size() - 2);
}

TEST_CASE("nothing is read after the end of any prefix or suffix") {
  for (std::size_t size = 0; size <= sample.size(); ++size) {
    for (std::string_view const part : {sample.substr(0, size), sample.substr(size)}) {
      GuardedText const guarded(part);
      std::string_view const text = guarded.view();
      char const* const end = text.data() + text.size();
      std::string out;
      string_end(text.data(), end);
      skip_value(text.data(), end);
      skip_space(text.data(), end);
      for_members(text, [](auto, auto) { return true; });
      for_elements(text, [](auto) { return true; });
      find_member(text, "last");
      to_int(text), to_double(text), to_bool(text);
      append_unescaped(out, text);
      append_json_string(out, text);
      CHECK(check_json(text).fault == check_json(part).fault);
    }
  }
}
