// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/forwarding_store.hpp"
#include "support/logs.hpp"

#include <sessionkit/conversation.hpp>
#include <sessionkit/session.hpp>

#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

using Items = std::vector<sk::ConversationItem>;
using Lines = std::vector<std::string>;

sk::Entry entry(std::string const& id, sk::EntryBody body) {
  sk::Entry made;
  made.id = sk::EntryId(id);
  made.at = sk::from_unix_ms(1767225600000 + static_cast<std::int64_t>(id.back()));
  made.body = std::move(body);
  return made;
}

sk::Context context_of(std::vector<sk::Entry> entries) {
  sk::Context context;
  context.entries = std::move(entries);
  return context;
}

std::string words_of(sk::ConversationItem const& item) {
  if (auto const* message = item.entry.as<sk::Message>()) {
    static char const* const names[] = {"system", "user", "assistant", "tool"};
    std::string text = std::string(names[static_cast<int>(message->role)]) + ": " + message->text();
    for (auto const& exchange : item.tools) {
      text += " <" + std::get<sk::ToolUse>(message->parts.at(exchange.part)).name + '=';
      if (!exchange.result) text += '?';
      if (exchange.result) text += std::get<sk::Text>(exchange.result->content.at(0)).text;
      text += (exchange.entry.empty() ? "" : '@' + exchange.entry.str()) + '>';
    }
    for (auto const& part : message->parts)
      if (auto const* result = std::get_if<sk::ToolResult>(&part)) text += " stray " + result->tool_use_id;
    return text;
  }
  if (auto const* custom = item.entry.as<sk::CustomMessage>()) return "custom: " + custom->type;
  if (auto const* summary = item.entry.as<sk::Compaction>()) return "compaction: " + summary->summary;
  if (auto const* branch = item.entry.as<sk::BranchSummary>()) return "branch: " + branch->summary;
  return "?";
}

// "compacted user: hello"
Lines lines(Items const& items) {
  static char const* const marks[] = {"", "compacted ", "left out "};
  Lines all;
  for (auto const& item : items) all.push_back(marks[static_cast<int>(item.in_request)] + words_of(item));
  return all;
}

Lines lines_of(std::vector<sk::Entry> const& entries) {
  return lines(sk::conversation_of(entries, context_of(entries)));
}

sk::ToolUse call(std::string const& id, std::string const& name) {
  return {id, name, sk::RawJson::from("{}")};
}

}

TEST_CASE("a screen shows each call with its result, and no message for the result alone") {
  std::vector<sk::Entry> const log{
      entry("a", sk::user("q")), entry("b", sk::assistant("Look.", call("1", "read"), call("2", "list"))),
      entry("c", sk::tool_result("2", "list", "names")), entry("d", sk::tool_result("1", "read", "text")),
      entry("e", sk::assistant("Done."))};
  CHECK(lines_of(log)
        == Lines{"user: q", "assistant: Look. <read=text@d> <list=names@c>", "assistant: Done."});
  Items const items = sk::conversation_of(log, context_of(log));
  CHECK(items[1].tools[0].at == log[3].at);
  CHECK(items[1].entry.at == log[1].at);
  CHECK(items[1].entry.id.str() == "b");
}

TEST_CASE("a result goes to the newest answer that called its id, there to the call of its tool") {
  CHECK(
      lines_of({entry("a", sk::assistant(call("1", "x"))), entry("b", sk::assistant(call("1", "y"))),
                entry("c", sk::tool_result("1", "", "for y")), entry("d", sk::tool_result("1", "", "for x"))})
      == Lines{"assistant:  <x=for x@d>", "assistant:  <y=for y@c>"});
  CHECK(lines_of({entry("a", sk::assistant(call("1", "x"), call("1", "y"))),
                  entry("b", sk::tool_result("1", "y", "for y")),
                  entry("c", sk::tool_result("1", "z", "for x"))})
        == Lines{"assistant:  <x=for x@c> <y=for y@b>"});
}

TEST_CASE("results before their call, without a call, and calls without a result are all shown") {
  CHECK(lines_of({entry("a", sk::tool_result("1", "x", "early")), entry("b", sk::assistant(call("1", "x")))})
        == Lines{"assistant:  <x=early@a>"});
  CHECK(lines_of({entry("a", sk::tool_result("9", "x", "lost")), entry("b", sk::assistant(call("1", "x")))})
        == Lines{"tool:  stray 9", "assistant:  <x=?>"});
  sk::Message both = sk::user("and this");
  both.parts.insert(both.parts.begin(), sk::ToolResult{"1", "x", {sk::Text{"r"}}});
  CHECK(lines_of({entry("a", sk::assistant(call("1", "x"))), entry("b", both)})
        == Lines{"assistant:  <x=r@b>", "user: and this"});
  sk::Message const nothing = sk::user(); // its content is in its metadata
  CHECK(lines_of({entry("a", nothing)}) == Lines{"user: "});
}

TEST_CASE("a screen leaves out hidden custom messages and entries that say nothing") {
  sk::CustomMessage hidden{"hidden", {}, sk::RawJson::boolean(false)};
  sk::CustomMessage styled{"styled", {}, sk::RawJson::from(R"({"banner":"info"})")};
  sk::CustomMessage aside{"aside"};
  aside.in_context = false;
  CHECK(lines_of({entry("a", sk::TitleChange{"T"}), entry("b", hidden), entry("c", styled),
                  entry("d", sk::Custom{"data"}), entry("e", sk::ModelChange{"p", "m"}), entry("f", aside),
                  entry("g", sk::BranchSummary{"tried"}), entry("h", sk::system("be kind")),
                  entry("i", sk::Unknown{"future"}), entry("j", sk::Label{sk::EntryId("a"), "l"})})
        == Lines{"custom: styled", "left out custom: aside", "branch: tried", "system: be kind"});
}

