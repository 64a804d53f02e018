// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/four_providers.hpp"
#include "support/logs.hpp"
#include "support/long_form.hpp"

#include <sessionkit/detail/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::CompactionOutcome;
using sk::CompactionReason;

namespace {

sk::Session begun(std::size_t turns, sk::SessionOptions options = {}) {
  auto session = sk::Session::create(sk::make_memory_store(), {}, std::move(options)).value();
  talk(session, turns);
  return session;
}

sk::CompactionPolicy small_policy() {
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 1000;
  policy.keep = sk::keep_turns(2);
  return policy;
}

std::vector<std::string> said(sk::Session& session) {
  std::vector<std::string> texts;
  for (auto const& message : session.history({}).value().messages)
    texts.push_back(message.text().substr(0, 3));
  for (auto& text : texts) text.resize(std::min(text.find('x'), std::min(text.find('y'), text.size())));
  return texts;
}
using Texts = std::vector<std::string>;

std::size_t entries_of(sk::Session& session) { return session.path().value().size(); }

std::string raw(sk::SessionStore& store, sk::SessionId const& id) {
  std::string text;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store.read(id, range).value();
    for (auto const& item : page.items()) text.append(item.line).append("\n");
    range.from = page.next;
    more = page.more;
  }
  return text;
}

void check_valid(sk::Session& session) {
  for (sk::Provider const provider : four_providers) {
    sk::Target target;
    target.provider = provider;
    CHECK(refused(session.history(target).value(), target).empty());
  }
}

}

TEST_CASE("compact asks for a summary when it is time, stores one entry and nothing else changes") {
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

TEST_CASE("a plan outlives the turns that come while the model thinks") {
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

TEST_CASE("two compactors and a writer: one compaction stands, nothing is lost") {
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
  SECTION("by hand it works all the same") {
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

TEST_CASE("a compaction that saves under a fifth is stored with the breaker behind it, in one write") {
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

TEST_CASE("what no compaction can make shorter does not make it compact every turn") {
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
    // Repeats what it was given of earlier summaries, as a good model does, and nothing of file names.
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

TEST_CASE("a conversation goes on for ever inside a small window, and keeps what it was told first") {
  std::size_t const turns = long_form() ? 5000 : 600;
  auto session = begun(0);
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 0;
  policy.window = 8000;
  policy.window_percent = 85;
  // Keeps the first sentence it ever saw; a new one replaces nothing.
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

TEST_CASE("a turn that is not stored yet stays behind the compaction, and comes back behind it") {
  auto store = sk::make_memory_store();
  sk::SessionOptions options;
  options.profile = sk::profiles::zeroclaw;
  auto session = sk::Session::create(store, {}, options).value();
  talk(session, 3);
  auto turn = session.begin_turn();
  sk::ToolUse const call = tool_call("t", "f", "{}");
  turn.append(sk::user("now")).value();
  turn.append(sk::assistant(call)).value();
  turn.append(sk::tool_result(call, "r")).value();
  CHECK(session.compaction_policy().trigger_tokens == 12000);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer, CompactionReason::manual).value() == CompactionOutcome::applied);
  CHECK(session.history({}).value().messages.size() == 3);
  CHECK(session.history({}).value().system == "[Session Compaction Summary]\nin short");
  turn.append(sk::assistant("done")).value();
  turn.commit().value();
  auto again = sk::Session::open(store, session.id(), options).value();
  CHECK(said(again) == Texts{"now", "don"});
  CHECK(again.history({}).value().system == "[Session Compaction Summary]\nin short");
  auto const path = again.path().value();
  REQUIRE(path.size() == 9);
  auto const* body = path[6].as<sk::Compaction>(); // before the user's message that was pending
  REQUIRE(body);
  CHECK(Json::parse(body->details.str())["lastSummarized"] == path[5].id.str());
}

TEST_CASE("ai-panel's lines: over 80,000 tokens, twenty turns stand again behind the summary in one write") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto store = sk::make_memory_store();
  auto session = sk::Session::create(store, {}, options).value();
  CHECK(session.compaction_policy().trigger_tokens == 80000);
  CHECK(session.compaction_policy().keep.count == 20);
  ScriptedSummarizer summarizer;
  talk(session, 24, 6000);
  CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed); // 72,048 tokens
  talk(session, 3, 6000);
  CHECK(session.compact(summarizer).value() == CompactionOutcome::applied);
  CHECK(summarizer.requests.at(0).system() == "请将以下对话历史压缩为简洁摘要，保留关键信息");
  std::string const lines = raw(*store, session.id());
  auto const at = lines.find("\"compaction\"");
  REQUIRE(at != std::string::npos);
  CHECK(lines.find("\"tokensAfter\":", at) != std::string::npos);
  // Twenty turns are 60,000 tokens: more than half of the limit, so thirteen stay.
  CHECK(std::count(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.end(), '\n') == 1 + 26);
  CHECK(session.history({}).value().messages.size() == 26);
  CHECK(session.info().value().messages == 54);
  CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed);
  check_valid(session);
}

TEST_CASE("twenty turns stay where they are less than half of the limit") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  talk(session, 1, 200000);
  talk(session, 22, 400);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer).value() == CompactionOutcome::applied);
  CHECK(session.history({}).value().messages.size() == 40);
}

