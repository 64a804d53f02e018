// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/providers/event_stream.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace {

namespace sk = sessionkit;
using Seen = std::vector<std::string>;

Seen parsed(std::vector<std::string_view> const& pieces) {
  sk::detail::EventStream stream;
  Seen seen;
  auto const note = [&seen](std::string_view data) { seen.emplace_back(data); };
  for (auto const piece : pieces) stream.feed(piece, note);
  stream.end(note);
  if (stream.broken()) seen.emplace_back("broken");
  return seen;
}

void check_cuts(std::string_view stream, Seen const& expected) {
  CHECK(parsed({stream}) == expected);
  for (std::size_t i = 0; i <= stream.size(); ++i) {
    CAPTURE(i);
    CHECK(parsed({stream.substr(0, i), stream.substr(i)}) == expected);
  }
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < stream.size(); ++i) bytes.push_back(stream.substr(i, 1));
  CHECK(parsed(bytes) == expected);
}

}

// Each rule of the format once; the expected results are written by hand.
TEST_CASE("a stream of events is read by the rules of the format, wherever it is split") {
  check_cuts("\xEF\xBB\xBF"
             "data: first\n\n"
             ": a comment\n"
             "event: named\r\ndata:no space\r\ndata:  two spaces\r\n\r\n"
             "id: 7\rdata\rdata: after nothing\r\r"
             "event: without data\n\n"
             "retry: 10\nunknown: x\ndata: \xE6\x97\xA5\xE6\x9C\xAC: a colon\n\n"
             "id\ndata: x\n\n"
             "data: never ended\n",
             {"first", "no space\n two spaces", "\nafter nothing", "\xE6\x97\xA5\xE6\x9C\xAC: a colon", "x"});
}

TEST_CASE("the last event counts without its blank line if it is whole") {
  check_cuts("data: 1\n\ndata: {\"a\":1}", {"1", "{\"a\":1}"});
  check_cuts("data: 1\n\ndata: {\"a\":", {"1"});
}

TEST_CASE("objects one after the other, on lines or in an array, are found whatever is in their texts") {
  std::string const one = R"({"a":"}]\"{","b":[{"c":[]}]})", two = "{\n  \"d\": \"\\\\\"\n}";
  check_cuts(one, {one});
  check_cuts(one + "\n" + two + "\r\n\r\n" + one, {one, two, one});
  check_cuts(" \n[" + one + ",\n" + two + "]\n", {one, two});
  check_cuts(one + R"({"never":"ended)", {one});
  check_cuts("[1]", {"broken"});
  check_cuts("", {});
  check_cuts(" \r\n", {});
}
