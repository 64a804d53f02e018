// SPDX-License-Identifier: MIT
// Conversations that fit: after each turn, on another thread, after a refusal, in the view only.
#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sk = sessionkit;

namespace {

// Replaces a model: returns the size of its prompt.
sk::Result<std::string> ask_model(std::string const& system, std::string const& prompt,
                                  std::size_t /*max_tokens*/) {
  if (system.empty()) return sk::Error{sk::Errc::unavailable, 0, "no prompt"};
  return "A summary of " + std::to_string(prompt.size()) + " bytes.";
}

void talk(sk::Session& session, int turns) {
  for (int i = 0; i < turns; ++i) {
    session.append(sk::user("Tell me about item " + std::to_string(i) + std::string(600, '.'))).value();
    session.append(sk::assistant("Here it is" + std::string(600, '.'))).value();
  }
}

sk::CompactionPolicy small_window() {
  // [policy]
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 0;       // the limit comes from the window
  policy.window = 8000;            // the model's context window
  policy.window_reserve = 2000;    // compact if fewer tokens are left for the answer
  policy.keep = sk::keep_turns(4); // the last four turns stay, if they leave room for a summary
  policy.deadline = std::chrono::seconds(60);
  // [policy]
  return policy;
}

void say(char const* when, sk::CompactionOutcome outcome) {
  std::printf("%s: %s\n", when, sk::to_string(outcome));
}

// [after_turn]
// Call this after each turn: the model is not asked until a compaction is due.
sk::Result<sk::CompactionOutcome> after_turn(sk::Session& session) {
  auto summarizer = sk::make_summarizer([](sk::SummaryRequest const& request) {
    return ask_model(request.system(), request.prompt(), request.max_tokens);
  });
  return session.compact(summarizer, small_window());
}
// [after_turn]

// [async]
// The plan owns its data: the model may work on another thread while the user continues.
class Background {
 public:
  sk::Result<void> start(sk::Session& session) {
    if (plan_) return {}; // one at a time
    auto plan = session.plan_compaction(small_window());
    if (!plan) return plan.error();
    plan_ = std::move(*plan);
    if (!plan_) return {};
    summary_ = std::async(std::launch::async, [plan = *plan_] {
      auto summarizer = sk::make_summarizer([](sk::SummaryRequest const& request) {
        return ask_model(request.system(), request.prompt(), request.max_tokens);
      });
      return sk::summarize(plan, summarizer);
    });
    return {};
  }
  sk::Result<sk::CompactionOutcome> finish(sk::Session& session) {
    if (!plan_) return sk::CompactionOutcome::not_needed;
    auto const plan = *std::exchange(plan_, std::nullopt);
    return session.apply(plan, summary_.get()); // an error is counted: the third in a row opens the breaker
  }

 private:
  std::optional<sk::CompactionPlan> plan_;
  std::future<sk::Result<std::string>> summary_;
};
// [async]

// [refused]
// The provider refused a request as too long: compact and retry, but only once.
bool may_retry(sk::Session& session, sk::Summarizer& summarizer) {
  auto const outcome = session.compact(summarizer, small_window(), sk::CompactionReason::context_exceeded);
  return outcome && *outcome == sk::CompactionOutcome::applied;
}
// [refused]

std::string view_only(sk::Session& session, std::shared_ptr<sk::Summarizer> const& summarizer) {
  // [view]
  sk::Target target;
  target.policies = {sk::ClearToolResults{}, sk::summarize_window(summarizer, {10, 5}), sk::TokenLimit{6000}};
  sk::RequestParts const request = session.request(target).value(); // the log stays unchanged
  // [view]
  return request.system;
}

sk::Session fresh() { return sk::Session::create(sk::make_memory_store()).value(); }

}

int main() {
  auto session = fresh();
  talk(session, 30);
  say("in the turn", after_turn(session).value());

  auto busy = fresh();
  talk(busy, 30);
  Background background;
  background.start(busy).value();
  busy.append(sk::user("And one more thing")).value();
  say("in the background", background.finish(busy).value());

  auto twice = fresh();
  talk(twice, 30);
  auto const plan = sk::plan_compaction(twice.context().value(), small_window());
  if (!plan) return 1;
  twice.apply(*plan, "first").value();
  say("twice", twice.apply(*plan, "second").value());
  talk(twice, 30);
  auto const next = sk::plan_compaction(twice.context().value(), small_window());
  if (!next) return 1;
  say("blank", twice.apply(*next, "  ").value());

  auto summarizer = sk::make_summarizer(
      [](sk::SummaryRequest const&) -> sk::Result<std::string> { return std::string("In short."); });
  std::printf("refused: %s\n", may_retry(twice, summarizer) ? "applied" : "no");
  say("again", twice.compact(summarizer, small_window(), sk::CompactionReason::context_exceeded).value());

  auto viewed = fresh();
  talk(viewed, 20);
  auto const shared = std::make_shared<decltype(summarizer)>(summarizer);
  return view_only(viewed, shared).find("In short.") == std::string::npos ? 1 : 0;
}
