// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <llm/retry.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace {

using llm::FailureKind;
using std::chrono::milliseconds;

/// Returns the given outcomes one after the other, and then success.
class Failing final : public llm::Provider {
 public:
  explicit Failing(std::vector<llm::Failure> failures, bool says_something = false)
      : failures_(std::move(failures)), says_something_(says_something) {}

  sessionkit::Provider format() const noexcept override { return sessionkit::Provider::anthropic; }
  llm::Answer generate(llm::Request const&, llm::OnEvent const& on_event, llm::CancelToken const&) override {
    std::size_t const n = asked++;
    if (says_something_ && on_event) on_event(llm::TextDelta{"so far"});
    if (n < failures_.size()) return {sessionkit::assistant(), failures_[n]};
    return {sessionkit::assistant("well"), {}};
  }
  std::size_t asked = 0;

 private:
  std::vector<llm::Failure> failures_;
  bool says_something_;
};

struct Trial {
  std::size_t asked;
  std::vector<milliseconds> waits;
  llm::Answer answer;
};

Trial attempt(std::vector<llm::Failure> failures, bool says_something = false, double random = 0) {
  auto const inner = std::make_shared<Failing>(std::move(failures), says_something);
  std::vector<milliseconds> waits;
  auto const sleep = [&](milliseconds time, llm::CancelToken const&) { waits.push_back(time); };
  auto const provider = llm::with_retries(inner, {}, sleep, [=] { return random; });
  llm::Answer answer = provider->generate({}, {}, {});
  return {inner->asked, waits, std::move(answer)};
}

llm::Failure failure(FailureKind kind) { return {kind, "as the test says"}; }

}

TEST_CASE("temporary failures are waited for, twice as long each time", "[retry]") {
  for (auto const kind :
       {FailureKind::rate_limited, FailureKind::overloaded, FailureKind::unavailable, FailureKind::cut}) {
    auto const trial = attempt({failure(kind), failure(kind), failure(kind)});
    CHECK(trial.asked == 4);
    CHECK(trial.waits
          == std::vector<milliseconds>{milliseconds(500), milliseconds(1000), milliseconds(2000)});
    CHECK_FALSE(trial.answer.failure);
    CHECK(trial.answer.message.text() == "well");
  }
}

TEST_CASE("half of a wait is random, and none exceeds the longest", "[retry]") {
  auto const trial = attempt({failure(FailureKind::overloaded)}, false, 0.5);
  CHECK(trial.waits == std::vector<milliseconds>{milliseconds(375)});

  llm::RetryPolicy policy;
  policy.attempts = 100;
  for (unsigned tries = 1; tries < 100; ++tries) {
    auto const wait = llm::plan_retry(policy, failure(FailureKind::overloaded), tries, 0.999);
    REQUIRE(wait);
    CHECK(*wait >= milliseconds(250));
    CHECK(*wait <= policy.longest_wait);
  }
}

TEST_CASE("permanent failures are not retried", "[retry]") {
  for (auto const kind : {FailureKind::refused, FailureKind::context_exceeded, FailureKind::unauthorized,
                          FailureKind::cancelled, FailureKind::malformed}) {
    auto const trial = attempt({failure(kind)});
    CHECK(trial.asked == 1);
    REQUIRE(trial.answer.failure);
    CHECK(trial.answer.failure->kind == kind);
  }
}

TEST_CASE("a provider is asked at most five times", "[retry]") {
  auto const trial = attempt(std::vector<llm::Failure>(10, failure(FailureKind::overloaded)));
  CHECK(trial.asked == 5);
  CHECK(trial.waits.size() == 4);
  CHECK(trial.answer.failure);
}

TEST_CASE("a pause requested by the provider is made, unless it is unreasonably long", "[retry]") {
  auto wished = failure(FailureKind::rate_limited);
  wished.retry_after = milliseconds(7000);
  CHECK(attempt({wished}).waits == std::vector<milliseconds>{milliseconds(7000)});
  wished.retry_after = milliseconds(0);
  CHECK(attempt({wished}).waits == std::vector<milliseconds>{milliseconds(0)});
  wished.retry_after = std::chrono::minutes(10);
  CHECK(attempt({wished}).asked == 1);
}

TEST_CASE("output that was shown is not shown twice", "[retry]") {
  auto const trial = attempt({failure(FailureKind::cut)}, true);
  CHECK(trial.asked == 1);
  CHECK(trial.answer.failure);
}

TEST_CASE("a listener is informed of each wait", "[retry]") {
  auto const provider = llm::with_retries(
      std::make_shared<Failing>(std::vector<llm::Failure>{failure(FailureKind::overloaded)}), {},
      [](milliseconds, llm::CancelToken const&) {}, [] { return 0.0; });
  std::vector<llm::RetryWait> reported;
  static_cast<void>(provider->generate(
      {}, [&](llm::Event const& event) { reported.push_back(std::get<llm::RetryWait>(event)); }, {}));
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].attempt == 2);
  CHECK(reported[0].wait == milliseconds(500));
  CHECK(reported[0].why == "as the test says");
}

TEST_CASE("a cancelled request is not waited for", "[retry]") {
  llm::CancelToken const cancel;
  auto const inner = std::make_shared<Failing>(std::vector<llm::Failure>{failure(FailureKind::overloaded)});
  auto const provider =
      llm::with_retries(inner, {}, [](milliseconds, llm::CancelToken const& token) { token.cancel(); });
  auto const begin = std::chrono::steady_clock::now();
  cancel.cancel();
  llm::sleep_for(std::chrono::hours(1), cancel);
  static_cast<void>(provider->generate({}, {}, cancel));
  CHECK(inner->asked == 1);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}
