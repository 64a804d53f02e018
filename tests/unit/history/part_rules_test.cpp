// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/rebuilt.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace sessionkit_test;

TEST_CASE("tool_name: names consist of characters that the provider accepts") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a", "{}", "mcp.read file"), call("b", "{}", ""),
                                               call("c", "{}", std::string(100, 'n')))});
  Json const blocks = sent(log)[1]["content"];
  CHECK(blocks[0]["name"] == "mcp_x2E_read_x20_file");
  CHECK(blocks[1]["name"] == "unnamed");
  CHECK(blocks[2]["name"] == std::string(100, 'n'));
  CHECK(sent(log, sk::Provider::openai_chat)[1]["tool_calls"][2]["function"]["name"]
        == std::string(54, 'n') + "_hA17D4815");
}

TEST_CASE("input_not_object: arguments that are not an object are wrapped") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(call("a", "null"), call("b", "[1]"), call("c", "{\"torn"))});
  Json const blocks = sent(log)[1]["content"];
  CHECK(blocks[0]["input"] == Json::object());
  CHECK(blocks[1]["input"] == Json({{"input", Json::array({1})}}));
  CHECK(blocks[2]["input"] == Json({{"input", "{\"torn"}}));
}

TEST_CASE("numbers in arguments are sent as written, and null if no double can represent them") {
  sk::Context const log = context_of(
      {sk::user("q"), sk::assistant(call("a", R"({"big":12345678901234567890,"far":1e999,"one":1.0})"))});
  sk::Target target;
  CHECK_THAT(sk::encode(rebuild(log), target).messages,
             contains(R"("input":{"big":12345678901234567890,"far":null,"one":1.0})"));
}

TEST_CASE("of arguments that repeat a key the last is sent") {
  auto const log =
      context_of({sk::user("q"), sk::assistant(call("a", R"({"a":1,"b":[{"x":1,"y":2,"x":3}],"\u0061":4})")),
                  sk::user("r")});
  sk::Target target;
  CHECK_THAT(sk::encode(sk::HistoryRebuilder(target).rebuild(log), target).messages,
             contains(R"("input":{"b":[{"y":2,"x":3}],"\u0061":4})"));
}

TEST_CASE("blank_text: text of white space only is not sent") {
  sk::Context const log = context_of({sk::user("q"), sk::assistant(" \n", "a"),
                                      sk::user("\xE3\x80\x80\xC2\xA0\xE2\x80\xA8"), sk::user("r")});
  CHECK(shape(log) == "user:q assistant:a user:r");
  CHECK(rules(rebuild(log)) == std::vector<std::string>{"blank_text", "blank_text"});
}

TEST_CASE("a text without words that Gemini signed goes back to it, but not alone") {
  sk::Text const end{"", "QUJD"};
  CHECK(content(sk::assistant("said", end), sk::Provider::gemini)[1]
        == Json{{"text", ""}, {"thoughtSignature", "QUJD"}});
  CHECK(content(sk::assistant("said", end)).size() == 1);
  CHECK(sent(context_of({sk::user("q"), sk::assistant(end), sk::user("r")}), sk::Provider::gemini).size()
        == 1);
}

TEST_CASE("foreign_thinking: reasoning is sent only to the model that signed it") {
  auto const log = [](sk::Message message) {
    return context_of({sk::user("q"), std::move(message), sk::user("r")});
  };
  auto const thinking = [](std::string signature) { return sk::Thinking{"hm", std::move(signature)}; };
  CHECK(shape(log(sk::assistant(thinking("sig"), "a"))) == "user:q assistant:thinking,a user:r");
  CHECK(shape(log(sk::assistant(thinking(""), "a"))) == "user:q assistant:a user:r");
  CHECK(shape(log(made_by(sk::assistant(thinking("sig"), "a"), "openai-responses", "gpt")))
        == "user:q assistant:a user:r");
  CHECK(shape(log(made_by(sk::assistant(thinking("sig"), "a"), "anthropic-messages", "m1")))
        == "user:q assistant:thinking,a user:r");
  sk::Target target;
  target.model = "m2";
  sk::History const history =
      rebuild(log(made_by(sk::assistant(thinking("sig"), "a"), "anthropic-messages", "m1")), target);
  CHECK(rules(history) == std::vector<std::string>{"foreign_thinking"});
  CHECK(sent(log(sk::assistant(thinking("sig"), "a")), sk::Provider::openai_chat).dump().find("hm")
        == std::string::npos);
}

