// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/shortened.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>

#include <algorithm>
#include <cerrno>

using namespace sessionkit_test;
using sk::CompactionOutcome;
using sk::CompactionReason;

TEST_CASE("a turn that is not stored yet follows the compaction, and is read back after it") {
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

TEST_CASE("if no message waits, zeroclaw keeps nothing, so that no answer comes before its summary") {
  auto store = sk::make_memory_store();
  sk::SessionOptions options;
  options.profile = sk::profiles::zeroclaw;
  auto session = sk::Session::create(store, {}, options).value();
  talk(session, 3);
  ScriptedSummarizer summarizer;
  auto const policy = session.compaction_policy();
  auto const plan = session.plan_compaction(policy, CompactionReason::manual).value();
  REQUIRE(plan);
  CHECK(plan->kept == 0);
  CHECK(plan->summarized == 6);
  talk(session, 1); // which the plan does not know
  CHECK(session.apply(*plan, "in short").value() == CompactionOutcome::superseded);
  CHECK(session.compact(summarizer, CompactionReason::manual).value() == CompactionOutcome::applied);
  for (sk::Entry const& entry : session.context().value().entries) CHECK_FALSE(entry.as<sk::Message>());
  session.append(sk::user("next")).value();
  session.append(sk::assistant("yes")).value();
  auto again = sk::Session::open(store, session.id(), options).value();
  auto const messages = again.history({}).value().messages;
  REQUIRE(messages.size() == 2);
  CHECK(messages[0].text() == "next");
  CHECK(again.history({}).value().system == "[Session Compaction Summary]\nin short");
}

TEST_CASE("a question that is given up is not part of the next one") {
  auto store = sk::make_memory_store();
  sk::SessionOptions options;
  options.profile = sk::profiles::zeroclaw;
  auto session = sk::Session::create(store, {}, options).value();
  for (auto const what : {sk::Turn::Unanswered::keep, sk::Turn::Unanswered::drop}) {
    auto turn = session.begin_turn();
    turn.append(sk::user("one")).value();
    turn.abort(what).value();
    bool const kept = what == sk::Turn::Unanswered::keep;
    std::size_t waiting = 0;
    for (sk::Entry const& entry : session.context().value().entries)
      waiting += entry.as<sk::Message>() != nullptr;
    CHECK(waiting == (kept ? 1U : 0U));
  }
}

TEST_CASE(
    "ai-panel's lines: over 80,000 tokens, twenty turns are written again after the summary in one write") {
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
  // Twenty turns are 60,000 tokens: they leave room for a summary, and a fifth of the limit is saved.
  CHECK(std::count(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.end(), '\n') == 1 + 40);
  CHECK(session.history({}).value().messages.size() == 40);
  CHECK(session.info().value().messages == 54);
  CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed);
  check_valid(session);
}

TEST_CASE("fewer than twenty turns stay only where twenty do not fit, and an event reports it") {
  for (std::size_t const words : {6000U, 6800U}) {
    CAPTURE(words);
    std::vector<std::string> events;
    sk::SessionOptions options;
    options.profile = sk::profiles::ai_panel;
    options.on_event = [&](sk::Event const& event) {
      if (event.kind == sk::Event::compaction_started) events.push_back(event.message);
    };
    auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
    ScriptedSummarizer summarizer;
    talk(session, 27, words);
    CHECK(session.compact(summarizer).value() == CompactionOutcome::applied);
    bool const fits = words == 6000;
    std::size_t const stay = session.history({}).value().messages.size();
    CHECK((stay == 40) == fits);
    CHECK(stay >= 20);
    REQUIRE(events.size() == 1);
    CHECK((events[0].find("fewer than the policy keeps, because more would not fit") == std::string::npos)
          == fits);
    CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed);
  }
}

