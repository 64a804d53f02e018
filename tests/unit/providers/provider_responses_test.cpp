// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/responses_checks.hpp"

#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Json;

namespace {

constexpr auto responses = sk::Provider::openai_responses;

sk::History talk(std::vector<sk::Message> messages) {
  sk::History history;
  history.messages = std::move(messages);
  history.sources.resize(history.messages.size());
  return history;
}

std::string encoded(sk::History const& history, sk::RebuildMode mode = sk::RebuildMode::valid) {
  sk::Target target;
  target.provider = responses;
  target.mode = mode;
  return sk::encode(history, target).messages;
}

// The request for a log with this answer, and the applied rules.
struct Sent {
  Json items;
  std::vector<std::string> rules;
};
Sent sent(std::vector<sk::Message> messages, sk::Target target = {}) {
  target.provider = responses;
  sk::Context context;
  for (sk::Message& message : messages) {
    sk::Entry entry;
    entry.body = std::move(message);
    context.entries.push_back(std::move(entry));
  }
  sk::History const history = sk::HistoryRebuilder(target).rebuild(context);
  Sent made{Json::parse(sk::encode(history, target).messages), {}};
  for (sk::Repair const& repair : history.report) made.rules.emplace_back(repair.rule);
  CHECK(sessionkit_test::responses::check(made.items).empty());
  return made;
}
using Rules = std::vector<std::string>;

sk::ToolUse const read_a{"a", "read", sk::RawJson::from(R"({ "n" : 1.0 })")};
sk::Image const picture{"image/png", sk::Base64{"QUJD"}};

std::string item(std::string const& id) {
  return R"({"id":")" + id
         + R"(","type":"reasoning","status":"completed","encrypted_content":"gA\u0041=","summary":[]})";
}
sk::Message made_by(sk::Message message, std::string api, std::string model) {
  message.generation = sk::Generation{};
  message.generation->api = std::move(api);
  message.generation->model = std::move(model);
  return message;
}

}

TEST_CASE("Responses items are written byte for byte as documented") {
  sk::ToolUse const read_b{"b", "read", sk::RawJson::from("{}")};
  sk::History history = talk(
      {sk::user("q \"1\"", picture),
       sk::assistant(sk::Thinking{"hm", item("rs_1")}, sk::Text{"look"}, sk::Text{"here"}, read_a, read_b),
       sk::tool_results({{"a", "read", {sk::Text{"A"}}}, {"b", "read", {sk::Text{"B"}, picture}}}),
       sk::user("go on", sk::Image{"", sk::Url{"https://a/b.png"}}), sk::assistant("done")});
  history.system = "be brief";
  CHECK(encoded(history)
        == R"([{"type":"message","role":"user","content":[{"type":"input_text","text":"q \"1\""},)"
           R"({"type":"input_image","detail":"auto","image_url":"data:image/png;base64,QUJD"}]},)"
           R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gA\u0041="},)"
           R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"look"},)"
           R"({"type":"output_text","text":"here"}]},)"
           R"({"type":"function_call","call_id":"a","name":"read","arguments":"{ \"n\" : 1.0 }"},)"
           R"({"type":"function_call","call_id":"b","name":"read","arguments":"{}"},)"
           R"({"type":"function_call_output","call_id":"a","output":"A"},)"
           R"({"type":"function_call_output","call_id":"b","output":[{"type":"input_text","text":"B"},)"
           R"({"type":"input_image","detail":"auto","image_url":"data:image/png;base64,QUJD"}]},)"
           R"({"type":"message","role":"user","content":[{"type":"input_text","text":"go on"},)"
           R"({"type":"input_image","detail":"auto","image_url":"https://a/b.png"}]},)"
           R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}])");
  sk::Target target;
  target.provider = responses;
  CHECK(sk::encode(history, target).system == R"("be brief")");
  CHECK(sk::request_members(responses).system == "instructions");
  CHECK(sk::request_members(responses).messages == "input");
}