TEST_CASE("lines without words for a compaction say so before the model is asked") {
  sk::SessionOptions options;
  options.profile = sk::profiles::claw0;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  talk(session, 4);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed); // never by itself
  auto const refused = session.compact(summarizer, small_policy(), CompactionReason::manual);
  CHECK(refused.error().code == sk::Errc::unsupported);
  CHECK(summarizer.requests.empty());
}

TEST_CASE("what is not stored cannot be replaced: the model is not asked while the turn goes on") {
  ScriptedSummarizer summarizer;
  sk::SessionOptions options;
  SECTION("a turn that is held back is too long") {
    options.profile = sk::profiles::zeroclaw;
    auto store = sk::make_memory_store();
    auto session = sk::Session::create(store, {}, options).value();
    talk(session, 2);
    auto turn = session.begin_turn();
    turn.append(sk::user("go")).value();
    for (int i = 0; i < 10; ++i) {
      sk::ToolUse const call = tool_call("t" + std::to_string(i), "f", "{}");
      turn.append(sk::assistant(call)).value();
      turn.append(sk::tool_result(call, std::string(1000, 'r'))).value();
    }
    sk::CompactionPolicy policy = small_policy();
    policy.keep = sk::keep_last_user();
    CHECK(session.compact(summarizer, policy).error().code == sk::Errc::invalid_argument);
    CHECK(summarizer.requests.empty());
    auto const plan = sk::plan_compaction(session.context().value(), policy);
    REQUIRE(plan);
    CHECK(session.apply(*plan, "s").error().code == sk::Errc::invalid_argument);
    turn.append(sk::assistant("done")).value();
    turn.commit().value();
    CHECK(session.compact(summarizer, policy, CompactionReason::manual).value()
          == CompactionOutcome::applied);
    check_valid(session);
  }
  SECTION("nothing is stored before it is saved") {
    options.profile = sk::profiles::blades;
    auto session = begun(6, options);
    CHECK(session.compact(summarizer, small_policy()).error().code == sk::Errc::invalid_argument);
    session.end_turn().value();
    CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
    check_valid(session);
  }
  SECTION("what is in memory only is shortened there, if somebody asks") {
    options.profile = sk::profiles::ephemeral;
    auto session = begun(6, options);
    CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed); // by its profile never
    CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied); // in memory
    check_valid(session);
  }
}

