// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/gemini_checks.hpp"
#include "support/long_form.hpp"
#include "support/provider_checks.hpp"
#include "support/random_context.hpp"
#include "support/responses_checks.hpp"
#include "support/said.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Json;

namespace {

constexpr std::size_t logs = 20000 / sessionkit_test::sanitizer_share;

std::string encoded(sk::Context const& context, sk::Target const& target) {
  return sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages;
}

sk::Target random_target(sk::Provider provider, std::uint64_t seed) {
  sk::Target target;
  target.provider = provider;
  if (seed % 3 == 0)
    target.model = provider == sk::Provider::gemini && seed % 2 == 0 ? "gemini-2.5-pro" : "m1";
  if (seed % 11 == 0) target.images = false;
  return target;
}

void check_conserved(sessionkit_test::MarkedContext const& log, sessionkit_test::Said const& said) {
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
    if (log.call_id.at(number).empty()) continue; // sent only with a result of its kind
    CHECK(calls.count(number) >= 1);
    if (log.repeated.count(number) == 0) CHECK(calls.count(number) == 1);
  }
}

template <class Check>
void check_any_logs(sk::Provider provider, sessionkit_test::Said (*read)(Json const&), Check check) {
  for (std::uint64_t seed = 1; seed <= logs; ++seed) {
    CAPTURE(seed);
    auto const log = sessionkit_test::ContextMaker(seed).make();
    sk::Target const target = random_target(provider, seed);
    Json const body = Json::parse(encoded(log.context, target));
    if (!body.empty()) {
      auto const faults = check(body, target);
      if (!faults.empty()) FAIL(faults.front() << " in " << body.dump());
    }
    auto const said = read(body);
    check_conserved(log, said);
    if (!target.images) CHECK(said.images == 0);
  }
}

}

TEST_CASE("any log gives a history that Anthropic accepts, with the content of the log") {
  check_any_logs(
      sk::Provider::anthropic, &sessionkit_test::SaidReader::anthropic,
      [](Json const& messages, auto&) { return sessionkit_test::anthropic::check(messages, true); });
}

TEST_CASE("any log gives a history that OpenAI's chat accepts, with the content of the log") {
  check_any_logs(sk::Provider::openai_chat, &sessionkit_test::SaidReader::chat,
                 [](Json const& messages, auto&) { return sessionkit_test::openai::check(messages); });
}

TEST_CASE("any log gives a history that OpenAI's Responses API accepts, with the content of the log") {
  check_any_logs(sk::Provider::openai_responses, &sessionkit_test::SaidReader::responses,
                 [](Json const& input, auto&) { return sessionkit_test::responses::check(input); });
}

TEST_CASE("any log gives a history that Gemini accepts, with the content of the log") {
  check_any_logs(
      sk::Provider::gemini, &sessionkit_test::SaidReader::gemini,
      [](Json const& contents, sk::Target const& target) {
        return sessionkit_test::gemini::check(contents, {target.model[0] == 'g', target.images, true});
      });
}

TEST_CASE("a context that is moved from makes the same history as one that is kept") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    CAPTURE(seed);
    for (sk::Provider const provider :
         {sk::Provider::anthropic, sk::Provider::openai_chat, sk::Provider::native}) {
      sk::Target target;
      target.provider = provider;
      target.mode = seed % 5 == 0 ? sk::RebuildMode::faithful : sk::RebuildMode::valid;
      sk::Context context = sessionkit_test::ContextMaker(seed).make().context;
      sk::HistoryRebuilder const rebuilder(target);
      sk::History const kept = rebuilder.rebuild(context);
      sk::History const given = rebuilder.rebuild(std::move(context));
      REQUIRE(sk::encode(given, target).messages == sk::encode(kept, target).messages);
      REQUIRE(given.system == kept.system);
      REQUIRE(given.sources == kept.sources);
      REQUIRE(given.tokens == kept.tokens);
      REQUIRE(given.report.size() == kept.report.size());
    }
  }
}

TEST_CASE("a user message after any log makes a request that needs no prefill") {
  for (std::uint64_t seed = 1; seed <= logs / 10; ++seed) {
    CAPTURE(seed);
    auto log = sessionkit_test::ContextMaker(seed).make();
    sk::Entry last;
    last.body = sk::user("go on");
    log.context.entries.push_back(last);
    REQUIRE(sessionkit_test::anthropic::check(Json::parse(encoded(log.context, {})), false).empty());
    Json const contents = Json::parse(encoded(log.context, random_target(sk::Provider::gemini, 1)));
    REQUIRE(sessionkit_test::gemini::check(contents, {false, true, false}).empty());
  }
}