TEST_CASE("texts keep the phase that the model gave them") {
  sk::Text const commentary{"looking", R"({"v":1,"id":"msg_1","phase":"commentary"})"};
  sk::Text const final{"found", R"({"v":1,"id":"msg_2","phase":"final_answer"})"};
  Json const items = sent({sk::user("q"), sk::assistant(commentary, final, sk::Text{"more", "msg_3"})}).items;
  REQUIRE(items.size() == 4);
  CHECK(items[1]["phase"] == "commentary");
  CHECK(items[2]["phase"] == "final_answer");
  CHECK_FALSE(items[3].contains("phase"));
  sk::Target target;
  target.model = "m1";
  auto const other =
      sent({sk::user("q"), made_by(sk::assistant(commentary), "openai-responses", "m2")}, target);
  CHECK_FALSE(other.items[1].contains("phase"));
  CHECK(other.rules == Rules{"foreign_signature"});
}

TEST_CASE("reasoning items are sent only to the model that made them") {
  sk::Target target;
  target.model = "m1";
  auto const reasoned = [](std::string api, std::string model) {
    return made_by(sk::assistant(sk::Thinking{"hm", item("rs_1")}, "a"), std::move(api), std::move(model));
  };
  auto const same = sent({sk::user("q"), reasoned("openai-responses", "m1")}, target);
  CHECK(same.items[1]["id"] == "rs_1");
  CHECK(same.rules.empty());
  CHECK(sent({sk::user("q"), reasoned("openai-responses", "m2")}, target).rules == Rules{"foreign_thinking"});
  CHECK(sent({sk::user("q"), reasoned("openai-completions", "m1")}, target).rules
        == Rules{"foreign_thinking"});
  CHECK(sent({sk::user("q"), reasoned("azure-openai-responses", "m1")}, target).rules
        == Rules{"foreign_thinking"});
  target.api = "azure-openai-responses";
  CHECK(sent({sk::user("q"), reasoned("azure-openai-responses", "m1")}, target).rules.empty());
}

TEST_CASE("reasoning that the server would refuse is not sent") {
  std::string const bad[] = {"sig",
                             "",
                             R"({"type":"reasoning","id":"rs_1","summary":[]})",
                             R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":null})",
                             R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":""})",
                             R"({"type":"reasoning","id":"item_1","summary":[],"encrypted_content":"g"})",
                             R"({"type":"reasoning","id":"rs_1:2","summary":[],"encrypted_content":"g"})",
                             R"({"type":"reasoning","id":"rs_1\u0041","summary":[],"encrypted_content":"g"})",
                             R"({"type":"reasoning","summary":[],"encrypted_content":"g"})",
                             R"({"type":"message","id":"rs_1","summary":[],"encrypted_content":"g"})",
                             R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"\ud83d"})",
                             R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"g"}x)",
                             "[" + item("rs_1") + "]",
                             item("rs_" + std::string(62, 'x'))};
  for (std::string const& signature : bad) {
    CAPTURE(signature);
    auto const made = sent({sk::user("q"), sk::assistant(sk::Thinking{"hm", signature}, "a")});
    CHECK(made.rules == Rules{"foreign_thinking"});
    CHECK(made.items.size() == 2);
  }
  CHECK(sent({sk::user("q"), sk::assistant(sk::Thinking{"", item("rs_" + std::string(61, 'x'))}, "a")})
            .rules.empty());
  auto const summary = sent({sk::user("q"), sk::assistant(sk::Thinking{"", R"({"type":"reasoning",)"
                                                                           R"("id":"rs_1","summary":"s",)"
                                                                           R"("encrypted_content":"g"})"},
                                                          "a")});
  CHECK(summary.items[1]["summary"] == Json::array());
}

TEST_CASE("reasoning is sent once, and only before its outcome") {
  sk::Thinking const one{"hm", item("rs_1")}, two{"hm", item("rs_2")};
  auto const again = sent({sk::user("q"), sk::assistant(one, "a"), sk::user("q"), sk::assistant(one, "b")});
  CHECK(again.rules == Rules{"repeated_thinking"});
  CHECK(again.items.size() == 5);
  auto const row = sent({sk::user("q"), sk::assistant(one, two, "a")});
  CHECK(row.rules == Rules{"unfollowed_thinking"});
  CHECK(row.items[1]["id"] == "rs_2");
  auto const end = sent({sk::user("q"), sk::assistant("a", one), sk::user("q")});
  CHECK(end.rules == Rules{"thinking_at_end"});
  auto const parallel =
      sent({sk::user("q"), sk::assistant(one, read_a, two, sk::ToolUse{"b", "read", sk::RawJson::from("{}")}),
            sk::tool_results({{"b", "read", {sk::Text{"B"}}}, {"a", "read", {sk::Text{"A"}}}})});
  CHECK(parallel.items.size() == 7);
}

