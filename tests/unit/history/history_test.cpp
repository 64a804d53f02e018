// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/growth.hpp"
#include "support/long_form.hpp"
#include "support/rebuilt.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace sessionkit_test;

namespace {

sk::Entry entry(sk::EntryBody body, std::string id) {
  sk::Entry made;
  made.id = sk::EntryId(std::move(id));
  made.at = sk::from_unix_ms(1762243201853);
  made.body = std::move(body);
  return made;
}

bool is_off(std::vector<sk::EntryBody> bodies, sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  return sk::HistoryRebuilder(target).rebuild(context_of(std::move(bodies))).reasoning_must_be_off;
}

sk::Context const asked_and_answered = context_of(
    {sk::user("q"), sk::assistant("looking", call("a")), answer("a", "found"), sk::assistant("done")});

}

TEST_CASE("a clean log is sent unchanged, without a repair") {
  sk::History const history = rebuild(asked_and_answered);
  CHECK(history.report.empty());
  CHECK(shape(asked_and_answered) == "user:q assistant:looking,call(a) user:result(a=found) assistant:done");
  CHECK(history.messages.size() == 4);
  CHECK(history.messages[2].role == sk::Role::tool);
  CHECK(history.sources[1].str() == "e1");
}

TEST_CASE("an empty log gives no messages") {
  sk::Target target;
  CHECK(sk::encode(rebuild({}), target).messages == "[]");
  CHECK(sk::encode(rebuild({}), target).system == "null");
}

TEST_CASE("missing_result: an unanswered call is answered as interrupted") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a"), call("b")), answer("b", "B"), sk::user("go on")});
  CHECK(shape(log)
        == "user:q assistant:call(a),call(b) "
           "user:result(a=[tool result missing: interrupted]),result(b=B),go on");
  CHECK(sent(log)[2]["content"][0]["is_error"] == true);
  sk::Repair const found = repair(log, "missing_result");
  CHECK(found.entry.str() == "e1");
  CHECK_FALSE(found.retroactive);
}

TEST_CASE("moved_result: a late result moves to its call and is reported as retroactive") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a")), sk::user("hello?"), answer("a", "A")});
  CHECK(shape(log) == "user:q assistant:call(a) user:result(a=A),hello?");
  CHECK(repair(log, "moved_result").retroactive);
}

TEST_CASE("moved_result: results before the user line that began their turn find their calls") {
  sk::Context const log =
      context_of({answer("a", "A"), sk::user("q"), sk::assistant(call("a")), sk::assistant("one"),
                  answer("a", "A2"), sk::user("q2"), sk::assistant(call("a")), sk::assistant("two")});
  CHECK(shape(log)
        == "user:q assistant:call(a) user:result(a=A) assistant:one user:q2 "
           "assistant:call(a_again2) user:result(a_again2=A2) assistant:two");
  CHECK_FALSE(repair(log, "moved_result").retroactive);
}

TEST_CASE("moved_result: a result before its only call belongs to that call, wherever it is") {
  sk::Context const log = context_of({sk::user("q"), answer("a", "A"), sk::assistant(call("a"))});
  CHECK(shape(log) == "user:q assistant:call(a) user:result(a=A)");
}

TEST_CASE("a result directly after its call has priority over an earlier one") {
  sk::Context const log =
      context_of({answer("a", "of a lost call"), sk::user("q"), sk::assistant(call("a")), answer("a", "A")});
  CHECK(shape(log) == "user:q assistant:call(a) user:result(a=A)");
  CHECK(repair(log, "duplicate_result").entry.str() == "e0");
}

TEST_CASE("a result takes the nearest earlier unanswered call of its id") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a", R"({"n":1})")), sk::user("again"),
                  sk::assistant(call("a", R"({"n":2})")), answer("a", "second")});
  CHECK(shape(log)
        == "user:q assistant:call(a) user:result(a=[tool result missing: interrupted]),again "
           "assistant:call(a_again2) user:result(a_again2=second)");
}

TEST_CASE("orphan_result and duplicate_result: a result that answers nothing is not sent") {
  sk::Context const log = context_of({sk::user("q"), answer("x", "nobody asked"), sk::assistant(call("a")),
                                      answer("a", "A"), answer("a", "A again")});
  CHECK(shape(log) == "user:q assistant:call(a) user:result(a=A)");
  CHECK(rules(rebuild(log)) == std::vector<std::string>{"duplicate_result", "orphan_result"});
}

