// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/conversations.hpp"
#include "support/data.hpp"
#include "support/growth.hpp"
#include "support/pi_messages.hpp"

#include <sessionkit/compaction.hpp>
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/compaction/compaction_facts.hpp>
#include <sessionkit/detail/compaction/conversation_text.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/history.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

using namespace sessionkit_test;
using Json = nlohmann::json;
using sk::CompactionReason;

namespace {

std::string letters(std::size_t tokens) { return std::string(tokens * 4, 'x'); }

sk::Message counted(std::uint64_t tokens) {
  sk::Message message = sk::assistant("a");
  message.generation.emplace();
  message.generation->usage = sk::Usage{tokens, 0, 0, 0};
  message.generation->stop = sk::StopReason::end_turn;
  return message;
}

// Three turns, the second with a call; 10 tokens each text.
std::vector<sk::EntryBody> three_turns() {
  sk::ToolUse const call = tool_call("t", "read", R"({"path":"a.txt"})");
  return {sk::user(letters(10)), sk::assistant(letters(10)),         sk::user(letters(10)),
          sk::assistant(call),   sk::tool_result(call, letters(10)), sk::assistant(letters(10)),
          sk::user(letters(10)), sk::assistant(letters(10))};
}

std::string first_kept(sk::Context const& context, sk::CompactionPolicy const& policy) {
  auto const plan = sk::plan_compaction(context, policy, CompactionReason::manual);
  return plan ? plan->first_kept.str() : "none";
}

// Where pi plans, and our plan instead.
struct PiDiffers {
  std::string name;
  int keep; ///< 0: all
  std::string reason;
};
std::vector<PiDiffers> const differences{
    {"edge_malformed_middle", 0, "pi loses everything before the damaged line; we do not"},
    {"tool_calls", 50, "pi counts a command that its user kept out of the context; it is no message to us"},
};

std::size_t place_of(std::vector<std::string> const& ids, std::string const& id) {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
}

}

TEST_CASE("plans for pi's sessions cut where pi cuts and summarise the same messages") {
  std::size_t equal = 0, nothing = 0, listed = 0;
  for (std::string const name :
       {"branches_labels", "compaction_once", "compaction_twice", "custom_entries", "edge_bom",
        "edge_compaction_firstkept_missing", "edge_crlf_blank_lines", "edge_malformed_middle",
        "edge_torn_tail", "edge_unknown_types", "legacy_v1", "legacy_v2", "pi_compact_faux", "random_tree_a",
        "simple_chat", "tool_calls", "unicode_images"}) {
    Json const plans = Json::parse(read_file(data("pi/" + name + ".compaction.json")));
    Json const expect = Json::parse(read_file(data("pi/" + name + ".expect.json")));
    auto const store = sk::open_transcript(data("pi/" + name + ".jsonl")).value();
    auto const id = store->list({}).value().sessions.front().id;
    auto const context = sk::load_context(*store, id).value();
    std::vector<std::string> path, pi_path = expect["pathIds"];
    for (auto const& entry : sk::load_path(*store, id).value()) path.push_back(entry.id.str());
    for (auto const& item : plans.items()) {
      int const keep = std::stoi(item.key());
      Json const& pi = item.value();
      CAPTURE(name, keep);
      bool const differs = std::any_of(differences.begin(), differences.end(), [&](PiDiffers const& one) {
        return one.name == name && (one.keep == 0 || one.keep == keep);
      });
      sk::CompactionPolicy policy = keeping(sk::keep_tokens(static_cast<std::size_t>(keep)));
      policy.estimator = sk::find_estimator("pi")->message;
      auto const plan = sk::plan_compaction(context, policy, CompactionReason::manual);
      bool same;
      if (pi["messagesToSummarize"] == 0 && pi["turnPrefixMessages"] == 0) {
        same = !plan; // pi would ask a model to summarise nothing
        nothing += same;
      } else {
        same = plan && place_of(path, plan->first_kept.str()) == place_of(pi_path, pi["firstKeptEntryId"])
               && plan->summarized == pi["messagesToSummarize"]
               && plan->turn_prefix == pi["turnPrefixMessages"];
        equal += same;
        if (same && !differs) {
          std::string conversation = pi["serializedHistory"];
          std::string const prefix = pi["serializedTurnPrefix"];
          if (!prefix.empty() && !conversation.empty())
            conversation += "\n\n" + std::string(sk::find_prompt("structured")->split_mark) + "\n\n";
          CHECK(plan->conversations == std::vector<std::string>{conversation + prefix});
          CHECK(plan->previous_summary.empty() == pi["previousSummary"].is_null());
          auto const sorted = [](std::vector<std::string> files) {
            std::sort(files.begin(), files.end());
            return Json(files);
          };
          CHECK(sorted(plan->read_files) == pi["readFiles"]);
          CHECK(sorted(plan->modified_files) == pi["modifiedFiles"]);
        }
      }
      listed += differs;
      std::string const got = plan ? plan->first_kept.str() : "none";
      std::size_t const history = plan ? plan->summarized : 0, prefix_count = plan ? plan->turn_prefix : 0;
      CAPTURE(got, history, prefix_count);
      CHECK(same != differs);
    }
  }
  CHECK(equal + nothing + listed == 17 * 5);
  WARN(equal << " plans equal pi's, " << nothing << " times there is nothing to summarise, " << listed
             << " differ as listed");
}

