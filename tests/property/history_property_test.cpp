// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/provider_checks.hpp"
#include "support/random_context.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Json;

namespace {

constexpr std::size_t logs = 20000;

std::string encoded(sk::Context const& context, sk::Target const& target) {
  return sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages;
}

sk::Target random_target(sk::Provider provider, std::uint64_t seed) {
  sk::Target target;
  target.provider = provider;
  if (seed % 3 == 0) target.model = "m1";
  return target;
}

// The marks `<u12>` and so on of one kind within a text, in order.
void find_marks(std::string const& text, char kind, std::vector<std::string>& marks) {
  for (std::size_t at = 0; (at = text.find(std::string("<") + kind, at)) != std::string::npos; ++at)
    marks.push_back(text.substr(at, text.find('>', at) - at + 1));
}

// What an anthropic history says, for comparison with what was put into the log.
struct Said {
  std::vector<std::string> user, assistant;
  std::vector<std::string> unmarked;              ///< texts of the user that carry no mark
  std::vector<std::pair<int, std::string>> calls; ///< number, mark of the result
};

int first_number(Json const& input) {
  if (input.contains("n")) return input["n"];
  Json const& wrapped = input["input"];
  if (wrapped.is_array()) return wrapped[0];
  return wrapped.is_string() ? std::stoi(wrapped.get<std::string>()) : wrapped.get<int>();
}

Said read_back(Json const& messages) {
  Said said;
  std::vector<int> open;
  for (Json const& message : messages) {
    std::size_t answered = 0;
    std::vector<int> asked;
    for (Json const& block : message["content"]) {
      std::string const type = block["type"];
      if (type == "text") {
        bool const user = message["role"] == "user";
        std::string const text = block["text"];
        find_marks(text, user ? 'u' : 'a', user ? said.user : said.assistant);
        if (text.find('<') == std::string::npos) said.unmarked.push_back(text);
      }
      if (type == "tool_use") asked.push_back(first_number(block["input"]));
      if (type == "tool_result") {
        std::vector<std::string> marks;
        find_marks(block["content"].dump(), 'r', marks);
        said.calls.emplace_back(open.at(answered++), marks.empty() ? "" : marks.front());
      }
    }
    open = asked;
  }
  return said;
}

void check_conserved(sessionkit_test::MarkedContext const& log, Said const& said) {
  CHECK(said.user == log.user);
  CHECK(said.assistant == log.assistant);
  for (std::string const& text : said.unmarked) CHECK((text.front() == '[' && text.back() == ']'));
  std::multiset<int> calls;
  std::set<std::string> results;
  for (auto const& [number, result] : said.calls) {
    calls.insert(number);
    if (result.empty()) continue;
    CHECK(log.result_id.at(result) == log.call_id.at(number));
    CHECK(results.insert(result).second);
  }
  for (int const number : log.sent) {
    if (log.call_id.at(number).empty()) continue; // sent only where a result of its kind stands
    CHECK(calls.count(number) >= 1);
    if (log.repeated.count(number) == 0) CHECK(calls.count(number) == 1);
  }
}

}

TEST_CASE("any log gives what Anthropic accepts, and says what the log says") {
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    auto const log = sessionkit_test::ContextMaker(seed).make();
    std::string const text = encoded(log.context, random_target(sk::Provider::anthropic, seed));
    Json const messages = Json::parse(text);
    if (!messages.empty()) REQUIRE(sessionkit_test::anthropic::check(messages, true).empty());
    check_conserved(log, read_back(messages));
  }
}

TEST_CASE("any log gives what OpenAI's chat accepts") {
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    auto const log = sessionkit_test::ContextMaker(seed).make();
    Json const messages = Json::parse(encoded(log.context, random_target(sk::Provider::openai_chat, seed)));
    if (!messages.empty()) REQUIRE(sessionkit_test::openai::check(messages).empty());
    std::vector<std::string> user, assistant;
    for (Json const& message : messages) {
      if (message["role"] == "user") find_marks(message["content"].dump(), 'u', user);
      if (message["role"] == "assistant") find_marks(message["content"].dump(), 'a', assistant);
    }
    CHECK(user == log.user);
    CHECK(assistant == log.assistant);
  }
}

TEST_CASE("a user message behind any log makes a request that needs no prefill") {
  for (std::uint64_t seed = 1; seed <= logs / 10; ++seed) {
    CAPTURE(seed);
    auto log = sessionkit_test::ContextMaker(seed).make();
    sk::Entry last;
    last.body = sk::user("go on");
    log.context.entries.push_back(last);
    REQUIRE(sessionkit_test::anthropic::check(Json::parse(encoded(log.context, {})), false).empty());
  }
}