TEST_CASE("results of parallel calls may come in any order, also if each call is a line of its own") {
  for (char const* dialect : {"flat", "flat-v2"}) {
    sk::Context log =
        context_of({sk::user("q"), sk::assistant(call("a")), sk::assistant(call("b")), answer("b", "B"),
                    answer("a", "A"), sk::assistant(call("c")), answer("c", "C")});
    log.dialect = dialect;
    CHECK(rules(rebuild(log)) == std::vector<std::string>{"joined_messages"});
  }
  // For other providers each of these answers may have been sent.
  sk::Context const log = context_of({sk::user("q"), sk::assistant(call("a")), sk::assistant(call("b")),
                                      answer("b", "B"), answer("a", "A")});
  CHECK(repair(log, "moved_result").retroactive);
}

TEST_CASE("repeated_call: the same call twice in a row is one call") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a")), sk::assistant(call("a")), answer("a", "A")});
  CHECK(shape(log) == "user:q assistant:call(a) user:result(a=A)");
  CHECK(repair(log, "repeated_call").entry.str() == "e2");
}

TEST_CASE("reused_id: a later call of a taken id is renamed together with its result") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a")), answer("a", "1"), sk::assistant(call("a")),
                  answer("a", "2"), sk::assistant(call("a")), answer("a", "3")});
  CHECK(shape(log)
        == "user:q assistant:call(a) user:result(a=1) assistant:call(a_again2) user:result(a_again2=2) "
           "assistant:call(a_again3) user:result(a_again3=3)");
}

TEST_CASE("reused_id: a made id that is already taken is skipped") {
  sk::Context const log = context_of(
      {sk::user("q"), sk::assistant(call("a_again2"), call("a"), call("a", R"({"b":2})")), answer("a", "1")});
  CHECK(shape(log)
        == "user:q assistant:call(a_again2),call(a),call(a_again3) "
           "user:result(a_again2=[tool result missing: interrupted]),"
           "result(a=1),result(a_again3=[tool result missing: interrupted])");
}

TEST_CASE("tool_id: ids consist of characters that the provider accepts, and results follow") {
  std::string const odd = "call|1.\xC3\xBC";
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call(odd), call("")), answer(odd, "1"), answer("", "2")});
  CHECK(shape(log) == "user:q assistant:call(call_1___),call(call) user:result(call_1___=1),result(call=2)");
  sk::Context const longer = context_of(
      {sk::user("q"), sk::assistant(call(std::string(50, 'x')), call(std::string(50, 'x') + "y"))});
  CHECK(sent(longer)[1]["content"][1]["id"] == std::string(50, 'x') + "y");
  Json const calls = sent(longer, sk::Provider::openai_chat)[1]["tool_calls"];
  CHECK(calls[0]["id"] == std::string(40, 'x'));
  CHECK(calls[1]["id"] == std::string(24, 'x') + "_again2");
  CHECK(is_accepted(longer));
}

TEST_CASE("blank_message: a message without parts is not sent, and is reported") {
  sk::CustomMessage note{"note"};
  note.in_context = true;
  auto const log = context_of({sk::user(), sk::user("q"), sk::assistant(), sk::user("again"), note});
  CHECK(rules(rebuild(log))
        == std::vector<std::string>{"blank_message", "blank_message", "blank_message", "joined_messages"});
  CHECK(sent(log).size() == 1);
}

TEST_CASE("joined_messages: consecutive messages of one role become one message of several parts") {
  sk::Context const log = context_of({sk::user("a"), sk::user("b"), sk::assistant("c"), sk::assistant("d")});
  CHECK(shape(log) == "user:a,b assistant:c,d");
  CHECK(rules(rebuild(log)) == std::vector<std::string>{"joined_messages", "joined_messages"});
}

TEST_CASE("calls written one by one belong together until a text or a result is between them") {
  CHECK(shape(context_of({sk::user("q"), sk::assistant(call("a")), sk::assistant(call("b")), answer("a", "1"),
                          answer("b", "2")}))
        == "user:q assistant:call(a),call(b) user:result(a=1),result(b=2)");
  CHECK(shape(context_of({sk::user("q"), sk::assistant(call("a")), answer("a", "1"), sk::assistant(call("b")),
                          answer("b", "2")}))
        == "user:q assistant:call(a) user:result(a=1) assistant:call(b) user:result(b=2)");
  CHECK(shape(context_of({sk::user("q"), sk::assistant(call("a")), sk::assistant("gave up")}))
        == "user:q assistant:call(a) user:result(a=[tool result missing: interrupted]) assistant:gave up");
}

TEST_CASE("user_first: an assistant that speaks first gets a user message before it, which claims nothing") {
  CHECK(shape(context_of({sk::assistant("hi")})) == "user:[conversation begins] assistant:hi");
  CHECK(repair(context_of({sk::assistant("hi")}), "user_first").after == "[conversation begins]");
}

TEST_CASE("user_first: a history whose beginning is not sent says so") {
  sk::Message failed = sk::assistant("half");
  failed.generation = sk::Generation{};
  failed.generation->stop = sk::StopReason::error;
  sk::Context const log = context_of({failed, sk::assistant("hi")});
  CHECK(shape(log) == "user:[earlier conversation not available] assistant:hi");
  CHECK(repair(log, "user_first").after == "[earlier conversation not available]");
}

