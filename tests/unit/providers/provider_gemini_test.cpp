// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/gemini_checks.hpp"

#include <sessionkit/provider.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sessionkit_test::Json;

namespace {

sk::Target gemini(std::string model = {}) {
  sk::Target target;
  target.provider = sk::Provider::gemini;
  target.model = std::move(model);
  return target;
}

// The request for a log with these messages, and the applied rules.
struct Sent {
  Json contents;
  std::vector<std::string> rules;
};
Sent sent(std::vector<sk::Message> messages, sk::Target const& target = gemini()) {
  sk::Context context;
  for (sk::Message& message : messages) {
    sk::Entry entry;
    entry.body = std::move(message);
    context.entries.push_back(std::move(entry));
  }
  sk::History const history = sk::HistoryRebuilder(target).rebuild(context);
  Sent made{Json::parse(sk::encode(history, target).messages), {}};
  for (sk::Repair const& repair : history.report) made.rules.emplace_back(repair.rule);
  bool const old = target.model.substr(0, 8) == "gemini-2";
  CHECK(sessionkit_test::gemini::check(made.contents, {old, target.images, true}).empty());
  return made;
}
using Rules = std::vector<std::string>;

sk::ToolUse call(std::string id, std::string name = "read", std::string signature = "QUJD") {
  return {std::move(id), std::move(name), sk::RawJson::from(R"({ "n" : 1.0 })"), std::move(signature)};
}
sk::Image const picture{"image/png", sk::Base64{"QUJD"}};
sk::Image const heic{"image/heic", sk::Base64{"QUJD"}};

sk::Message made_by(sk::Message message, std::string api, std::string model) {
  message.generation = sk::Generation{};
  message.generation->api = std::move(api);
  message.generation->model = std::move(model);
  return message;
}

}

TEST_CASE("Gemini's contents are written byte for byte as documented") {
  sk::History history;
  history.messages = {
      sk::user("q \"1\"", picture, sk::Image{"image/jpeg", sk::Url{"https://a/b.jpg"}}),
      sk::assistant(sk::Thinking{"hm", "QUJD"}, sk::Text{"look", "REVG"}, call("a"), call("b", "write", "")),
      sk::tool_results(
          {{"a", "other", {sk::Text{"A"}, picture}}, {"b", "", {sk::Text{"B"}, sk::Text{"C"}}, true}}),
      sk::user("go on"), sk::assistant("done")};
  history.sources.resize(history.messages.size());
  history.system = "be \"brief\"";
  auto const parts = sk::encode(history, gemini());
  CHECK(parts.messages
        == R"([{"role":"user","parts":[{"text":"q \"1\""},)"
           R"({"inlineData":{"mimeType":"image/png","data":"QUJD"}},)"
           R"({"fileData":{"mimeType":"image/jpeg","fileUri":"https://a/b.jpg"}}]},)"
           R"({"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"QUJD"},)"
           R"({"text":"look","thoughtSignature":"REVG"},)"
           R"({"functionCall":{"name":"read","args":{ "n" : 1.0 }},"thoughtSignature":"QUJD"},)"
           R"({"functionCall":{"name":"write","args":{ "n" : 1.0 }}}]},)"
           R"({"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"A"},)"
           R"("parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]}},)"
           R"({"functionResponse":{"name":"write","response":{"error":["B","C"]}}}]},)"
           R"({"role":"user","parts":[{"text":"go on"}]},{"role":"model","parts":[{"text":"done"}]}])");
  CHECK(parts.system == R"({"parts":[{"text":"be \"brief\""}]})");
  CHECK(sk::encode({}, gemini()).system == "null");
  CHECK(sk::request_members(sk::Provider::gemini).system == "systemInstruction");
  CHECK(sk::request_members(sk::Provider::gemini).messages == "contents");
}

