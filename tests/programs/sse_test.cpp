// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <llm/sse.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Seen = std::vector<std::string>;

void note(Seen& seen, llm::SseEvent const& event) {
  seen.push_back(event.type + "|" + event.data + "|" + event.id);
}

Seen parsed(std::vector<std::string_view> const& pieces) {
  llm::SseParser parser;
  Seen seen;
  for (auto const piece : pieces) parser.feed(piece, [&](llm::SseEvent const& event) { note(seen, event); });
  return seen;
}

// Each rule of the format once; the expected results are written by hand.
constexpr std::string_view stream = "\xEF\xBB\xBF"
                                    "data: first\n\n"
                                    ": a comment\n"
                                    "event: named\r\ndata:no space\r\ndata:  two spaces\r\n\r\n"
                                    "id: 7\rdata\rdata: after nothing\r\r"
                                    "event: without data\n\n"
                                    "retry: 10\nunknown: x\ndata: \xE6\x97\xA5\xE6\x9C\xAC: a colon\n\n"
                                    "id\ndata: x\n\n"
                                    "data: never ended\n";
Seen const expected{"|first|", "named|no space\n two spaces|", "|\nafter nothing|7",
                    "|\xE6\x97\xA5\xE6\x9C\xAC: a colon|7", "|x|"};

}

TEST_CASE("a stream of events is read by the rules of the format", "[sse]") {
  CHECK(parsed({stream}) == expected);
}

TEST_CASE("a stream of events is the same wherever its bytes are split", "[sse]") {
  for (std::size_t i = 0; i <= stream.size(); ++i)
    for (std::size_t j = i; j <= stream.size(); ++j)
      if (parsed({stream.substr(0, i), stream.substr(i, j - i), stream.substr(j)}) != expected)
        FAIL("split at " << i << " and " << j);

  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < stream.size(); ++i) bytes.push_back(stream.substr(i, 1));
  CHECK(parsed(bytes) == expected);
}

TEST_CASE("an event without its blank line is dropped", "[sse]") {
  CHECK(parsed({"data: a"}).empty());
  CHECK(parsed({"data: a\n"}).empty());
  CHECK(parsed({"data: a\r\n"}).empty());
  CHECK(parsed({"data: a\r\n\r"}) == Seen{"|a|"});
  CHECK(parsed({"data: a\n", "\n"}) == Seen{"|a|"});
}

TEST_CASE("an id that contains a NUL is ignored", "[sse]") {
  CHECK(parsed({std::string_view("id: a\0b\ndata: x\n\n", 17)}) == Seen{"|x|"});
}
