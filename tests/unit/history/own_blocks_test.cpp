// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/every_provider.hpp"

#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Json;

namespace {

sk::Context context(std::vector<sk::EntryBody> bodies) {
  sk::Context made;
  for (sk::EntryBody& body : bodies) {
    sk::Entry entry;
    entry.id = sk::EntryId("e" + std::to_string(made.entries.size()));
    entry.body = std::move(body);
    made.entries.push_back(std::move(entry));
  }
  return made;
}

sk::Opaque block(std::string body) {
  sk::RawJson made = sk::RawJson::from(body);
  Json const read = Json::parse(body);
  return {read.value("type", ""), std::move(made)};
}
sk::ToolUse call(std::string id, std::string input = "{}") {
  return {std::move(id), "read", sk::RawJson::from(std::move(input))};
}
sk::Message made_by(sk::Message message, std::string api) {
  message.generation = sk::Generation{};
  message.generation->api = std::move(api);
  return message;
}
Json sent(sk::Context const& log, sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  return Json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(log), target).messages);
}
Json content(sk::Message message, sk::Provider provider = sk::Provider::anthropic) {
  bool const user = message.role == sk::Role::user;
  auto const log =
      user ? context({std::move(message)}) : context({sk::user("q"), std::move(message), sk::user("r")});
  return sent(log, provider)[user ? 0 : 1][provider == sk::Provider::gemini ? "parts" : "content"];
}
bool is_off(std::vector<sk::EntryBody> bodies, sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  return sk::HistoryRebuilder(target).rebuild(context(std::move(bodies))).reasoning_must_be_off;
}

std::string const pdf =
    R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}})";
std::string const searched =
    R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}})";
std::string const found = R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]})";
std::string const png = "iVBORw0KGgoAAAANSUhEUg==";

}

TEST_CASE("a block that one API alone knows goes back to it, and elsewhere a marker takes its place") {
  CHECK(content(sk::user(block(pdf)))[0] == Json::parse(pdf));
  CHECK(content(sk::user(block(pdf)), sk::Provider::openai_chat)[0]["text"] == "[document not sent]");
  CHECK(content(sk::user(block(pdf)), sk::Provider::openai_responses)[0]["text"] == "[document not sent]");
  CHECK(content(sk::user(block(pdf)), sk::Provider::gemini)[0]["text"] == "[document not sent]");
  std::string const file = R"({"type":"file","file":{"file_id":"f"}})";
  CHECK(content(sk::user(block(file)), sk::Provider::openai_chat)[0] == Json::parse(file));
  std::string const input = R"({"type":"input_file","file_id":"f"})";
  CHECK(content(sk::user(block(input)), sk::Provider::openai_responses)[0] == Json::parse(input));
  std::string const code = R"({"executableCode":{"language":"PYTHON","code":"1"}})";
  CHECK(content(sk::assistant(block(code)), sk::Provider::gemini)[0] == Json::parse(code));
  CHECK(content(sk::assistant(block(code)))[0]["text"] == "[executableCode not sent]");
  CHECK(content(made_by(sk::assistant(block(code)), "openai-responses"), sk::Provider::gemini)[0]["text"]
        == "[executableCode not sent]");
  CHECK(content(sk::user(block(R"({"type":"document"})")))[0]["text"] == "[document not sent]");
}

TEST_CASE("of a block the members that its API knows are sent") {
  CHECK(content(sk::user(block(
            R"({"type":"container_upload","file_id":"f","cache_control":{"type":"ephemeral"},"x":1})")))[0]
        == Json::parse(R"({"type":"container_upload","file_id":"f"})"));
}

TEST_CASE("a tool result of a document alone is not an empty result") {
  auto const log = context({sk::user("q"), sk::assistant(call("a")),
                            sk::tool_results({{"a", "read", {block(pdf)}}}), sk::user("r")});
  CHECK(sent(log)[2]["content"][0]["content"][0] == Json::parse(pdf));
  CHECK(sent(log, sk::Provider::openai_chat)[2]["content"][0]["text"] == "[document not sent]");
}

TEST_CASE("a server tool's call and its result go back together, or markers for both") {
  Json const both = content(sk::assistant(block(searched), block(found), "x"));
  CHECK(both[0] == Json::parse(searched));
  CHECK(both[1] == Json::parse(found));
  CHECK(content(sk::assistant(block(searched), "x"))[0]["text"] == "[server_tool_use not sent]");
  CHECK(content(sk::assistant(block(found), "x"))[0]["text"] == "[web_search_tool_result not sent]");
  std::string const web =
      R"({"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search"}})";
  auto const log = context({sk::user("q"), sk::assistant(block(web), "x"), sk::user("r")});
  CHECK(sent(log, sk::Provider::openai_responses)[1] == Json::parse(web));
}