TEST_CASE("keep rules are rounded outwards to the start of a turn") {
  sk::Context const log = context_of(three_turns());
  CHECK(first_kept(log, keeping(sk::keep_turns(1))) == "e6");
  CHECK(first_kept(log, keeping(sk::keep_last_user())) == "e6");
  CHECK(first_kept(log, keeping(sk::keep_turns(2))) == "e2");
  CHECK(first_kept(log, keeping(sk::keep_turns(3))) == "none");
  CHECK(first_kept(log, keeping(sk::keep_messages(1))) == "e6");
  CHECK(first_kept(log, keeping(sk::keep_messages(3))) == "e2");
  CHECK(first_kept(log, keeping(sk::keep_messages(7))) == "none");
}

TEST_CASE("a cut by tokens may fall inside a turn, never between a call and its result") {
  sk::Context const log = context_of(three_turns());
  sk::CompactionPolicy policy = keeping(sk::keep_tokens(25));
  CHECK(first_kept(log, policy) == "e5");
  policy.keep.count = 35; // the result e4 would fit, but its call is before it
  CHECK(first_kept(log, policy) == "e5");
  policy.keep.count = 45;
  auto const plan = sk::plan_compaction(log, policy, CompactionReason::manual);
  REQUIRE(plan);
  CHECK(plan->first_kept.str() == "e3");
  CHECK(plan->summarized == 2);
  CHECK(plan->turn_prefix == 1);
  CHECK(plan->request(0, {}).split_turn);
  CHECK(plan->kept == 5);
  policy.split_turns = false;
  CHECK(first_kept(log, policy) == "e2");
}

TEST_CASE("a cut keeps a call together with a result before it or after the next turn began") {
  sk::ToolUse const call = tool_call("late", "f", "{}");
  sk::Context const late = context_of({sk::user("1"), sk::user("2"), sk::assistant(call), sk::user("3"),
                                       sk::tool_result(call, "r"), sk::user("4")});
  CHECK(first_kept(late, keeping(sk::keep_turns(2))) == "e1"); // a cut at e3 would separate them
  CHECK(first_kept(late, keeping(sk::keep_turns(1))) == "e5");
  sk::Context const early = context_of(
      {sk::user("1"), sk::tool_result(call, "r"), sk::user("2"), sk::assistant(call), sk::user("3")});
  CHECK(first_kept(early, keeping(sk::keep_turns(2))) == "none");
  CHECK(first_kept(early, keeping(sk::keep_turns(1))) == "e4");
}

TEST_CASE("a conversation is compacted when it outgrows the smallest limit, and not before") {
  std::vector<sk::EntryBody> bodies;
  for (int i = 0; i < 30; ++i)
    bodies.emplace_back(sk::user(letters(10))), bodies.emplace_back(sk::assistant(letters(10)));
  sk::Context const log = context_of(bodies); // 600 tokens
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 600;
  CHECK_FALSE(sk::plan_compaction(log, policy));
  policy.trigger_tokens = 599;
  CHECK(sk::plan_compaction(log, policy));
  policy.trigger_tokens = 0;
  CHECK_FALSE(sk::plan_compaction(log, policy)); // no limit, no reason
  policy.window = 1000;
  CHECK_FALSE(sk::plan_compaction(log, policy));
  policy.window_percent = 59;
  CHECK(sk::plan_compaction(log, policy));
  policy.window_percent = 0;
  policy.window_reserve = 401;
  CHECK(sk::plan_compaction(log, policy));
  policy.window_reserve = 400;
  CHECK_FALSE(sk::plan_compaction(log, policy));
  policy.window_percent = 75;
  CHECK(sk::limit_of(policy) == 600U);
  policy.trigger_tokens = 80000;
  CHECK(sk::limit_of(policy) == 600U);
  CHECK(sk::limit_of({}) == 80000U);
}

