// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/long_form.hpp"
#include "support/shortened.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace sessionkit_test;
using sk::CompactionOutcome;
using sk::CompactionReason;

TEST_CASE("compact asks for a summary when it is due, stores one entry and changes nothing else") {
  auto store = sk::make_memory_store();
  std::vector<sk::Event::Kind> events;
  sk::SessionOptions options;
  options.on_event = [&](sk::Event const& event) { events.push_back(event.kind); };
  auto session = sk::Session::create(store, {}, options).value();
  ScriptedSummarizer summarizer;
  talk(session, 4);
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::not_needed);
  CHECK(summarizer.requests.empty());
  CHECK(events.empty());
  talk(session, 2);
  std::string const before = raw(*store, session.id());
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
  CHECK(events == std::vector<sk::Event::Kind>{sk::Event::compaction_started, sk::Event::compaction_ended});
  std::string const after = raw(*store, session.id());
  CHECK(after.compare(0, before.size(), before) == 0);
  CHECK(std::count(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end(), '\n') == 1);

  auto const history = session.history({}).value();
  CHECK(history.system.find("in short") != std::string::npos);
  CHECK(said(session) == Texts{"u0", "a0", "u1", "a1"});
  auto const context = session.context().value();
  auto const& body = *context.compaction->as<sk::Compaction>();
  CHECK(body.tokens_before > 1000);
  CHECK(body.tokens_after == sk::count_tokens(context));
  CHECK(session.info().value().tokens == body.tokens_after);
  CHECK(Json::parse(body.details.str())["reason"] == "size");
  CHECK(Json::parse(body.details.str())["lastSummarized"] == session.path().value()[7].id.str());
  CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::not_needed);
  session.append(sk::user("on")).value();
  CHECK(sk::Session::open(store, session.id()).value().context().value().compaction->id
        == context.compaction->id);
  check_valid(session);
}

TEST_CASE("a plan outlives the turns that are added while the model works") {
  auto session = begun(6);
  auto const plan = sk::plan_compaction(session.context().value(), small_policy());
  REQUIRE(plan);
  sk::Result<std::string> summary = sk::Error{sk::Errc::unavailable};
  std::thread elsewhere([&] {
    ScriptedSummarizer summarizer;
    summary = sk::summarize(*plan, summarizer);
  });
  session.append(sk::user("meanwhile")).value();
  elsewhere.join();
  CHECK(session.apply(*plan, summary.value()).value() == CompactionOutcome::applied);
  CHECK(said(session) == Texts{"u4", "a4", "u5", "a5", "mea"});
  CHECK(session.apply(*plan, "again").value() == CompactionOutcome::superseded);
  check_valid(session);
}

TEST_CASE("a plan whose first kept entry left the path is superseded") {
  auto session = begun(6);
  auto const path = session.path().value();
  auto const plan = sk::plan_compaction(session.context().value(), small_policy());
  session.rewind(path[3].id).value();
  std::size_t const before = entries_of(session);
  CHECK(session.apply(*plan, "late").value() == CompactionOutcome::superseded);
  CHECK(entries_of(session) == before);
  session.rewind(path.back().id).value();
  CHECK(session.apply(*plan, "in time").value() == CompactionOutcome::applied);
}

TEST_CASE("two compactors and a writer: one compaction is stored, nothing is lost") {
  auto store = sk::make_memory_store();
  auto one = sk::Session::create(store).value();
  talk(one, 6);
  auto two = sk::Session::open(store, one.id()).value();
  auto writer = sk::Session::open(store, one.id()).value();
  auto const plan_one = sk::plan_compaction(one.context().value(), small_policy());
  auto const plan_two = sk::plan_compaction(two.context().value(), small_policy());
  writer.append(sk::user("between")).value();
  CHECK(one.apply(*plan_one, "one").value() == CompactionOutcome::applied);
  CHECK(two.apply(*plan_two, "two").value() == CompactionOutcome::superseded);
  writer.append(sk::assistant("behind")).value();
  one.refresh().value(), two.refresh().value();
  for (sk::Session* session : {&one, &two, &writer}) {
    CHECK(said(*session) == Texts{"u4", "a4", "u5", "a5", "bet", "beh"});
    CHECK(session->context().value().compaction->as<sk::Compaction>()->summary.find("one") == 0);
  }
}

