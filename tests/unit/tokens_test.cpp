// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/tokens.hpp>

#include <string>
#include <vector>

namespace sk = sessionkit;

namespace {

sk::Message counted(std::string text, sk::Usage usage, sk::StopReason stop = sk::StopReason::end_turn) {
  sk::Message message = sk::assistant(std::move(text));
  message.generation = sk::Generation{};
  message.generation->usage = usage;
  message.generation->stop = stop;
  return message;
}

}

TEST_CASE("a text is a quarter of a token per ASCII character and two per other, rounded up") {
  CHECK(sk::estimate_tokens("") == 0);
  CHECK(sk::estimate_tokens("a") == 1);
  CHECK(sk::estimate_tokens("abcd") == 1);
  CHECK(sk::estimate_tokens("abcde") == 2);
  CHECK(sk::estimate_tokens("\xE4\xBD\xA0\xE5\xA5\xBD") == 4);
  CHECK(sk::estimate_tokens("\xF0\x9F\x9A\x80!") == 3);
  CHECK(sk::estimate_tokens(std::string(40000, 'x')) == 10000);
}

TEST_CASE("a message is the sum of its parts, and an image costs a constant") {
  sk::Message message =
      sk::assistant("abcd", sk::Thinking{"abcde"}, sk::ToolUse{"id", "read", sk::RawJson::from("{}")});
  CHECK(sk::estimate_tokens(message) == 1 + 2 + 1 + 1);
  sk::Image const image{"image/png", sk::Base64{std::string(100000, 'A')}};
  CHECK(sk::estimate_tokens(sk::user(image)) == sk::image_tokens);
  CHECK(sk::estimate_tokens(sk::tool_results({{"id", "read", {sk::Text{"abcd"}, image}}}))
        == 1 + sk::image_tokens);
}

TEST_CASE("the provider's count stands for everything up to it") {
  std::vector<sk::Message> const talk{sk::user(std::string(4000, 'x')), counted("a", {100, 10, 5, 1}),
                                      sk::user("abcd")};
  CHECK(sk::count_tokens(talk) == 117);
  CHECK(sk::count_tokens({talk.front()}) == 1000);
  CHECK(sk::count_tokens({}) == 0);
}

TEST_CASE("counts of aborted and failed answers are not believed") {
  for (auto const stop : {sk::StopReason::aborted, sk::StopReason::error})
    CHECK(sk::count_tokens({sk::user("abcd"), counted("a", {100, 10, 0, 0}, stop)}) == 2);
}

TEST_CASE("an exact tokenizer can be plugged in") {
  CHECK(sk::count_tokens({sk::user("a"), sk::user("b")}, [](sk::Message const&) { return std::size_t{7}; })
        == 14);
}