TEST_CASE("the provider's count decides until a compaction makes it obsolete") {
  sk::Context log = context_of({sk::user("1"), counted(90000), sk::user("2")});
  CHECK(sk::count_tokens(log) == 90001);
  sk::CompactionPolicy policy;
  policy.keep = sk::keep_last_user();
  auto const plan = sk::plan_compaction(log, policy);
  REQUIRE(plan);
  CHECK(plan->tokens_before == 90001);
  log = applied(log, *plan, "s");
  CHECK(sk::count_tokens(log) == 2);
  CHECK_FALSE(sk::plan_compaction(log, policy));
}

TEST_CASE("without a user message there is nothing to compact") {
  CHECK_FALSE(sk::plan_compaction({}, keeping(sk::keep_turns(1)), CompactionReason::manual));
  sk::Context log = context_of({sk::assistant(letters(50)), sk::assistant(letters(50))});
  CHECK_FALSE(sk::plan_compaction(log, keeping(sk::keep_tokens(10)), CompactionReason::manual));
  sk::Entry compaction;
  compaction.id = sk::EntryId("c");
  compaction.body = sk::Compaction{"the user is in here"};
  log.compaction = compaction;
  CHECK(sk::plan_compaction(log, keeping(sk::keep_tokens(10)), CompactionReason::manual));
}

TEST_CASE("at most half of the limit is kept, by turns if the newest fits, else by parts of it") {
  std::vector<sk::EntryBody> bodies;
  for (int i = 0; i < 10; ++i)
    bodies.emplace_back(sk::user(letters(50))), bodies.emplace_back(sk::assistant(letters(50)));
  sk::CompactionPolicy policy;
  policy.trigger_tokens = 600;                            // twenty turns would stay: all of it
  CHECK(first_kept(context_of(bodies), policy) == "e14"); // three turns
  for (int i = 0; i < 8; ++i) {
    sk::ToolUse const call = tool_call("t" + std::to_string(i), "read", R"({"path":"a"})");
    bodies.emplace_back(sk::assistant(call));
    bodies.emplace_back(sk::tool_result(call, letters(90)));
  }
  auto plan = sk::plan_compaction(context_of(bodies), policy);
  REQUIRE(plan);
  CHECK(plan->first_kept.str() == "e30"); // the newest turn begins at e18 and is 800 tokens
  CHECK(plan->tokens_kept <= 300);
  CHECK(plan->turn_prefix == 12);
  policy.split_turns = false;
  plan = sk::plan_compaction(context_of(bodies), policy);
  REQUIRE(plan);
  CHECK(plan->first_kept.str() == "e18");
}

TEST_CASE("a turn longer than the window is compacted again and again, and the first summary is input") {
  std::vector<sk::EntryBody> bodies{sk::user("build the house")};
  auto const work = [&](int from) {
    for (int i = from; i < from + 20; ++i) {
      sk::ToolUse const call =
          tool_call("t" + std::to_string(i), "bash", R"({"command":"make )" + std::to_string(i) + "\"}");
      bodies.emplace_back(sk::assistant(call));
      bodies.emplace_back(sk::tool_result(call, letters(400)));
    }
  };
  work(0);
  sk::CompactionPolicy policy;
  policy.window = 8000;
  policy.window_percent = 80;
  sk::Context log = context_of(bodies);
  auto const first = sk::plan_compaction(log, policy);
  REQUIRE(first);
  CHECK(first->turn_prefix > 0);
  CHECK(first->summarized == 0);
  log = applied(log, *first, "The user wants a house; NEEDLE-4711.");
  bodies.clear();
  work(20);
  for (auto& entry : context_of(bodies).entries) {
    entry.id = sk::EntryId("n" + entry.id.str());
    log.entries.push_back(entry);
  }
  auto const second = sk::plan_compaction(log, policy);
  REQUIRE(second);
  CHECK(second->tokens_kept <= 3200);
  CHECK(second->previous.str() == "c");
  CHECK(second->request(0, second->previous_summary).prompt().find("NEEDLE-4711") != std::string::npos);
  CHECK(second->facts().find("bash(command=\"make 19\")") != std::string::npos);
}

