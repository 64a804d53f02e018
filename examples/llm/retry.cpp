// SPDX-License-Identifier: MIT
#include "retry.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

namespace llm {

using std::chrono::milliseconds;

namespace {

bool passes(FailureKind kind) {
  return kind == FailureKind::rate_limited || kind == FailureKind::overloaded
         || kind == FailureKind::unavailable || kind == FailureKind::cut;
}

class RetryingProvider final : public Provider {
 public:
  RetryingProvider(std::shared_ptr<Provider> inner, RetryPolicy policy, Sleep sleep, Random random)
      : inner_(std::move(inner)), policy_(policy), sleep_(std::move(sleep)), random_(std::move(random)) {}

  sessionkit::Provider format() const noexcept override { return inner_->format(); }
  std::string name() const override { return inner_->name(); }
  sessionkit::ServerRules server() const noexcept override { return inner_->server(); }

  Answer generate(Request const& request, OnEvent const& on_event, CancelToken const& cancel) override {
    bool seen = false;
    auto const watch = [&](Event const& event) {
      seen = true;
      if (on_event) on_event(event);
    };
    for (unsigned attempt = 1;; ++attempt) {
      Answer answer = inner_->generate(request, watch, cancel);
      // The caller keeps output that was shown, so it must not come twice.
      if (!answer.failure || seen || cancel.cancelled()) return answer;
      auto const wait = plan_retry(policy_, *answer.failure, attempt, random_());
      if (!wait) return answer;
      if (on_event) on_event(RetryWait{attempt + 1, *wait, answer.failure->kind, answer.failure->message});
      sleep_(*wait, cancel);
    }
  }

 private:
  std::shared_ptr<Provider> inner_;
  RetryPolicy policy_;
  Sleep sleep_;
  Random random_;
};

}

std::optional<milliseconds> plan_retry(RetryPolicy const& policy, Failure const& failure, unsigned attempt,
                                       double random) {
  if (attempt >= policy.attempts || !passes(failure.kind)) return std::nullopt;
  if (failure.retry_after) {
    if (*failure.retry_after > policy.longest_retry_after) return std::nullopt;
    return *failure.retry_after;
  }
  auto const doublings = std::min(attempt - 1, 20U);
  auto const wait = std::min(policy.first_wait * (1U << doublings), policy.longest_wait);
  return wait - milliseconds(static_cast<milliseconds::rep>(static_cast<double>(wait.count()) / 2 * random));
}

void sleep_for(milliseconds time, CancelToken const& cancel) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (!cancel.cancelled()) {
    auto const left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return;
    std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(left, milliseconds(20)));
  }
}

double random_fraction() {
  std::random_device source;
  return std::uniform_real_distribution<double>(0, 1)(source);
}

std::shared_ptr<Provider> with_retries(std::shared_ptr<Provider> inner, RetryPolicy policy, Sleep sleep,
                                       Random random) {
  return std::make_shared<RetryingProvider>(std::move(inner), policy, std::move(sleep), std::move(random));
}

}