TEST_CASE("the first call of each step is signed, with the documented word if another model made it") {
  std::vector<sk::Message> const log{
      sk::user("q"), sk::assistant(call("a", "read", ""), call("b", "write", "")),
      sk::tool_results({{"a", "", {sk::Text{"A"}}}, {"b", "", {sk::Text{"B"}}}}),
      made_by(sk::assistant("then", call("c")), "anthropic-messages", "claude"),
      sk::tool_results({{"c", "", {sk::Text{"C"}}}})};
  auto const made = sent(log);
  CHECK(made.rules == Rules{"foreign_signature", "missing_signature", "missing_signature"});
  CHECK(made.contents[1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator");
  CHECK_FALSE(made.contents[1]["parts"][1].contains("thoughtSignature"));
  CHECK(made.contents[3]["parts"][1]["thoughtSignature"] == "skip_thought_signature_validator");
  for (char const* const model : {"gemini-2.5-pro", "models/gemini-2.0-flash", "gemini-live-2.5-flash"}) {
    CAPTURE(model);
    sk::Target const target = gemini(model);
    sk::Context context;
    context.entries.resize(2);
    context.entries[0].body = log[0];
    context.entries[1].body = log[1];
    for (sk::Repair const& repair : sk::HistoryRebuilder(target).rebuild(context).report)
      CHECK(repair.rule != "missing_signature");
  }
}

TEST_CASE("if no model is named, the model that made the call decides whether it must be signed") {
  auto const made_with = [](char const* model) {
    sk::Context context;
    context.entries.resize(2);
    context.entries[0].body = sk::user("q");
    context.entries[1].body = made_by(sk::assistant(call("a", "read", "")), "google-generative-ai", model);
    Rules rules;
    for (sk::Repair const& repair : sk::HistoryRebuilder(gemini()).rebuild(context).report)
      rules.emplace_back(repair.rule);
    return rules;
  };
  CHECK(made_with("gemini-2.5-pro") == Rules{"missing_result"});
  CHECK(made_with("gemini-3-pro-preview") == Rules{"missing_result", "missing_signature"});
}

TEST_CASE("signatures are sent only to the model and the host that made them") {
  auto const signed_by = [](char const* api, char const* model, sk::Target const& target) {
    return sent(
        {sk::user("q"),
         made_by(sk::assistant(sk::Thinking{"hm", "QUJD"}, sk::Text{"t", "QUJD"}, call("a")), api, model),
         sk::tool_results({{"a", "", {sk::Text{"A"}}}})},
        target);
  };
  CHECK(signed_by("google-generative-ai", "gemini-3-pro", gemini("gemini-3-pro")).rules.empty());
  Rules const all{"foreign_thinking", "foreign_signature", "foreign_signature", "missing_signature"};
  CHECK(signed_by("google-generative-ai", "gemini-3-flash", gemini("gemini-3-pro")).rules == all);
  CHECK(signed_by("google-vertex", "gemini-3-pro", gemini("gemini-3-pro")).rules == all);
  sk::Target vertex = gemini("gemini-3-pro");
  vertex.api = "google-vertex";
  CHECK(signed_by("google-vertex", "gemini-3-pro", vertex).rules.empty());
}

TEST_CASE("a signature that is not base64 is not sent to Gemini") {
  for (char const* const bad : {"not base64", "QUJ", "QUJDR", "====", "QU=D", "{}"}) {
    CAPTURE(bad);
    auto const made = sent(
        {sk::user("q"), sk::assistant(sk::Thinking{"hm", bad}, sk::Text{"t", bad}, call("a", "read", bad)),
         sk::tool_results({{"a", "", {sk::Text{"A"}}}})});
    CHECK(made.rules
          == Rules{"foreign_thinking", "foreign_signature", "foreign_signature", "missing_signature"});
  }
  CHECK(sent({sk::user("q"), sk::assistant(sk::Text{"t", "Q-_/QUI="})}).rules.empty());
}

TEST_CASE("names of tools begin with a letter, and may have dots and colons") {
  auto const called = [](char const* name) {
    auto const made = sent({sk::user("q"), sk::assistant(call("a", name)),
                            sk::tool_results({{"a", "elsewhere", {sk::Text{"A"}}}})});
    std::string const called_name = made.contents[1]["parts"][0]["functionCall"]["name"];
    CHECK(made.contents[2]["parts"][0]["functionResponse"]["name"] == called_name);
    CHECK(made.rules.empty() == (called_name == name));
    return called_name;
  };
  CHECK(called("mcp.files:read-all_1") == "mcp.files:read-all_1");
  CHECK(called("1st") == "_x31_st");
  CHECK(called("-a") == "_x2D_a");
  CHECK(called("read file") == "read_x20_file");
  CHECK(called("") == "unnamed");
  auto const cut = called(std::string(70, 'n').c_str());
  CHECK(cut.size() == 64);
  CHECK(cut.substr(0, 54) == std::string(54, 'n')); // then a checksum of the whole name
  CHECK(cut != called(std::string(71, 'n').c_str()));
}

TEST_CASE("calls with any ids are answered in their order, also if an id appears twice") {
  auto const made =
      sent({sk::user("q"), sk::assistant(call("x|y z", "one"), call("x|y z", "two", "")),
            sk::tool_results({{"x|y z", "", {sk::Text{"A"}}}, {"x|y z", "", {sk::Text{"B"}}}})});
  Json const& answers = made.contents[2]["parts"];
  REQUIRE(answers.size() == 2);
  CHECK(answers[0]["functionResponse"]["name"] == "one");
  CHECK(answers[1]["functionResponse"]["name"] == "two");
}

TEST_CASE("images of tools are placed within the result, or after all results if the model needs that") {
  auto const seen = [](sk::Target const& target, sk::Image const& image) {
    return sent({sk::user("q"), sk::assistant(call("a"), call("b", "read", "")),
                 sk::tool_results({{"a", "", {image}}, {"b", "", {sk::Text{"B"}}}}), sk::user("well?")},
                target)
        .contents;
  };
  Json const nested = seen(gemini("gemini-3-pro"), picture);
  REQUIRE(nested.size() == 4);
  CHECK(nested[2]["parts"][0]["functionResponse"]["parts"][0]["inlineData"]["data"] == "QUJD");
  Json const behind[] = {seen(gemini("gemini-2.5-pro"), picture), seen(gemini("gemini-3-pro"), heic)};
  for (Json const& contents : behind) {
    REQUIRE(contents.size() == 4);
    CHECK(contents[2]["parts"].size() == 2);
    CHECK(contents[3]["parts"].size() == 3);
    CHECK(contents[3]["parts"][1].contains("inlineData"));
    CHECK(contents[3]["parts"][2]["text"] == "well?");
  }
  auto const going_on = sent({sk::user("q"), sk::assistant(call("a")),
                              sk::tool_results({{"a", "", {picture}}}), sk::assistant("ok")},
                             gemini("gemini-2.5-pro"))
                            .contents;
  REQUIRE(going_on.size() == 5);
  CHECK(going_on[3]["role"] == "user");
}

TEST_CASE("images that the model does not accept are not sent") {
  auto const shown = [](sk::Image image, sk::Target target, sk::Provider provider = sk::Provider::gemini) {
    target.provider = provider;
    sk::Context context;
    context.entries.resize(1);
    context.entries[0].body = sk::user(std::move(image));
    auto const history = sk::HistoryRebuilder(target).rebuild(context);
    auto const* kept = std::get_if<sk::Image>(&history.messages.at(0).parts.at(0));
    CHECK(history.report.size() == ((kept && kept->media_type != "image/jpeg") ? 0U : 1U));
    return kept ? kept->media_type : "not sent";
  };
  CHECK(shown(heic, gemini()) == "image/heic");
  CHECK(shown({"image/gif", sk::Base64{"QUJD"}}, gemini()) == "not sent");
  CHECK(shown({"image/jpg", sk::Base64{"QUJD"}}, gemini()) == "image/jpeg");
  CHECK(shown({"image/png", sk::Base64{"QUJ!"}}, gemini()) == "not sent");
  CHECK(shown({"image/png", sk::Base64{"Q==="}}, gemini()) == "not sent");
  CHECK(shown({"image/png", sk::Url{"https://a/b"}}, gemini()) == "image/png");
  CHECK(shown({"", sk::Url{"https://a/b.png"}}, gemini()) == "not sent");
  CHECK(shown({"image/png", sk::Url{"http://a/b.png"}}, gemini()) == "not sent");
  CHECK(shown(heic, gemini(), sk::Provider::openai_responses) == "not sent");
  CHECK(shown({"", sk::Url{"http://a/b"}}, gemini(), sk::Provider::openai_responses).empty());
  sk::Target blind = gemini();
  blind.images = false;
  for (auto const provider : {sk::Provider::gemini, sk::Provider::anthropic, sk::Provider::native})
    CHECK(shown(picture, blind, provider) == "not sent");
}

TEST_CASE("an empty result stays empty, an error without text gets one") {
  auto const answered = [](std::vector<sk::ToolContent> content, bool error) {
    return sent({sk::user("q"), sk::assistant(call("a")),
                 sk::tool_results({{"a", "", std::move(content), error}})})
        .contents[2]["parts"][0]["functionResponse"]["response"];
  };
  CHECK(answered({}, false) == Json({{"output", ""}}));
  CHECK(answered({}, true) == Json({{"error", "[no output]"}}));
  CHECK(answered({sk::Text{R"({"a":1})"}}, false) == Json({{"output", R"({"a":1})"}}));
}

TEST_CASE(
    "a faithful history for Gemini joins tool messages and leaves out what its contents cannot represent") {
  sk::History history;
  history.messages = {sk::user("q"),
                      sk::assistant(sk::Thinking{"", "x", true}, call("a"), call("b")),
                      sk::tool_results({{"a", "", {sk::Text{"A"}}}}),
                      sk::tool_results({{"b", "", {}}}),
                      sk::user(),
                      sk::assistant(picture),
                      sk::user("r")};
  history.sources.resize(history.messages.size());
  sk::Target target = gemini();
  target.mode = sk::RebuildMode::faithful;
  Json const contents = Json::parse(sk::encode(history, target).messages);
  REQUIRE(contents.size() == 4);
  CHECK(contents[1]["parts"].size() == 2);
  CHECK(contents[2]["parts"].size() == 2);
}

TEST_CASE("the check of Gemini's contents in these tests refuses what the API refuses") {
  auto const content = [](char const* role, std::vector<Json> parts) {
    return Json({{"role", role}, {"parts", std::move(parts)}});
  };
  Json const text{{"text", "t"}};
  Json const use = Json::parse(R"({"functionCall":{"name":"a","args":{}},"thoughtSignature":"QUJD"})");
  Json const unsigned_use = Json::parse(R"({"functionCall":{"name":"a","args":{}}})");
  Json const back = Json::parse(R"({"functionResponse":{"name":"a","response":{"output":""}}})");
  Json const user = content("user", {text}), model = content("model", {text});
  Json const called = content("model", {use}), answered = content("user", {back});
  Json const bad[] = {
      Json::array(),
      Json::array({model, user}),
      Json::array({user, user}),
      Json::array({user, model, model, user}),
      Json::array({content("user", {})}),
      Json::array({content("assistant", {text})}),
      Json::array({content("user", {Json({{"text", " "}})})}),
      Json::array({content("user", {Json({{"text", "a"}, {"type", "text"}})})}),
      Json::array({user, called}),
      Json::array({user, called, user}),
      Json::array({answered}),
      Json::array({user, called, answered, answered}),
      Json::array({user, called, content("user", {back, back})}),
      Json::array({user, called, content("user", {back, text})}),
      Json::array({user, content("model", {unsigned_use}), answered}),
      Json::array({user, content("model", {unsigned_use, use}), content("user", {back, back})}),
      Json::array({content("user", {use})}),
      Json::array({content("user", {Json({{"text", "t"}, {"thoughtSignature", "QUJD"}})})}),
      Json::array(
          {content("user", {Json::parse(R"({"inlineData":{"mimeType":"image/gif","data":"QUJD"}})")})}),
      Json::array({user, called,
                   content("user", {Json::parse(R"({"functionResponse":{"name":"b","response":{}}})")})}),
      Json::array({user, called,
                   content("user", {Json::parse(R"({"functionResponse":{"name":"a","response":"r"}})")})}),
      Json::array({user,
                   content("model", {Json::parse(R"({"functionCall":{"name":"1","args":{}},)"
                                                 R"("thoughtSignature":"QUJD"})")}),
                   content("user", {Json::parse(R"({"functionResponse":{"name":"1","response":{}}})")})})};
  for (Json const& contents : bad) {
    CAPTURE(contents.dump());
    CHECK_FALSE(sessionkit_test::gemini::check(contents, {}).empty());
  }
  CHECK(sessionkit_test::gemini::check(Json::array({user, called, answered, user, model}), {}).empty());
  CHECK_FALSE(sessionkit_test::gemini::check(Json::array({user, model}), {false, true, false}).empty());
}