TEST_CASE("user_first: a blank message that is not sent is no earlier conversation") {
  CHECK(shape(context_of({sk::user(" "), sk::assistant("hi")})) == "user:[conversation begins] assistant:hi");
}

TEST_CASE("results precede the text in a user message") {
  sk::Message both = sk::user("and now?");
  both.parts.emplace_back(sk::ToolResult{"a", "read", {sk::Text{"A"}}});
  CHECK(shape(context_of({sk::user("q"), sk::assistant(call("a")), both}))
        == "user:q assistant:call(a) user:result(a=A),and now?");
}

TEST_CASE("failed_message: an answer that ended in an error is not sent") {
  sk::Context const log =
      context_of({sk::user("q"), stopped(sk::assistant("half", call("a")), sk::StopReason::error),
                  answer("a", "A"), sk::user("r")});
  CHECK(shape(log) == "user:q,r");
  CHECK(repair(log, "failed_message").before == "half");
}

TEST_CASE("unfinished_call: an aborted answer keeps its text, and calls only if they were answered") {
  sk::Context const log = context_of(
      {sk::user("q"), stopped(sk::assistant("half", call("a"), call("b")), sk::StopReason::aborted),
       answer("b", "B"), sk::user("r")});
  CHECK(shape(log) == "user:q assistant:half,call(b) user:result(b=B),r");
  CHECK(repair(log, "unfinished_call").entry.str() == "e1");
}

TEST_CASE("thinking_at_end: reasoning at the end of a message is removed") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(sk::Thinking{"hm", "sig"}), sk::user("r")});
  CHECK(shape(log) == "user:q,r");
  CHECK(repair(log, "thinking_at_end").entry.str() == "e1");
}

TEST_CASE("final_space: an answer to be continued does not end in white space") {
  CHECK(shape(context_of({sk::user("q"), sk::assistant("a \n\xE2\x80\x83")})) == "user:q assistant:a");
  CHECK(shape(context_of({sk::user("q"), sk::assistant("a "), sk::user("r")}))
        == "user:q assistant:a  user:r");
  CHECK(shape(context_of({sk::user("q"), sk::assistant("\xE2\x80\x83")})) == "user:q");
}

TEST_CASE("system_message: system messages of the log join the system text") {
  sk::Context const log = context_of({sk::system("be brief"), sk::user("q"), sk::system("be kind")});
  sk::Target target;
  target.system = "You are.";
  sk::History const history = rebuild(log, target);
  CHECK(history.system == "You are.\n\nbe brief\n\nbe kind");
  CHECK_FALSE(history.report.front().retroactive);
  CHECK(history.report.back().retroactive);
}

TEST_CASE("the summary of a compaction goes into the system text") {
  sk::Context log = context_of({sk::user("q")});
  log.compaction = entry(sk::Compaction{"we built a house"}, "c");
  sk::Target target;
  CHECK_THAT(sk::encode(rebuild(log), target).system, contains("<summary>\\nwe built a house\\n</summary>"));
  Json const openai = sent(log, sk::Provider::openai_chat);
  CHECK(openai[0]["role"] == "system");
  CHECK_THAT(openai[0]["content"][0]["text"].get<std::string>(), contains("we built a house"));
  CHECK(openai[1]["role"] == "user");
}

TEST_CASE("summary_only: a summary without messages after it can still be continued") {
  sk::Context log;
  log.compaction = entry(sk::Compaction{"s"}, "c");
  CHECK(shape(log) == "user:[earlier conversation summarised]");
}

TEST_CASE("texts of hosts and branch summaries are sent as user text") {
  sk::CustomMessage hidden{"note", {sk::Text{"hidden"}}};
  hidden.in_context = false;
  sk::Context const log = context_of({sk::CustomMessage{"note", {sk::Text{"n"}}}, hidden,
                                      sk::BranchSummary{"tried it"}, sk::BranchSummary{""}, sk::Custom{"x"},
                                      sk::Label{sk::EntryId("e0"), "l"}, sk::Unknown{"future"}});
  CHECK(shape(log)
        == "user:n,The following is a summary of a branch that this conversation came back "
           "from:\n\n<summary>\ntried it"
           "</summary>");
  CHECK(repair(log, "unknown_entry").entry.str() == "e6");
}

TEST_CASE("faithful histories change nothing") {
  sk::Context const log = context_of({sk::assistant(" ", "", sk::Thinking{"hm"}), sk::user(" "),
                                      sk::user("b"), answer("x", "orphan"), answer("y", "z")});
  sk::Target target;
  target.mode = sk::RebuildMode::faithful;
  sk::History const history = rebuild(log, target);
  CHECK(history.report.empty());
  CHECK(history.messages.size() == 5);
  CHECK(shape(Json::parse(sk::encode(history, target).messages))
        == "assistant: ,,thinking user:  user:b user:result(x=orphan),result(y=z)");
}