TEST_CASE("threads that compact and write at once on one store lose nothing") {
  TempDir dir;
  auto store = sk::open_file_store(dir / "s").value();
  auto first = sk::Session::create(store).value();
  talk(first, 8);
  sk::SessionId const id = first.id();
  std::vector<std::thread> threads;
  std::atomic<int> applied{0};
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      auto session = sk::Session::open(store, id).value();
      ScriptedSummarizer summarizer;
      for (int i = 0; i < 10; ++i) {
        auto const outcome = session.compact(summarizer, small_policy());
        if (outcome && *outcome == CompactionOutcome::applied) ++applied;
        session.refresh().value();
      }
    });
  threads.emplace_back([&] {
    auto session = sk::Session::open(store, id).value();
    talk(session, 30);
  });
  for (auto& thread : threads) thread.join();
  auto session = sk::Session::open(store, id).value();
  std::size_t messages = 0;
  for (auto const& entry : session.path().value()) messages += entry.as<sk::Message>() != nullptr;
  CHECK(messages == 2 * 38);
  CHECK(applied > 0);
  check_valid(session);
}

TEST_CASE(
    "a summary that is missing, blank, late or too long changes nothing, and the third opens the breaker") {
  sk::Timestamp now = sk::from_unix_ms(1000000);
  std::vector<std::string> stops;
  sk::SessionOptions options;
  options.clock = [&] { return now; };
  options.on_event = [&](sk::Event const& event) {
    if (event.kind == sk::Event::compaction_stopped) stops.push_back(event.message);
  };
  auto session = begun(6, options);
  sk::CompactionPolicy policy = small_policy();
  policy.deadline = std::chrono::seconds(90);
  std::size_t const before = entries_of(session);
  ScriptedSummarizer summarizer(sk::Error{sk::Errc::unavailable, 0, "down"});
  CHECK(session.compact(summarizer, policy).error().code == sk::Errc::unavailable);
  summarizer.answer = std::string("too late");
  summarizer.meanwhile = [&] { now += std::chrono::seconds(91); };
  CHECK(session.compact(summarizer, policy).error().code == sk::Errc::timed_out);
  CHECK(summarizer.requests.back().deadline == now - std::chrono::seconds(1));
  CHECK(entries_of(session) == before);
  CHECK(stops.empty());
  summarizer.meanwhile = {};
  summarizer.answer = std::string(" \n\t");

  SECTION("blank") {}
  SECTION("nothing but facts of its own") {
    summarizer.answer = std::string("<read-files>\nx\n</read-files>");
  }
  SECTION("longer than what it got") { summarizer.answer = std::string(9000, 'z'); }
  CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::no_progress);
  CHECK(stops.size() == 1);
  auto const path = session.path().value();
  REQUIRE(path.size() == before + 1);
  REQUIRE(path.back().as<sk::Custom>());
  CHECK(path.back().as<sk::Custom>()->type == "sessionkit.compaction_breaker");
  CHECK_FALSE(session.context().value().compaction);
  check_valid(session);

  summarizer.answer = std::string("fine now");
  std::size_t const asked = summarizer.requests.size();
  CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::not_needed); // open
  CHECK(summarizer.requests.size() == asked);
  SECTION("by hand it still works") {
    CHECK(session.compact(summarizer, policy, CompactionReason::manual).value()
          == CompactionOutcome::applied);
  }
  SECTION("it closes when the conversation has grown by a quarter") {
    talk(session, 1);
    CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::not_needed);
    talk(session, 1);
    CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::applied);
  }
}

TEST_CASE("a compaction that saves under a fifth is stored with the breaker after it, in one write") {
  auto session = begun(6);
  sk::CompactionPolicy policy = small_policy();
  ScriptedSummarizer summarizer(std::string(2900, 'z'));
  CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::applied);
  auto const path = session.path().value();
  REQUIRE(path.back().as<sk::Custom>());
  CHECK(path[path.size() - 2].as<sk::Compaction>());
  std::size_t const asked = summarizer.requests.size();
  for (int i = 0; i < 5; ++i)
    CHECK(session.compact(summarizer, policy).value() == CompactionOutcome::not_needed);
  CHECK(summarizer.requests.size() == asked);
  check_valid(session);
}

TEST_CASE("one provider count that is far too high does not end compactions permanently") {
  auto session = begun(0);
  ScriptedSummarizer summarizer;
  sk::CompactionPolicy policy = small_policy();
  policy.trigger_tokens = 4000;
  std::size_t longest = 0;
  for (int i = 0; i < 300; ++i) {
    session.append(sk::user("question " + std::string(200, 'x'))).value();
    std::size_t estimated = 0;
    for (auto const& entry : session.context().value().entries) estimated += sk::estimate_tokens(entry);
    longest = std::max(longest, estimated);
    sk::Message answer = sk::assistant("answer " + std::string(200, 'y'));
    answer.generation.emplace();
    answer.generation->usage = sk::Usage{i == 20 ? 10'000'000U : estimated, 5, 0, 0};
    session.append(answer).value();
    session.compact(summarizer, policy).value();
  }
  CHECK(longest < 8000);
}