TEST_CASE("ai-panel's compaction cut short at any byte: the view is the old one or the new one, and a retry "
          "works") {
  TempDir dir;
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  sk::NewSession about;
  about.id = the_session();
  ScriptedSummarizer summarizer;
  std::string before, after;
  Texts old_view;
  {
    auto session = sk::Session::create(sk::open_file_store(dir / "s").value(), about, options).value();
    talk(session, 6, 60);
    sk::ToolUse const call = tool_call("t", "f", R"({"a":1})");
    session.append(sk::user("again")).value(), session.append(sk::assistant(call)).value();
    session.append(sk::tool_result(call, "r")).value(), session.append(sk::assistant("done")).value();
    old_view = said(session);
    before = read_file(dir / "s/s.jsonl");
    CHECK(session.compact(summarizer, small_policy(), CompactionReason::manual).value()
          == CompactionOutcome::applied);
    after = read_file(dir / "s/s.jsonl");
  }
  int news = 0;
  for (std::size_t size = before.size(); size <= after.size(); ++size) {
    bool const at_line = after[size - 1] == '\n' || (size < after.size() && after[size] == '\n');
    if (!at_line && size % 17 != 0) continue;
    CAPTURE(size, after.size());
    TempDir cut;
    {
      sk::open_file_store(cut / "s").value(); // makes the directory
      write_file(cut / "s/s.jsonl", after.substr(0, size));
    }
    auto session = sk::Session::open(sk::open_file_store(cut / "s").value(), the_session(), options).value();
    bool const is_new = session.context().value().compaction.has_value();
    REQUIRE(is_new == (size + 1 >= after.size()));
    Texts expected = is_new ? Texts{"u5", "a5", "aga", "", "", "don"} : old_view;
    REQUIRE(said(session) == expected);
    session.append(sk::user("on")).value();
    expected.emplace_back("on");
    REQUIRE(said(session) == expected);
    check_valid(session);
    news += is_new;
    CHECK(session.compact(summarizer, small_policy(), CompactionReason::manual).value()
          == CompactionOutcome::applied);
    CHECK(said(session) == Texts{"aga", "", "", "don", "on"});
  }
  CHECK(news == 2);
}

TEST_CASE("the next try stores ai-panel's compaction once if the disk was full before") {
  TempDir dir;
  FaultyFileOps ops;
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto store = sk::detail::open_file_store(ops, dir / "s", {}).value();
  auto session = sk::Session::create(store, {}, options).value();
  talk(session, 6);
  auto const plan = sk::plan_compaction(session.context().value(), small_policy());
  ops.reset();
  ops.only = Call::write;
  ops.fault = {0, ENOSPC, false, true}; // half of the lines
  CHECK_FALSE(session.apply(*plan, "s").ok());
  ops.reset();
  CHECK(session.apply(*plan, "s").value() == CompactionOutcome::applied);
  CHECK(said(session) == Texts{"u4", "a4", "u5", "a5"});
  auto again = sk::Session::open(store, session.id(), options).value();
  CHECK(said(again) == Texts{"u4", "a4", "u5", "a5"});
}

TEST_CASE("twenty turns are kept if they are less than half of the limit") {
  sk::SessionOptions options;
  options.profile = sk::profiles::ai_panel;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  talk(session, 1, 200000);
  talk(session, 22, 400);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer).value() == CompactionOutcome::applied);
  CHECK(session.history({}).value().messages.size() == 40);
}

TEST_CASE("lines that cannot represent a compaction give an error before the model is asked") {
  sk::SessionOptions options;
  options.profile = sk::profiles::claw0;
  auto session = sk::Session::create(sk::make_memory_store(), {}, options).value();
  talk(session, 4);
  ScriptedSummarizer summarizer;
  CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed); // never automatic
  auto const refused = session.compact(summarizer, small_policy(), CompactionReason::manual);
  CHECK(refused.error().code == sk::Errc::unsupported);
  CHECK(summarizer.requests.empty());
}

TEST_CASE("entries that are not stored cannot be replaced: the model is not asked during the turn") {
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
    options.profile = sk::profiles::native;
    options.profile->timing = sk::WriteTiming::whole;
    auto session = begun(6, options);
    CHECK(session.compact(summarizer, small_policy()).error().code == sk::Errc::invalid_argument);
    session.end_turn().value();
    CHECK(session.compact(summarizer, small_policy()).value() == CompactionOutcome::applied);
    check_valid(session);
  }
  SECTION("a profile that shortens its view only stores no summary, even on request") {
    for (sk::Profile const& profile : {sk::profiles::ephemeral, sk::profiles::blades}) {
      CAPTURE(profile.name);
      options.profile = profile;
      auto session = begun(6, options);
      session.end_turn().value();
      CHECK(session.compact(summarizer).value() == CompactionOutcome::not_needed); // never by its profile
      CHECK(session.compact(summarizer, small_policy()).error().code == sk::Errc::unsupported);
      CHECK(session.compact(summarizer, small_policy(), CompactionReason::manual).error().code
            == sk::Errc::unsupported);
      CHECK(summarizer.requests.empty());
      check_valid(session);
    }
  }
}
