// SPDX-License-Identifier: MIT
// Conversations far longer than the model's window, in every profile.
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/sessionkit.hpp>

#include <agent/agent.hpp>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

namespace {

namespace sk = sessionkit;
using sessionkit_test::Random;

constexpr std::size_t window = 8000; // tokens

/// A model with a small window, which answers with random lengths and calls a tool now and then.
class SmallModel final : public llm::Provider {
 public:
  explicit SmallModel(std::uint64_t seed) : random_(seed) {}

  sk::Provider format() const noexcept override { return sk::Provider::anthropic; }

  llm::Answer generate(llm::Request const& request, llm::OnEvent const&, llm::CancelToken const&) override {
    std::lock_guard<std::mutex> const lock(mutex_);
    std::size_t const tokens = (request.parts.system.size() + request.parts.messages.size()) / 4;
    llm::Answer answer;
    answer.message.role = sk::Role::assistant;
    sk::Generation& made = answer.message.generation.emplace();
    made.stop = sk::StopReason::end_turn;
    if (tokens > window) {
      ++refused;
      made.stop = sk::StopReason::error;
      answer.failure = llm::Failure{llm::FailureKind::context_exceeded, "prompt is too long", 400};
      return answer;
    }
    made.usage = sk::Usage{tokens, 100};
    std::string const words(40 + random_.below(2000), 'a');
    bool const calls = !request.tools.empty() && random_.one_in(3);
    if (calls) answer.message.parts.emplace_back(sk::ToolUse{"t" + std::to_string(++calls_), "look", {}});
    if (!calls || random_.one_in(2))
      answer.message.parts.insert(answer.message.parts.begin(), sk::Text{words});
    if (calls) made.stop = sk::StopReason::tool_use;
    return answer;
  }

  int refused = 0; ///< requests that were too long

 private:
  std::mutex mutex_;
  Random random_;
  int calls_ = 0;
};

/// A conversation of so many turns in a store of this profile.
void converse(sk::Profile profile, int turns) {
  bool const stores = profile.timing != sk::WriteTiming::never;
  if (!stores) profile.timing = sk::WriteTiming::incremental;
  auto const store = sk::make_memory_store(profile);
  auto const id = sk::Session::create(store).value().id();
  auto const model = std::make_shared<SmallModel>(7);
  Random random(9);
  agent::Agent with;
  with.provider = model;
  with.tools.push_back({{"look", "", sk::RawJson::from(R"({"type":"object"})")}, [&](agent::ToolCall const&) {
                          return agent::ToolOutput{std::string(20 + random.below(9000), 'r')};
                        }});
  with = agent::fitted(std::move(with), profile, window);
  int failed = 0, cuts = 0, compactions = 0, too_long = 0;
  std::optional<sk::Session> session;
  for (int i = 0; i < turns; ++i) {
    if (i % 50 == 0) session.emplace(sk::Session::open(store, id).value()); // as after a restart
    std::string const said = "turn " + std::to_string(i) + std::string(random.below(3000), 'u');
    auto const outcome = agent::run_turn(*session, with, sk::user(said), [&](agent::Event const& event) {
      cuts += std::holds_alternative<agent::ViewCut>(event);
      auto const* compacted = std::get_if<agent::Compacted>(&event);
      compactions += compacted && compacted->outcome == sk::CompactionOutcome::applied;
    });
    REQUIRE(outcome.ok());
    failed += outcome->end == agent::TurnEnd::failed;
  }
  for (int i = 0; stores && i < 3;
       ++i) { // a message that no model of this size can read, and one that it can
    too_long += agent::run_turn(*session, with, sk::user(std::string(5 * window, 'u')), {})->end
                == agent::TurnEnd::failed;
    failed += agent::run_turn(*session, with, sk::user("shorter"), {})->end == agent::TurnEnd::failed;
  }
  CHECK(too_long == (stores ? 3 : 0));
  session->end_turn().value();
  auto const info = store->info(id).value();
  std::cout << profile.name << ": " << turns << " turns, " << failed << " failed, " << model->refused
            << " requests refused as too long, " << cuts << " turns with a cut view, " << compactions
            << " compactions\n";
  CHECK(failed == 0);
  CHECK((profile.compaction.view_only ? cuts : compactions) > 0);
  if (profile.compaction.view_only) CHECK(compactions == 0);
  CHECK(info.turns >= static_cast<std::uint64_t>(turns + too_long)); // a log of native has the long ones too
}

}

TEST_CASE("a conversation far longer than the window loses no turn, in every profile", "[agent]") {
  int const turns = std::getenv("SESSIONKIT_SOAK") != nullptr ? 5000 : 150; // NOLINT(concurrency-mt-unsafe)
  for (std::string_view const name : sk::profile_names()) DYNAMIC_SECTION(name) {
      converse(*sk::find_profile(name), turns);
    }
}