TEST_CASE("what a compaction replaced is marked, on every kind of log") {
  std::string const padding = ' ' + std::string(400, '.'); // which is worth a compaction
  for (auto const& profile : {sk::profiles::native, sk::profiles::ai_panel}) {
    CAPTURE(profile.name);
    sk::SessionOptions options;
    options.profile = profile;
    auto session = sk::Session::create(sk::make_memory_store(profile), {}, options).value();
    for (int turn = 1; turn <= 3; ++turn) {
      auto open = session.begin_turn();
      open.append(sk::user("q" + std::to_string(turn) + padding)).value();
      open.append(sk::assistant("a" + std::to_string(turn) + padding)).value();
      open.commit().value();
    }
    auto policy = session.compaction_policy();
    policy.keep = sk::keep_turns(1);
    auto const plan = session.plan_compaction(policy, sk::CompactionReason::manual).value();
    REQUIRE(plan);
    REQUIRE(session.apply(*plan, std::string("s")).value() == sk::CompactionOutcome::applied);
    session.append(sk::user("q4")).value();
    session.end_turn().value();
    Lines shown = lines(session.conversation().value());
    for (auto& line : shown) line = line.substr(0, line.find(" ."));
    Lines const talk{"compacted user: q1", "compacted assistant: a1",
                     "compacted user: q2", "compacted assistant: a2",
                     "user: q3",           "assistant: a3"};
    REQUIRE(shown.size() == 8);
    CHECK(Lines(shown.begin(), shown.begin() + 6) == talk);
    CHECK(shown[6].find("compaction: s") == 0);
    CHECK(shown[7] == "user: q4");
    CHECK(session.counts().value().messages == 7);
    CHECK(session.counts().value().turns == 4);
  }
}

TEST_CASE("what a policy cuts, and what no request holds, is left out") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  session.append(sk::system("be kind")).value();
  for (int turn = 1; turn <= 3; ++turn) {
    session.append(sk::user("q" + std::to_string(turn))).value();
    sk::Message answer = sk::assistant("a" + std::to_string(turn));
    answer.generation.emplace().stop = turn == 2 ? sk::StopReason::error : sk::StopReason::end_turn;
    session.append(answer).value();
  }
  sk::Target target;
  CHECK(lines(session.conversation(target).value())
        == Lines{"system: be kind", "user: q1", "assistant: a1", "user: q2", "left out assistant: a2",
                 "user: q3", "assistant: a3"});
  target.policies.emplace_back(sk::TurnLimit{1});
  Lines const cut = lines(session.conversation(target).value());
  CHECK(cut[1] == "left out user: q1");
  CHECK(cut[2] == "left out assistant: a1");
  CHECK(cut[6] == "assistant: a3");
  CHECK(lines(session.conversation().value())[1]
        == "user: q1"); // without a target only compactions are marked
}

TEST_CASE("messages that are held back are shown and counted, and are the last ones") {
  sk::SessionOptions options;
  options.profile = sk::profiles::claw0; // stores a turn when it ends
  options.profile->timing = sk::WriteTiming::turn_atomic;
  auto session = sk::Session::create(sk::make_memory_store(*options.profile), {}, options).value();
  CHECK_FALSE(session.last().value());
  CHECK(session.conversation().value().empty());
  CHECK(session.counts().value().messages == 0);
  auto turn = session.begin_turn();
  turn.append(sk::user("held")).value();
  REQUIRE(session.path().value().empty());
  CHECK(lines(session.conversation().value()) == Lines{"user: held"});
  CHECK(session.counts().value().turns == 1);
  CHECK(session.last().value()->as<sk::Message>()->text() == "held");
  turn.append(sk::assistant("answer")).value();
  turn.commit().value();
  CHECK(session.counts().value().messages == 2);
  CHECK(session.last().value()->as<sk::Message>()->text() == "answer");
}

TEST_CASE("the last message and the counts are those of the branch") {
  auto session = sk::Session::create(sk::make_memory_store()).value();
  auto const first = session.append(sk::user("one")).value();
  session.append(sk::assistant("two")).value();
  session.set_title("a title is no message").value();
  CHECK(session.last().value()->as<sk::Message>()->text() == "two");
  session.rewind(first).value();
  CHECK(session.last().value()->id == first);
  CHECK(session.counts().value().messages == 1);
  session.append(sk::assistant("other")).value();
  CHECK(session.counts().value().messages == 2);
  CHECK(session.info().value().messages == 3); // of all branches
  CHECK(lines(session.conversation().value()) == Lines{"user: one", "assistant: other"});
  session.rewind({}).value();
  CHECK_FALSE(session.last().value());
}

TEST_CASE("reading the last message of a long log does not read the log") {
  auto const store = sk::make_memory_store();
  auto session = sk::Session::create(store).value();
  for (int i = 0; i < 5000; ++i) session.append(sk::user(std::string(2000, 'x'))).value();
  session.append(sk::user("last")).value();
  struct Counting final : ForwardingStore {
    std::size_t bytes = 0;
    using ForwardingStore::ForwardingStore;
    sk::Result<sk::RecordPage> read(sk::SessionId const& id, sk::ReadRange const& range) override {
      auto page = inner_->read(id, range);
      if (page)
        for (auto const& item : page->items()) bytes += item.line.size();
      return page;
    }
  };
  auto const counting = std::make_shared<Counting>(store);
  auto const opened = sk::Session::open(counting, session.id()).value();
  counting->bytes = 0;
  CHECK(opened.last().value()->as<sk::Message>()->text() == "last");
  CHECK(counting->bytes < 2'000'000);
  CHECK(opened.counts().value().messages == 5001);
  CHECK(counting->bytes > 10'000'000);
}