TEST_CASE("a model's name with a date at its end is the same model") {
  auto const keeps = [](std::string asked, std::string answered) {
    sk::Target target;
    target.model = std::move(asked);
    sk::Message answer =
        made_by(sk::assistant(sk::Thinking{"hm", "sig"}, "a"), "anthropic-messages", answered);
    sk::History const history =
        rebuild(context_of({sk::user("q"), std::move(answer), sk::user("r")}), target);
    return rules(history).empty();
  };
  for (char const* const dated : {"m-4-20250929", "m-4-2025-08-07"}) {
    CAPTURE(dated);
    CHECK(keeps("m-4", dated));
    CHECK(keeps(dated, "m-4"));
    CHECK(keeps(dated, dated));
  }
  CHECK_FALSE(keeps("m-4-20250929", "m-4-20251001"));
  for (char const* const other :
       {"m-4-mini", "m-4-1", "m-41", "m-4-2025092", "m-4-2025-0807", "m-4-202509290"})
    CHECK_FALSE(keeps("m-4", other));
}

TEST_CASE("redacted reasoning is sent as data") {
  sk::Context const log =
      context_of({sk::user("q"), sk::assistant(sk::Thinking{"", "enc", true}, "a"), sk::user("r")});
  CHECK(sent(log)[1]["content"][0] == Json({{"type", "redacted_thinking"}, {"data", "enc"}}));
}

TEST_CASE("opaque_part and misplaced_part: a part that no provider accepts there is not sent") {
  sk::Message odd = sk::user("q");
  odd.parts.emplace_back(call("a"));
  odd.parts.emplace_back(sk::Opaque{"audio", sk::RawJson::from(R"({"type":"audio"})")});
  sk::Message loose;
  loose.role = sk::Role::tool;
  loose.parts.emplace_back(sk::Text{"no result"});
  sk::Context const log = context_of({odd, loose});
  CHECK(shape(log) == "user:q");
  CHECK(rules(rebuild(log)) == std::vector<std::string>{"misplaced_part", "opaque_part", "misplaced_part"});
}

TEST_CASE("invalid_text and invalid_input: lone surrogates and bad bytes become U+FFFD") {
  std::string const lone = "a\xED\xA0\xBD", bad = "b\xFF";
  sk::Context const log = context_of(
      {sk::user(lone, bad), sk::assistant(call("a", R"({"x":"\ud83d","y":"\ud83d\ude00\\ud83d"})"))});
  Json const messages = sent(log);
  CHECK(shape(log).substr(0, 16) == "user:a\xEF\xBF\xBD,b\xEF\xBF\xBD a");
  CHECK(messages[1]["content"][0]["input"]["x"] == "\xEF\xBF\xBD");
  CHECK(messages[1]["content"][0]["input"]["y"] == "\xF0\x9F\x98\x80\\ud83d");
  CHECK(rules(rebuild(log))
        == std::vector<std::string>{"invalid_text", "invalid_text", "invalid_input", "missing_result"});
}

TEST_CASE("image_type: images that no provider accepts become a marker") {
  auto const image = [](std::string type, std::string data) {
    return sk::Image{std::move(type), sk::Base64{std::move(data)}};
  };
  sk::Context const log = context_of(
      {sk::user(image("image/png", "QUJD"), image("image/jpg", "QUJD"), image("image/tiff", "QUJD"),
                image("image/png", "not base64!"), sk::Image{"", sk::Url{"https://x/y.png"}},
                sk::Image{"", sk::Url{"file:///etc/passwd"}})});
  Json const blocks = sent(log)[0]["content"];
  CHECK(blocks[0]["source"] == Json({{"type", "base64"}, {"media_type", "image/png"}, {"data", "QUJD"}}));
  CHECK(blocks[1]["source"]["media_type"] == "image/jpeg");
  CHECK(blocks[2]["text"] == "[image not sent]");
  CHECK(blocks[3]["text"] == "[image not sent]");
  CHECK(blocks[4]["source"]["url"] == "https://x/y.png");
  CHECK(blocks[5]["text"] == "[image not sent]");
}

TEST_CASE("result_content and empty_result: white space counts as output only alone, and missing output gets "
          "a text if the provider needs one") {
  sk::ToolResult pieces{"c", "", {sk::Text{" "}, sk::Text{"said"}, sk::Text{"\n"}}};
  sk::Message several;
  several.role = sk::Role::tool;
  several.parts.emplace_back(pieces);
  sk::Context const log = context_of({sk::user("q"), sk::assistant(call("a"), call("b"), call("c")),
                                      answer("a", " \n"), answer("b", "", true), several});
  Json const results = sent(log)[2]["content"];
  CHECK(results[0]["content"] == " \n");
  CHECK(results[1]["content"][0]["text"] == "[no output]");
  CHECK(results[2]["content"].size() == 1);
  CHECK(results[2]["content"][0]["text"] == "said");
  Json const openai = sent(log, sk::Provider::openai_chat);
  CHECK(openai[2]["content"][0]["text"] == "[no output]");
  CHECK(openai[3]["content"][0]["text"] == "[no output]");
  CHECK(is_accepted(log));
}
