// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/provider_checks.hpp"
#include "support/sent_messages.hpp"

#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::call;
using sessionkit_test::context_of;
using sessionkit_test::Json;
using sessionkit_test::png;
using sessionkit_test::sent;

namespace {

sk::History talk(std::vector<sk::Message> messages) {
  sk::History history;
  history.messages = std::move(messages);
  history.sources.resize(history.messages.size());
  return history;
}

std::string encoded(sk::History const& history, sk::Provider provider,
                    sk::RebuildMode mode = sk::RebuildMode::valid) {
  sk::Target target;
  target.provider = provider;
  target.mode = mode;
  return sk::encode(history, target).messages;
}

sk::ToolUse const read_a{"a", "read", sk::RawJson::from(R"({ "n" : 1.0 })")};
sk::Image const picture{"image/png", sk::Base64{"QUJD"}};

Json text(std::string const& words) { return {{"type", "text"}, {"text", words}}; }

}

TEST_CASE("the error for an unknown provider name lists the known ones") {
  CHECK(sk::parse_provider("anthropic").value() == sk::Provider::anthropic);
  CHECK(sk::parse_provider("openai-chat").value() == sk::Provider::openai_chat);
  CHECK(sk::parse_provider("openai-responses").value() == sk::Provider::openai_responses);
  CHECK(sk::parse_provider("openai_responses").value() == sk::Provider::openai_responses);
  CHECK(sk::parse_provider("gemini").value() == sk::Provider::gemini);
  CHECK(sk::parse_provider("native").value() == sk::Provider::native);
  CHECK(sk::request_members(sk::Provider::anthropic).system == "system");
  CHECK(sk::request_members(sk::Provider::openai_chat).system.empty());
  CHECK(sk::request_members(sk::Provider::openai_chat).messages == "messages");
  auto const unknown = sk::parse_provider("openai\x1B");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == sk::Errc::invalid_argument);
  CHECK_THAT(unknown.error().message, sessionkit_test::contains("openai-chat"));
  CHECK(unknown.error().message.find('\x1B') == std::string::npos);
}

TEST_CASE("Anthropic's messages are written byte for byte as documented") {
  sk::History const history =
      talk({sk::user("q \"1\"\n"), sk::assistant(sk::Thinking{"hm", "sig"}, "look", read_a),
            sk::tool_results({{"a", "read", {sk::Text{"A"}, picture}}}), sk::user("go on"),
            sk::assistant("done")});
  CHECK(
      encoded(history, sk::Provider::anthropic)
      == R"([{"role":"user","content":[{"type":"text","text":"q \"1\"\n"}]},)"
         R"({"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},)"
         R"({"type":"text","text":"look"},{"type":"tool_use","id":"a","name":"read","input":{ "n" : 1.0 }}]},)"
         R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"A"},)"
         R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]},)"
         R"({"type":"text","text":"go on"}]},{"role":"assistant","content":[{"type":"text","text":"done"}]}])");
}

TEST_CASE("OpenAI's messages are written byte for byte as documented") {
  sk::History history = talk({sk::user("q", picture), sk::assistant(read_a),
                              sk::tool_results({{"a", "read", {sk::Text{"A"}}}}), sk::assistant("done")});
  history.system = "be brief";
  CHECK(encoded(history, sk::Provider::openai_chat)
        == R"([{"role":"system","content":[{"type":"text","text":"be brief"}]},)"
           R"({"role":"user","content":[{"type":"text","text":"q"},)"
           R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]},)"
           R"({"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",)"
           R"("function":{"name":"read","arguments":"{ \"n\" : 1.0 }"}}]},)"
           R"({"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"A"}]},)"
           R"({"role":"assistant","content":[{"type":"text","text":"done"}]}])");
}

TEST_CASE("images from tools reach OpenAI in a user message after all results") {
  sk::ToolUse const read_b{"b", "read", sk::RawJson::from("{}")};
  auto const results = sk::tool_results({{"a", "read", {picture}}, {"b", "read", {sk::Text{"B"}}}});
  Json const interrupted =
      Json::parse(encoded(talk({sk::user("q"), sk::assistant(read_a, read_b), results, sk::user("stop")}),
                          sk::Provider::openai_chat));
  CHECK(sessionkit_test::openai::check(interrupted).empty());
  REQUIRE(interrupted.size() == 5);
  CHECK(interrupted[2]["content"] == Json::array({text("[an image, see below]")}));
  CHECK(interrupted[4]["content"][0] == text("[images of the tool results above]"));
  CHECK(interrupted[4]["content"][1]["type"] == "image_url");
  CHECK(interrupted[4]["content"][2] == text("stop"));
  Json const going_on =
      Json::parse(encoded(talk({sk::user("q"), sk::assistant(read_a, read_b), results, sk::assistant("ok")}),
                          sk::Provider::openai_chat));
  CHECK(sessionkit_test::openai::check(going_on).empty());
  CHECK(going_on[4]["role"] == "user");
  CHECK(going_on[5]["role"] == "assistant");
}

TEST_CASE("an error result holds text only for Anthropic: its images follow the results") {
  sk::ToolResult failed{"a", "read", {sk::Text{"boom"}, sk::Image{"image/png", sk::Base64{png}}}, true};
  auto const log =
      context_of({sk::user("q"), sk::assistant(call("a"), call("b")),
                  sk::tool_results({failed, {"b", "read", {sk::Text{"B"}}}}), sk::user("words")});
  Json const blocks = sent(log)[2]["content"];
  REQUIRE(blocks.size() == 5);
  CHECK(blocks[0]["content"][0]["text"] == "boom");
  CHECK(blocks[0]["content"][1]["text"] == "[an image, see below]");
  CHECK(blocks[2]["text"] == "[images of the tool results above]");
  CHECK(blocks[3]["source"]["data"] == png);
  CHECK(blocks[4]["text"] == "words");
}