TEST_CASE("an answer of the store that nobody heard: applying again stores the compaction once") {
  TempDir dir;
  FaultyFileOps ops;
  auto store = sk::detail::open_file_store(ops, dir / "s", {}).value();
  auto session = sk::Session::create(store).value();
  talk(session, 6);
  auto const plan = sk::plan_compaction(session.context().value(), small_policy());
  ops.reset();
  ops.only = Call::write;
  ops.fault = {0, ENOSPC, false, true}; // half of the line
  CHECK_FALSE(session.apply(*plan, "s").ok());
  ops.reset();
  CHECK(session.apply(*plan, "s").value() == CompactionOutcome::applied);
  std::size_t compactions = 0;
  for (auto const& entry : session.path().value()) compactions += entry.as<sk::Compaction>() != nullptr;
  CHECK(compactions == 1);
}

TEST_CASE("each system call of a compaction fails once and always: the old state stands, or the new one") {
  int runs = 0, news = 0;
  for (int const error : {EIO, ENOSPC, EACCES}) {
    for (bool const sticky : {false, true}) {
      for (std::int64_t at = 0; at < 200; ++at, ++runs) {
        TempDir dir;
        FaultyFileOps ops;
        std::string before;
        bool acknowledged = false;
        {
          auto store = sk::detail::open_file_store(ops, dir / "s", {}).value();
          sk::NewSession about;
          about.id = sid("s");
          auto session = sk::Session::create(store, about).value();
          talk(session, 6);
          before = read_file(dir / "s/s.jsonl");
          ops.reset();
          ops.fault = {at, error, sticky, false};
          ScriptedSummarizer summarizer;
          auto const outcome = session.compact(summarizer, small_policy());
          acknowledged = outcome && *outcome == CompactionOutcome::applied;
        }
        bool const done = ops.fired == 0;
        std::string const after = read_file(dir / "s/s.jsonl");
        CAPTURE(error, sticky, at);
        REQUIRE(after.compare(0, before.size(), before) == 0);
        auto session = sk::Session::open(sk::open_file_store(dir / "s").value(), sid("s")).value();
        bool const is_new = session.context().value().compaction.has_value();
        REQUIRE((is_new || !acknowledged));
        REQUIRE(said(session).size() == (is_new ? 4 : 12));
        session.append(sk::user("on")).value();
        REQUIRE(said(session).size() == (is_new ? 5 : 13));
        news += is_new;
        if (done) break;
      }
    }
  }
  CHECK(runs > 20);
  CHECK(news > 0);
}

TEST_CASE("a process killed at any system call of a compaction leaves the old state or the new one") {
  int kills = 0, news = 0;
  for (int at = 0;; ++at) {
    TempDir dir;
    sk::NewSession about;
    about.id = sid("s");
    {
      auto session = sk::Session::create(sk::open_file_store(dir / "s").value(), about).value();
      talk(session, 6);
    }
    std::string const before = read_file(dir / "s/s.jsonl");
    pid_t const child = ::fork();
    if (child == 0) {
      FaultyFileOps ops;
      int calls = 0;
      ops.before = [&](Call) {
        if (calls++ == at) ::_exit(9);
      };
      auto store = sk::detail::open_file_store(ops, dir / "s", {});
      auto session = sk::Session::open(*store, sid("s"));
      ScriptedSummarizer summarizer;
      bool const done = session && session->compact(summarizer, small_policy());
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CAPTURE(at);
    REQUIRE(WEXITSTATUS(status) != 1);
    std::string const after = read_file(dir / "s/s.jsonl");
    REQUIRE(after.compare(0, before.size(), before) == 0);
    auto session = sk::Session::open(sk::open_file_store(dir / "s").value(), sid("s")).value();
    bool const is_new = session.context().value().compaction.has_value();
    REQUIRE(said(session).size() == (is_new ? 4 : 12));
    session.append(sk::user("on")).value();
    REQUIRE(said(session).size() == (is_new ? 5 : 13));
    news += is_new;
    if (WEXITSTATUS(status) == 0) break;
    ++kills;
  }
  CHECK(kills > 10);
  CHECK(news > 1);
}