TEST_CASE("policies cut at the start of a turn and keep the newest turn") {
  sk::Context const log =
      context_of({sk::user("1"), sk::assistant(call("a")), answer("a", "A"), sk::assistant("x"),
                  sk::user("2"), sk::assistant(call("b")), answer("b", "B"), sk::assistant("y")});
  auto const cut = [&](sk::HistoryPolicy policy) {
    sk::Target target;
    target.policies = {std::move(policy)};
    return shape(Json::parse(sk::encode(rebuild(log, target), target).messages));
  };
  std::string const newest = "user:2 assistant:call(b) user:result(b=B) assistant:y";
  CHECK(cut(sk::TurnLimit{1}) == newest);
  CHECK(cut(sk::TurnLimit{0}) == newest);
  CHECK(cut(sk::MessageLimit{1}) == newest);
  CHECK(cut(sk::MessageLimit{5}) == shape(log));
  CHECK(cut(sk::TurnLimit{2}) == shape(log));
  CHECK(cut([](std::vector<sk::Message> const&) { return sk::HistoryEdit{99}; }) == newest);
}

TEST_CASE("the provider's count is used until a compaction or a cut makes it obsolete") {
  sk::Message counted = made_by(sk::assistant("x"), "anthropic-messages", "m");
  counted.generation->usage = sk::Usage{1000, 20, 3, 4};
  sk::Context log = context_of({sk::user("1"), counted, sk::user("abcd")});
  CHECK(rebuild(log).tokens == 1028);
  log.compaction = entry(sk::Compaction{"s"}, "c");
  log.after_compaction = 2;
  CHECK(rebuild(log).tokens < 100);
  log.after_compaction = 1;
  CHECK(rebuild(log).tokens == 1028);
}

TEST_CASE("the history says when reasoning must be off: in a tool loop that began without it") {
  auto const result = sk::tool_results({{"a", "read", {sk::Text{"A"}}}});
  sk::Thinking const thought{"hm", "sig"};
  CHECK(is_off({sk::user("q"), sk::assistant(call("a")), result}));
  CHECK(is_off({sk::user("q"), sk::assistant(call("a")), result, sk::user("and")}));
  CHECK_FALSE(is_off({sk::user("q"), sk::assistant(thought, call("a")), result}));
  CHECK_FALSE(is_off({sk::user("q"), sk::assistant(thought, call("x")),
                      sk::tool_results({{"x", "", {sk::Text{"X"}}}}), sk::assistant(call("a")), result}));
  CHECK_FALSE(
      is_off({sk::user("q"), sk::assistant(call("a")), result, sk::assistant("done"), sk::user("r")}));
  CHECK_FALSE(is_off({sk::user("q"), sk::assistant(call("a")), result}, sk::Provider::gemini));
}

TEST_CASE("hostile logs take time in proportion to their length") {
  using Bodies = std::vector<sk::EntryBody>;
  auto const same_call = [](std::size_t i) { return sk::assistant(call("a", std::to_string(i))); };
  auto const unanswered = [](std::size_t many) {
    Bodies bodies;
    for (std::size_t i = 0; i < many; ++i)
      bodies.emplace_back(sk::assistant("x", call("a", std::to_string(i))));
    return bodies;
  };
  auto const results = [](std::size_t many) { return Bodies(many, sk::EntryBody(answer("a", "r"))); };
  auto const stacked = [&](std::size_t many) {
    Bodies bodies;
    for (std::size_t i = 0; i < many; ++i) bodies.emplace_back(i % 2 == 0 ? same_call(i) : sk::user("u"));
    return bodies;
  };
  auto const calls_then_results = [&](std::size_t many) {
    Bodies bodies;
    for (std::size_t i = 0; i < many; ++i) bodies.emplace_back(same_call(i));
    for (std::size_t i = 0; i < many; ++i) bodies.emplace_back(answer("a", "r"));
    return bodies;
  };
  auto const count = [](Bodies bodies) { return rebuild(context_of(std::move(bodies))).messages.size(); };
  std::size_t const n = 8000 / sanitizer_share;
  CHECK(is_linear(n, [&](std::size_t many) { CHECK(count(calls_then_results(many)) == 3); }));
  CHECK(is_linear(n, [&](std::size_t many) { CHECK(count(unanswered(many)) == 2 * many + 1); }));
  CHECK(is_linear(n, [&](std::size_t many) { CHECK(count(results(many)) == 0); }));
  CHECK(is_linear(n, [&](std::size_t many) { CHECK(count(stacked(many)) != 0); }));
}
