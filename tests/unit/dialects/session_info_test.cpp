// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/session_info.hpp>
#include <sessionkit/tokens.hpp>

using namespace sessionkit_test;

namespace {

sk::SessionInfo folded(std::vector<std::string> const& lines) {
  return store_of("s", lines)->info(sid("s")).value();
}

std::string answer_line(std::string const& id, std::string const& parent, std::string const& request,
                        int input, int output) {
  return R"({"type":"message","id":")" + id + R"(","parentId":")" + parent
         + R"(","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"assistant","content":[{"type":"text","text":"ok"}],"provider":"p","model":"m","responseId":")"
         + request + R"(","usage":{"input":)" + std::to_string(input) + R"(,"output":)"
         + std::to_string(output) + R"(,"cacheRead":0,"cacheWrite":0},"stopReason":"stop"}})";
}

}

TEST_CASE("a fold counts messages, turns and what the provider says") {
  auto const info = folded({log_header("s"), message_line("a", "", "user", "first words"),
                            answer_line("b", "a", "r1", 100, 20), answer_line("c", "b", "r1", 100, 20),
                            message_line("d", "c", "user", "12345678")});
  CHECK(info.entries == 4);
  CHECK(info.messages == 4);
  CHECK(info.turns == 2);
  CHECK(info.usage.input == 100); // one request, two entries
  CHECK(info.tokens == 120 + sk::estimate_tokens("12345678"));
  CHECK(info.model == "m");
  CHECK(info.first_user_text == "first words");
  CHECK(sk::to_rfc3339(info.created) == "2026-01-01T00:00:00.000Z");
  CHECK(info.last.str() == "d");
  CHECK(info.end == sk::Position{5});
}

TEST_CASE("a fork has the time at which it was made, although its entries are older") {
  std::string old = message_line("a", "", "user", "x");
  std::string const time = "\"timestamp\":\"2026";
  REQUIRE(old.find(time) != std::string::npos);
  old.replace(old.find(time), time.size(), "\"timestamp\":\"2025");
  CHECK(sk::to_rfc3339(folded({log_header("s"), old}).updated) == "2026-01-01T00:00:00.000Z");
}

TEST_CASE("tokens are unknown after a branch until an answer reports them") {
  std::vector<std::string> lines{log_header("s"), message_line("a", "", "user", "1"),
                                 message_line("b", "a", "assistant", "2"),
                                 message_line("c", "a", "assistant", "2b")};
  CHECK_FALSE(folded(lines).tokens);
  lines.push_back(answer_line("d", "c", "r", 7, 3));
  CHECK(folded(lines).tokens == 10);
}

TEST_CASE("a compaction restarts the estimate") {
  auto const info = folded({log_header("s"), message_line("a", "", "user", std::string(4000, 'x')),
                            compaction_line("k", "a", "sum!", "a")});
  CHECK(info.tokens == sk::estimate_tokens("sum!"));
}

TEST_CASE("lines that cannot be decoded are counted, and a second header changes nothing") {
  auto const info = folded(
      {log_header("s"), message_line("a", "", "user", "1"),
       R"({"type":"message","id":"x","parentId":"a","tor})",
       R"({"type":"session","version":3,"id":"other","timestamp":"2030-01-01T00:00:00.000Z","cwd":"/other"})"});
  CHECK(info.damaged == 1);
  CHECK(info.cwd == "/p");
}

TEST_CASE("the first text that is not blank is the title") {
  auto const info = folded(
      {log_header("s"), message_line("a", "", "user", " \\n\\t"), message_line("b", "a", "user", "hello")});
  CHECK(info.first_user_text == "hello");
}

TEST_CASE("a title is one line, and a blank one is ignored") {
  auto info = sk::make_session_info(sk::SessionId::parse("s").value());
  info.first_user_text = "hello";
  info.title = " \xE3\x80\x80\n ";
  CHECK(info.display_title() == "hello");
  info.title = "\x1b[31mred\nalert\n";
  CHECK(info.display_title() == " [31mred alert");
}

TEST_CASE("long first texts are cut between code points") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "\xE5\xAD\x97";
  auto const info = folded({log_header("s"), message_line("a", "", "user", text)});
  CHECK(info.first_user_text.size() == 600);
  CHECK(info.display_title(30).size() == 90);
}