TEST_CASE("a refused request compacts once, to half of the refused size, until the conversation continues") {
  sk::CompactionPolicy policy; // 80,000: the estimate is far below
  policy.keep = sk::keep_turns(2);
  std::vector<sk::EntryBody> bodies;
  for (int i = 0; i < 4; ++i)
    bodies.emplace_back(sk::user(letters(50))), bodies.emplace_back(sk::assistant(letters(50)));
  sk::Context log = context_of(bodies);
  CHECK_FALSE(sk::plan_compaction(log, policy));
  auto const plan = sk::plan_compaction(log, policy, CompactionReason::context_exceeded);
  REQUIRE(plan);
  CHECK(plan->tokens_kept <= 200);
  log = applied(log, *plan, "s");
  CHECK_FALSE(sk::plan_compaction(log, policy, CompactionReason::context_exceeded));
  for (sk::Message const& said : {sk::user(letters(50)), sk::assistant(letters(50))}) {
    sk::Context later = log;
    later.entries.push_back({});
    later.entries.back().id = sk::EntryId("new");
    later.entries.back().body = said;
    CHECK(sk::plan_compaction(later, policy, CompactionReason::context_exceeded));
  }
}

TEST_CASE("facts of calls that ran stay if their answer was cut short, and those of calls that did not run "
          "are dropped") {
  sk::ToolUse const ran = tool_call("1", "read", R"({"path":"ran.txt"})");
  sk::ToolUse const lost = tool_call("2", "read", R"({"path":"lost.txt"})");
  auto const cut_short = [](sk::ToolUse const& call) {
    sk::Message message = sk::assistant(call);
    message.generation.emplace();
    message.generation->stop = sk::StopReason::aborted;
    return message;
  };
  sk::ToolUse const beside = tool_call("3", "read", R"({"path":"beside.txt"})");
  sk::Message both = cut_short(ran);
  both.parts.push_back(beside);
  sk::Context const log = context_of({sk::user("go"), both, sk::tool_result(ran, "ok"), cut_short(lost),
                                      sk::user("next"), sk::assistant("yes")});
  auto const plan = sk::plan_compaction(log, keeping(sk::keep_turns(1)), CompactionReason::manual);
  REQUIRE(plan);
  CHECK(plan->read_files == std::vector<std::string>{"ran.txt"});
}

TEST_CASE("facts of tool calls follow the summary word for word and survive three compactions") {
  using Facts = sk::detail::Facts;
  sk::ToolUse const calls[] = {tool_call("1", "read", R"({"path":"src/a b.c"})"),
                               tool_call("2", "Edit", R"({"file_path":"src/x.c","new":"y"})"),
                               tool_call("3", "read", R"({"path":"src/x.c"})"),
                               tool_call("4", "bash", R"({"command":"make -j8","timeout":90})"),
                               tool_call("5", "write", "{\"path\":\"odd\\nname<\\u4f60>\"}")};
  std::vector<sk::EntryBody> bodies{sk::user("go")};
  for (auto const& call : calls)
    bodies.emplace_back(sk::assistant(call)), bodies.emplace_back(sk::tool_result(call, "ok"));
  bodies.emplace_back(sk::user("next"));
  sk::Context log = context_of(bodies);
  std::string const expected = "\n\n<read-files>\nsrc/a b.c\n</read-files>\n\n<modified-files>\n"
                               "\"odd\\nname<\xE4\xBD\xA0>\"\nsrc/x.c\n</modified-files>\n\n<tool-calls>\n"
                               "bash(command=\"make -j8\", timeout=90)\n</tool-calls>";
  for (int i = 0; i < 3; ++i) {
    auto const plan = sk::plan_compaction(log, keeping(sk::keep_last_user()), CompactionReason::manual);
    REQUIRE(plan);
    CHECK(plan->facts() == expected);
    CHECK(plan->previous_summary == (i == 0 ? "" : "model's words")); // the model need not repeat the facts
    log = applied(log, *plan, "model's words", "c" + std::to_string(i));
    sk::Entry next;
    next.id = sk::EntryId("n" + std::to_string(i));
    next.body = sk::user("go on");
    log.entries.push_back(next);
  }
  std::string text = "summary" + expected;
  Facts const facts = sk::detail::take_facts(text);
  CHECK(text == "summary");
  CHECK(facts.modified_files == std::vector<std::string>{"odd\nname<\xE4\xBD\xA0>", "src/x.c"});
}