TEST_CASE("ids are those of the API, without pi's suffix, and at most 64 long") {
  auto const called = [](std::string const& id) {
    auto const made = sent({sk::user("q"), sk::assistant(sk::ToolUse{id, "read", sk::RawJson::from("{}")}),
                            sk::tool_results({{id, "read", {sk::Text{"A"}}}})});
    CHECK(made.items[1]["call_id"] == made.items[2]["call_id"]);
    return made.items[1]["call_id"].get<std::string>();
  };
  CHECK(called("call_1|fc_2") == "call_1");
  CHECK(called("|fc_2") == "call");
  CHECK(called(std::string(70, 'k')) == std::string(64, 'k'));
  CHECK(called("a b") == "a_b");
}

TEST_CASE("results without text get one, and a result may be images only") {
  auto const answered = [](std::vector<sk::ToolContent> content) {
    return sent({sk::user("q"), sk::assistant(read_a), sk::tool_results({{"a", "read", std::move(content)}})})
        .items[2]["output"];
  };
  CHECK(answered({}) == "[no output]");
  CHECK(answered({picture})
        == Json::parse(R"([{"type":"input_image","detail":"auto",)"
                       R"("image_url":"data:image/png;base64,QUJD"}])"));
  CHECK(answered({sk::Text{"a"}, sk::Text{"b"}}).size() == 2);
}

TEST_CASE("a faithful history keeps bare strings, and results stay at their message's place") {
  sk::Message bare = sk::user("q");
  bare.content_is_string = true;
  sk::Message bare_answer = sk::assistant("a");
  bare_answer.content_is_string = true;
  sk::Message results = sk::user(sk::ToolResult{"a", "", {}}, "and");
  Json const items = Json::parse(encoded(
      talk({bare, bare_answer, sk::assistant(sk::Thinking{"hm", "sig"}, read_a), results, sk::user()}),
      sk::RebuildMode::faithful));
  REQUIRE(items.size() == 5);
  CHECK(items[0]["content"] == "q");
  CHECK(items[1]["content"] == "a");
  CHECK(items[3]["output"] == "");
  CHECK(items[4]["content"][0]["text"] == "and");
}

TEST_CASE("the check of Responses items in these tests refuses what the API refuses") {
  Json const question =
      Json::parse(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]})");
  Json const answer =
      Json::parse(R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]})");
  Json const call = Json::parse(R"({"type":"function_call","call_id":"a","name":"read","arguments":"{}"})");
  Json const output = Json::parse(R"({"type":"function_call_output","call_id":"a","output":"r"})");
  Json const thought = Json::parse(item("rs_1"));
  auto const with = [](Json body, char const* key, Json value) {
    body[key] = std::move(value);
    return body;
  };
  Json const bad[] = {Json::array(),
                      Json::array({question, question}),
                      Json::array({question, answer, answer}),
                      Json::array({question, call}),
                      Json::array({question, output}),
                      Json::array({question, call, output, output}),
                      Json::array({question, call, question, output}),
                      Json::array({question, with(call, "name", "a.b"), output}),
                      Json::array({question, with(call, "arguments", "[]"), output}),
                      Json::array({question, call, with(output, "output", "")}),
                      Json::array({question, thought}),
                      Json::array({question, thought, question}),
                      Json::array({question, thought, answer, question, thought, answer}),
                      Json::array({question, with(thought, "id", "x"), answer}),
                      Json::array({question, with(thought, "encrypted_content", nullptr), answer}),
                      Json::array({question, with(answer, "content", question["content"])}),
                      Json::array({with(question, "content", answer["content"])}),
                      Json::array({with(question, "role", "system")})};
  for (Json const& items : bad) {
    CAPTURE(items.dump());
    CHECK_FALSE(sessionkit_test::responses::check(items).empty());
  }
  CHECK(sessionkit_test::responses::check(Json::array({question, thought, call, answer, output})).empty());
}