TEST_CASE("OpenAI's chat takes 128 calls in a message: more are several messages, each with its results") {
  sk::Message many = sk::assistant("go");
  std::vector<sk::ToolResult> results;
  for (int i = 0; i < 300; ++i) {
    many.parts.emplace_back(call("c" + std::to_string(i)));
    results.push_back({"c" + std::to_string(i), "read", {sk::Text{"r"}}});
  }
  Json const messages =
      sent(context_of({sk::user("q"), many, sk::tool_results(results)}), sk::Provider::openai_chat);
  CHECK(sessionkit_test::openai::check(messages).empty());
  CHECK(messages.size() == 1 + 3 + 300);
  CHECK(messages[1]["tool_calls"].size() == 128);
  CHECK(messages[130]["tool_calls"].size() == 128);
  CHECK(messages[259]["tool_calls"].size() == 44);
}

TEST_CASE("faithful histories write a bare string if one was stored, and join tool messages only") {
  sk::Message bare = sk::user("q");
  bare.content_is_string = true;
  sk::History const history =
      talk({bare, sk::assistant(read_a), sk::tool_results({{"a", "read", {sk::Text{"A"}}}}),
            sk::tool_results({{"b", "read", {}}}), bare});
  Json const messages = Json::parse(encoded(history, sk::Provider::anthropic, sk::RebuildMode::faithful));
  REQUIRE(messages.size() == 4);
  CHECK(messages[0] == Json({{"role", "user"}, {"content", "q"}}));
  CHECK(messages[2]["content"].size() == 2);
  CHECK(messages[3] == messages[0]);
  Json const openai = Json::parse(encoded(history, sk::Provider::openai_chat, sk::RebuildMode::faithful));
  CHECK(openai[0]["content"] == "q");
  CHECK(openai.size() == 5);
}

TEST_CASE("pi's messages keep their other members and their lone surrogates") {
  sk::Message asked = sk::user("a\xED\xA0\xBD");
  asked.metadata = sk::RawJson::from(R"({"timestamp":5,"x":1e999})");
  sk::Message results = sk::tool_results({{"a", "read", {sk::Text{"A"}}, true}});
  results.metadata = sk::RawJson::from(R"({"details":{"k":1},"timestamp":6})");
  CHECK(
      encoded(talk({asked, results}), sk::Provider::native, sk::RebuildMode::faithful)
      == R"([{"role":"user","content":[{"type":"text","text":"a\ud83d"}],"timestamp":5,"x":1e999},)"
         R"({"role":"toolResult","toolCallId":"a","toolName":"read","content":[{"type":"text","text":"A"}],)"
         R"("isError":true,"details":{"k":1},"timestamp":6}])");
}

TEST_CASE("the system text is a JSON string if the provider has a place for it, else null") {
  sk::History history;
  sk::Target target;
  CHECK(sk::encode(history, target).system == "null");
  history.system = "a\"b";
  CHECK(sk::encode(history, target).system == R"("a\"b")");
  target.provider = sk::Provider::openai_chat;
  CHECK(sk::encode(history, target).system == "null");
}

TEST_CASE("the checkers of these tests refuse what providers refuse") {
  auto const say = [](char const* role, Json content) {
    return Json({{"role", role}, {"content", std::move(content)}});
  };
  Json const use{{"type", "tool_use"}, {"id", "a"}, {"name", "read"}, {"input", Json::object()}};
  Json const result{{"type", "tool_result"}, {"tool_use_id", "a"}, {"content", Json::array()}};
  Json const question = say("user", Json::array({text("q")}));
  Json const bad[] = {
      Json::array(),
      Json::array({say("assistant", Json::array({text("a")}))}),
      Json::array({question, question}),
      Json::array({question, say("assistant", Json::array({text("\xC2\xA0")})), question}),
      Json::array({question, say("assistant", Json::array({use}))}),
      Json::array({question, say("assistant", Json::array({use})), question}),
      Json::array({say("user", Json::array({result}))}),
      Json::array(
          {question, say("assistant", Json::array({use})), say("user", Json::array({text("x"), result}))}),
      Json::array(
          {question, say("assistant", Json::array({use})), say("user", Json::array({result, result}))}),
      Json::array({question, say("assistant", Json::array({text("a\xE2\x80\x83")}))}),
      Json::array({question, say("assistant", Json::array({Json({{"type", "thinking"}, {"thinking", "t"}}),
                                                           text("a")}))})};
  for (Json const& messages : bad) {
    CAPTURE(messages.dump());
    CHECK_FALSE(sessionkit_test::anthropic::check(messages, true).empty());
  }
  CHECK_FALSE(sessionkit_test::anthropic::check(
                  Json::array({question, say("assistant", Json::array({text("a")}))}), false)
                  .empty());
  Json const calls = Json::parse(
      R"([{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}]}])");
  Json const tool{{"role", "tool"}, {"tool_call_id", "a"}, {"content", Json::array({text("x")})}};
  Json const bad_chats[] = {Json::array(),
                            Json::array({question, question}),
                            Json::array({question, calls[0]}),
                            Json::array({question, tool}),
                            Json::array({question, calls[0], tool, tool}),
                            Json::array({question, calls[0], question, tool}),
                            Json::array({question, say("assistant", nullptr)})};
  for (Json const& messages : bad_chats) {
    CAPTURE(messages.dump());
    CHECK_FALSE(sessionkit_test::openai::check(messages).empty());
  }
  CHECK(sessionkit_test::openai::check(Json::array({question, calls[0], tool})).empty());
}