TEST_CASE("if there are too many facts, the oldest calls are dropped first, then files that were read") {
  sk::detail::Facts facts;
  for (int i = 0; i < 100; ++i) {
    facts.calls.push_back("call" + std::to_string(1000 + i));
    facts.read_files.push_back("read" + std::to_string(1000 + i));
    facts.modified_files.push_back("edit" + std::to_string(1000 + i));
  }
  std::string const some = sk::detail::facts_text(facts, 650); // three tokens each
  CHECK(some.find("call1050") == std::string::npos);
  CHECK(some.find("call1099") != std::string::npos);
  CHECK(some.find("read1000") != std::string::npos);
  std::string const few = sk::detail::facts_text(facts, 90);
  CHECK(few.find("read") == few.find("read-files"));
  CHECK(few.find("edit1099") != std::string::npos);
  CHECK(few.find("edit1000") == std::string::npos);
  CHECK(sk::detail::facts_text({}, 100).empty());
}

TEST_CASE("one fact that is too long does not push out the others, and lists are limited") {
  std::vector<sk::EntryBody> bodies{sk::user("go")};
  auto const add = [&](char const* name, std::string const& input) {
    sk::ToolUse const call = tool_call("t" + std::to_string(bodies.size()), name, input);
    bodies.emplace_back(sk::assistant(call)), bodies.emplace_back(sk::tool_result(call, "ok"));
  };
  for (int i = 0; i < 1500; ++i) add("read", R"({"path":"f)" + std::to_string(i) + "\"}");
  add("bash", R"({"command":"make"})");
  add("edit", R"({"path":"x.c"})");
  add("write", R"({"path":")" + std::string(100000, 'p') + "\"}");
  std::string many = "{";
  for (int i = 0; i < 2000; ++i) many += (i ? "," : "") + ("\"\xC3\xA4" + std::to_string(i)) + "\":1";
  add("bash", many + "}");
  bodies.emplace_back(sk::user("next"));
  auto const plan =
      sk::plan_compaction(context_of(bodies), keeping(sk::keep_last_user()), CompactionReason::manual);
  REQUIRE(plan);
  CHECK(plan->read_files.size() == 1000);
  CHECK(plan->read_files.front() == "f500");
  CHECK(plan->read_files.back() == "f1499");
  REQUIRE(plan->calls.size() == 3);
  for (std::string const& call : plan->calls) CHECK(call.size() < 600);
  std::string const facts = plan->facts();
  CHECK(plan->calls[0] == "bash(command=\"make\")");
  CHECK(plan->calls[1] == "write(path=\xE2\x80\xA6)");
  for (char const* fact : {"\nx.c\n", "\nf1499\n"}) CHECK(facts.find(fact) != std::string::npos);
  CHECK(sk::estimate_tokens(facts) < 2200);
  CHECK(sk::detail::is_utf8(plan->calls[2]));
}

TEST_CASE(
    "a conversation longer than a request is summarised in several, each extending the summary before") {
  std::vector<sk::EntryBody> bodies;
  for (int i = 0; i < 12; ++i) {
    sk::ToolUse const call = tool_call("t" + std::to_string(i), "f", "{}");
    bodies.emplace_back(sk::user(letters(100)));
    bodies.emplace_back(sk::assistant(call));
    bodies.emplace_back(sk::tool_result(call, letters(100)));
    bodies.emplace_back(sk::assistant(letters(100)));
  }
  bodies.emplace_back(sk::user(letters(5000))); // one message, longer than a request
  bodies.emplace_back(sk::user("end"));
  sk::CompactionPolicy policy = keeping(sk::keep_last_user());
  policy.max_request_tokens = 1000;
  auto const plan = sk::plan_compaction(context_of(bodies), policy, CompactionReason::manual);
  REQUIRE(plan);
  REQUIRE(plan->conversations.size() > 4);
  for (std::string const& conversation : plan->conversations) {
    CHECK(sk::estimate_tokens(conversation) <= 1000);
    auto const result = conversation.find("[Tool result]");
    CHECK((result == std::string::npos
           || conversation.find("[Assistant tool calls]") < result)); // never separated
  }
  ScriptedSummarizer summarizer;
  CHECK(sk::summarize(*plan, summarizer).value() == "in short");
  REQUIRE(summarizer.requests.size() == plan->conversations.size());
  CHECK(summarizer.requests[0].previous_summary.empty());
  CHECK(summarizer.requests[1].previous_summary == "in short");
}