TEST_CASE("a summary that failed elsewhere counts for the breaker") {
  auto session = begun(6);
  sk::CompactionPolicy const policy = small_policy();
  int asked = 0;
  for (int i = 0; i < 10; ++i) {
    auto const plan = session.plan_compaction(policy).value();
    if (!plan) break;
    ++asked;
    sk::Result<std::string> const failed = sk::Error{sk::Errc::unavailable, 0, "no model"};
    CHECK(session.apply(*plan, failed).error().code == sk::Errc::unavailable);
  }
  CHECK(asked == 3);
}

TEST_CASE("content that no compaction can shorten does not cause a compaction every turn") {
  auto session = begun(0);
  auto const answered = [&](int i) { // a system prompt and tools of 950 tokens, a limit of 1,000
    std::string const n = std::to_string(i);
    session.append(sk::user("question " + n)).value();
    sk::Message answer = sk::assistant("answer " + n);
    answer.generation.emplace();
    answer.generation->usage = sk::Usage{950 + 10 * static_cast<std::uint64_t>(i % 50), 5, 0, 0};
    session.append(answer).value();
  };
  ScriptedSummarizer summarizer;
  std::size_t applied = 0;
  for (int i = 0; i < 100; ++i) {
    answered(i);
    applied += session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied;
  }
  CHECK(applied >= 1);
  CHECK(applied <= 4);
}

TEST_CASE("the facts of three compactions in a row reach the model") {
  auto session = begun(0);
  std::vector<std::string> needles;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 6; ++i) {
      std::string const n = std::to_string(round * 100 + i);
      sk::ToolUse const call = tool_call("t" + n, "read", R"({"path":"src/needle_)" + n + R"(.cpp"})");
      needles.push_back("src/needle_" + n + ".cpp");
      session.append(sk::user("look at " + n + std::string(500, 'x'))).value();
      session.append(sk::assistant(call)).value();
      session.append(sk::tool_result(call, std::string(500, 'r'))).value();
      session.append(sk::assistant("seen " + n)).value();
    }
    // Repeats earlier summaries, as a good model does, but no file names.
    auto summarizer = sk::make_summarizer([&](sk::SummaryRequest const& request) -> sk::Result<std::string> {
      return request.previous_summary + " round" + std::to_string(round);
    });
    sk::CompactionPolicy policy = small_policy();
    policy.trigger_tokens = 4000;
    CHECK(session.compact(summarizer, policy, CompactionReason::manual).value()
          == CompactionOutcome::applied);
  }
  std::string const system = session.history({}).value().system;
  for (char const* round : {"round0", "round1", "round2"}) CHECK(system.find(round) != std::string::npos);
  std::string const all = session.request({}).value().system + session.request({}).value().messages;
  for (std::string const& needle : needles) CHECK(all.find(needle) != std::string::npos);
}

TEST_CASE("a conversation continues indefinitely inside a small window, and keeps its first facts") {
  std::size_t const turns = long_form() ? 5000 : 600;
  auto session = begun(0);
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 0;
  policy.window = 8000;
  policy.window_percent = 85;
  // Keeps the first sentence it ever saw; later ones do not replace it.
  auto summarizer = sk::make_summarizer([](sk::SummaryRequest const& request) -> sk::Result<std::string> {
    CHECK(sk::estimate_tokens(request.conversation) <= 8000);
    if (!request.previous_summary.empty()) return request.previous_summary;
    return request.conversation.substr(0, 40);
  });
  session.append(sk::user("[NEEDLE: the red house]")).value();
  std::size_t compactions = 0;
  for (std::size_t i = 0; i < turns; ++i) {
    std::string const n = std::to_string(i);
    session.append(sk::user("question " + n + std::string(i % 7 * 100, 'x'))).value();
    if (i % 3 == 0) {
      sk::ToolUse const call = tool_call("t" + n, "read", R"({"path":"file_)" + n + "\"}");
      session.append(sk::assistant(call)).value();
      session.append(sk::tool_result(call, std::string(i % 50 == 0 ? 40000 : 600, 'r'))).value();
    }
    session.append(sk::assistant("answer " + n)).value();
    auto const outcome = session.compact(summarizer, policy);
    REQUIRE(outcome.ok());
    compactions += *outcome == CompactionOutcome::applied;
    auto const history = session.history({}).value();
    REQUIRE((history.tokens <= 8000 || i % 50 == 0));
    if (i % 100 == 99) check_valid(session);
  }
  CHECK(session.info().value().turns == turns + 1);
  CHECK(compactions > turns / 100);
  CHECK(compactions < turns / 4);
  CHECK(session.history({}).value().system.find("NEEDLE: the red house") != std::string::npos);
  auto const path = session.path().value();
  CHECK(std::count_if(path.begin(), path.end(),
                      [](auto const& entry) { return entry.template as<sk::Custom>(); })
        == 0);
}
