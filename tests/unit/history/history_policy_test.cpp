// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/pi_messages.hpp"

#include <sessionkit/history.hpp>

#include <nlohmann/json.hpp>

#include <vector>

namespace sk = sessionkit;
using Json = nlohmann::json;

namespace {

std::vector<sk::Message> const talk{sk::user("1"),        sk::assistant("a"), sk::user("2"),
                                    sk::tool_results({}), sk::assistant("b"), sk::user("3")};

sk::ClearToolResults pruning(Json const& settings, std::size_t window) {
  sk::ClearToolResults policy;
  policy.window = window;
  policy.keep_answers = settings["keepLastAssistants"];
  policy.shorten_from = settings["softTrimRatio"];
  policy.clear_from = settings["hardClearRatio"];
  policy.min_clear = settings["minPrunableToolChars"];
  policy.max_length = settings["softTrim"]["maxChars"];
  policy.head = settings["softTrim"]["headChars"];
  policy.tail = settings["softTrim"]["tailChars"];
  policy.placeholder = settings["hardClear"]["placeholder"];
  policy.exclude_tools = settings["tools"].value("deny", std::vector<std::string>{});
  return policy;
}

std::string text_of(sk::ToolResult const& result) {
  std::string text;
  for (auto const& piece : result.content)
    if (auto const* said = std::get_if<sk::Text>(&piece)) text += said->text;
  return text;
}

}

TEST_CASE("TurnLimit leaves out everything before the last n turns") {
  CHECK(sk::TurnLimit{1}(talk).drop == 5);
  CHECK(sk::TurnLimit{2}(talk).drop == 2);
  CHECK(sk::TurnLimit{3}(talk).drop == 0);
  CHECK(sk::TurnLimit{9}(talk).drop == 0);
  CHECK(sk::TurnLimit{0}(talk).drop == talk.size());
  CHECK(sk::TurnLimit{1}({}).drop == 0);
}

TEST_CASE("MessageLimit leaves out all but the last n messages") {
  CHECK(sk::MessageLimit{2}(talk).drop == 4);
  CHECK(sk::MessageLimit{6}(talk).drop == 0);
  CHECK(sk::MessageLimit{99}(talk).drop == 0);
}

TEST_CASE("TokenLimit keeps whole turns as long as they fit") {
  auto const one = [](sk::Message const&) { return std::size_t{1}; };
  CHECK(sk::TokenLimit{6, one}(talk).drop == 0);
  CHECK(sk::TokenLimit{5, one}(talk).drop == 2); // the first turn does not fit completely
  CHECK(sk::TokenLimit{4, one}(talk).drop == 2);
  CHECK(sk::TokenLimit{3, one}(talk).drop == 5);
  CHECK(sk::TokenLimit{0, one}(talk).drop == talk.size()); // the rebuilder keeps the newest turn
  CHECK(sk::TokenLimit{2}(talk).drop == 5);                // "b" would fit, but begins no turn
}

TEST_CASE("tool results are shortened and cleared as OpenClaw prunes a context") {
  Json const cases =
      Json::parse(sessionkit_test::read_file(sessionkit_test::data("openclaw/context_pruning.json")));
  REQUIRE(cases.size() == 24);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    std::vector<sk::Message> const messages = sessionkit_test::pi_messages(cases[i]["input"]);
    sk::HistoryEdit const edit = pruning(cases[i]["settings"], cases[i]["contextWindowTokens"])(messages);
    Json got = Json::object();
    for (auto const& result : edit.results) {
      CHECK(result.part == 0);
      got[std::to_string(result.message)] = result.text;
    }
    CHECK(got == cases[i]["changed"]);
    CHECK(edit.drop == 0);
    changed += edit.results.size();
  }
  CHECK(changed > 100);
}

TEST_CASE("a long result is cut between characters") {
  sk::ClearToolResults policy;
  policy.window = 1;
  policy.keep_answers = 0;
  policy.max_length = 4, policy.head = 1, policy.tail = 2;
  sk::ToolUse const call{"c", "f"};
  std::string const text = "\xF0\x9F\x9A\x80\xE4\xBD\xA0\xE5\xA5\xBD\xC3\xA9\x7A"; // five characters
  auto const edit = policy({sk::user("q"), sk::assistant(call), sk::tool_result(call, text)});
  REQUIRE(edit.results.size() == 1);
  CHECK(edit.results[0].text
        == "\xF0\x9F\x9A\x80\n...\n\xC3\xA9\x7A\n\n[Tool result trimmed: kept first 1 chars and last 2 chars "
           "of 5 chars.]");
  CHECK(text_of(std::get<sk::ToolResult>(sk::tool_result(call, text).parts[0])) == text);
}

TEST_CASE("a policy that names no result changes nothing, and throws nothing") {
  sk::Context context;
  for (sk::Message const& message :
       {sk::user("1"), sk::assistant(sk::ToolUse{"t1", "read"}), sk::tool_result("t1", "read", "output")}) {
    sk::Entry entry;
    entry.id = sk::EntryId(std::to_string(context.entries.size()));
    entry.body = message;
    context.entries.push_back(entry);
  }
  auto const rebuilt = [&](std::size_t message, std::size_t part) {
    sk::Target target;
    target.policies.emplace_back([=](std::vector<sk::Message> const&) {
      sk::HistoryEdit edit;
      edit.results.push_back({message, part, "cleared"});
      return edit;
    });
    return sk::HistoryRebuilder(target).rebuild(context);
  };
  auto const output = [](sk::History const& history) {
    return text_of(std::get<sk::ToolResult>(history.messages.at(2).parts.at(0)));
  };
  auto const changes = [](sk::History const& history) {
    return std::count_if(history.report.begin(), history.report.end(),
                         [](sk::Repair const& repair) { return repair.rule == "policy"; });
  };
  CHECK(output(rebuilt(2, 0)) == "cleared");
  CHECK(changes(rebuilt(2, 0)) == 1);
  for (auto const& [message, part] : {std::pair<std::size_t, std::size_t>{0, 0},
                                      {1, 0},
                                      {2, 1},
                                      {3, 0},
                                      {static_cast<std::size_t>(-1), 0}}) {
    auto const history = rebuilt(message, part);
    CHECK(output(history) == "output");
    CHECK(changes(history) == 0);
  }
}