TEST_CASE("a message longer than a request is read completely, in several") {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i) + " of what was pasted\n";
  sk::Context const log = context_of({sk::user(text), sk::assistant("yes"), sk::user("next")});
  sk::CompactionPolicy policy = keeping(sk::keep_turns(1));
  policy.max_request_tokens = 5000;
  auto const plan = sk::plan_compaction(log, policy, CompactionReason::manual);
  REQUIRE(plan);
  CHECK(plan->conversations.size() > 3);
  CHECK(plan->conversations.size() <= 6);
  std::string all;
  for (std::string const& part : plan->conversations) {
    CHECK(sk::estimate_tokens(part) <= 5000);
    CHECK((all.empty() || all.back() == '\n')); // split after a line
    all += part;
  }
  CHECK(all.find(text) != std::string::npos);
  policy.max_request_tokens = 500;
  auto const short_plan = sk::plan_compaction(log, policy, CompactionReason::manual);
  REQUIRE(short_plan);
  std::string left;
  for (std::string const& part : short_plan->conversations) left += part;
  CHECK(short_plan->conversations.size() <= 10);
  CHECK(left.find("characters left out") != std::string::npos);
}

TEST_CASE("a window without other limits is a limit") {
  sk::CompactionPolicy policy;
  policy.window = 8000;
  CHECK(sk::limit_of(policy) == 8000U);
}

TEST_CASE("messages are split by their share of tokens as OpenClaw splits them") {
  Json const cases = Json::parse(read_file(data("openclaw/token_share_split.json")));
  REQUIRE(cases.size() == 12);
  auto const estimate = sk::find_estimator("pi")->message;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    auto const messages = pi_messages(cases[i]["input"]);
    std::vector<sk::detail::SplitItem> items;
    std::size_t total = 0;
    for (auto const& message : messages) {
      sk::detail::SplitItem item{estimate(message)};
      total += item.tokens;
      item.answers = message.role == sk::Role::assistant;
      bool const failed = item.answers && message.generation->stop != sk::StopReason::unknown;
      for (auto const* call : message.tool_uses())
        if (!failed && !call->id.empty()) item.opens.push_back(call->id);
      item.is_result = message.role == sk::Role::tool;
      if (item.is_result) item.closes = std::get<sk::ToolResult>(message.parts[0]).tool_use_id;
      items.push_back(item);
    }
    std::size_t const parts = cases[i]["parts"];
    CHECK(Json(sk::detail::split_by_tokens(items, static_cast<double>(total) / static_cast<double>(parts),
                                           parts))
          == cases[i]["output"]);
  }
}

TEST_CASE("planning takes time in proportion to the log") {
  CHECK(sessionkit_test::is_linear(6000, [](std::size_t many) {
    std::vector<sk::EntryBody> bodies;
    for (std::size_t i = 0; i < many; ++i) {
      sk::ToolUse const call = tool_call("same", "bash", R"({"command":")" + std::to_string(i) + "\"}");
      bodies.emplace_back(i % 3 == 0 ? sk::EntryBody(sk::user("u")) : sk::EntryBody(sk::assistant(call)));
      bodies.emplace_back(sk::tool_result(call, "r"));
    }
    CHECK(sk::plan_compaction(context_of(bodies), keeping(sk::keep_turns(2)), CompactionReason::manual));
  }));
}

TEST_CASE("a screen shows a summary without the lines for the model") {
  CHECK(sk::shown_summary("They met.") == "They met.");
  CHECK(sk::shown_summary(
            "They met.\n\n<read-files>\na.txt\n</read-files>\n\n<tool-calls>\nbash(x)\n</tool-calls>")
        == "They met.");
  CHECK(sk::shown_summary("<read-files> is a tag.") == "<read-files> is a tag.");
  CHECK(sk::shown_summary("").empty());
}