TEST_CASE("citations of an answer go back to the API that wrote them") {
  sk::Text text{"cited"};
  text.extra = sk::RawJson::from(R"({"citations":[{"type":"web_search_result_location"}],"x":1})");
  CHECK(content(sk::assistant(text))[0]["citations"].size() == 1);
  CHECK_FALSE(content(sk::assistant(text))[0].contains("x"));
  CHECK_FALSE(content(made_by(sk::assistant(text), "openai-responses"))[0].contains("citations"));
  CHECK_FALSE(content(sk::assistant(text), sk::Provider::openai_chat)[0].contains("citations"));
}

TEST_CASE("an error result holds text only for Anthropic: its images follow the results") {
  sk::ToolResult failed{"a", "read", {sk::Text{"boom"}, sk::Image{"image/png", sk::Base64{png}}}, true};
  auto const log = context({sk::user("q"), sk::assistant(call("a"), call("b")),
                            sk::tool_results({failed, {"b", "read", {sk::Text{"B"}}}}), sk::user("words")});
  Json const blocks = sent(log)[2]["content"];
  REQUIRE(blocks.size() == 5);
  CHECK(blocks[0]["content"][0]["text"] == "boom");
  CHECK(blocks[0]["content"][1]["text"] == "[an image, see below]");
  CHECK(blocks[2]["text"] == "[images of the tool results above]");
  CHECK(blocks[3]["source"]["data"] == png);
  CHECK(blocks[4]["text"] == "words");
}

TEST_CASE("images are repaired: wrapped or unpadded base64, data addresses, media types") {
  auto const one = [](sk::Image image) {
    return content(sk::user(std::move(image)))[0].value("source", Json());
  };
  Json const whole{{"type", "base64"}, {"media_type", "image/png"}, {"data", png}};
  CHECK(one({"IMAGE/PNG", sk::Base64{png}}) == whole);
  CHECK(one({"image/png; charset=binary", sk::Base64{"iVBORw0KGgoA\r\nAAANSUhEUg"}}) == whole);
  CHECK(one({"", sk::Base64{"data:image/PNG;base64," + png}}) == whole);
  CHECK(one({"image/png", sk::Url{"data:image/png;base64," + png}}) == whole);
  CHECK(one({"image/jpeg", sk::Base64{png}}) == whole); // the bytes say what it is
  CHECK(one({"image/png", sk::Base64{"iVBOR!"}}) == Json());
  CHECK(one({"", sk::Url{"https://a/b.png"}})["url"] == "https://a/b.png");
  CHECK(one({"", sk::Url{"http://a/b.png"}}) == Json()); // Anthropic fetches by https alone
  CHECK(content(sk::user(sk::Image{"", sk::Url{"http://a/b.png"}}),
                sk::Provider::openai_chat)[0]["image_url"]["url"]
        == "http://a/b.png");
}

TEST_CASE("of arguments that repeat a key the last is sent") {
  auto const log =
      context({sk::user("q"), sk::assistant(call("a", R"({"a":1,"b":[{"x":1,"y":2,"x":3}],"\u0061":4})")),
               sk::user("r")});
  sk::Target target;
  CHECK_THAT(sk::encode(sk::HistoryRebuilder(target).rebuild(log), target).messages,
             sessionkit_test::contains(R"("input":{"b":[{"y":2,"x":3}],"\u0061":4})"));
}

TEST_CASE("a text without words that Gemini signed goes back to it, but not alone") {
  sk::Text const end{"", "QUJD"};
  CHECK(content(sk::assistant("said", end), sk::Provider::gemini)[1]
        == Json{{"text", ""}, {"thoughtSignature", "QUJD"}});
  CHECK(content(sk::assistant("said", end)).size() == 1);
  CHECK(sent(context({sk::user("q"), sk::assistant(end), sk::user("r")}), sk::Provider::gemini).size() == 1);
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

TEST_CASE("OpenAI's chat takes 128 calls in a message: more are several messages, each with its results") {
  sk::Message many = sk::assistant("go");
  std::vector<sk::ToolResult> results;
  for (int i = 0; i < 300; ++i) {
    many.parts.emplace_back(call("c" + std::to_string(i)));
    results.push_back({"c" + std::to_string(i), "read", {sk::Text{"r"}}});
  }
  Json const messages =
      sent(context({sk::user("q"), many, sk::tool_results(results)}), sk::Provider::openai_chat);
  CHECK(sessionkit_test::openai::check(messages).empty());
  CHECK(messages.size() == 1 + 3 + 300);
  CHECK(messages[1]["tool_calls"].size() == 128);
  CHECK(messages[130]["tool_calls"].size() == 128);
  CHECK(messages[259]["tool_calls"].size() == 44);
}
