// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/server_target.hpp"

#include <sessionkit/answer.hpp>
#include <sessionkit/divergence.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using Json = nlohmann::ordered_json;
using sessionkit_test::target_of;

namespace {

sk::Context context(std::vector<sk::Message> messages) {
  sk::Context made;
  for (sk::Message& message : messages) {
    sk::Entry entry;
    entry.id = sk::EntryId("e" + std::to_string(made.entries.size()));
    entry.body = std::move(message);
    made.entries.push_back(std::move(entry));
  }
  return made;
}

sk::ToolUse call(std::string id, std::string name = "read") {
  return {std::move(id), std::move(name), sk::RawJson::from("{}")};
}

Json messages(sk::Context const& from, sk::Target const& target) {
  return Json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(from), target).messages);
}
Json messages(sk::Context const& from, sk::ServerRules const& server) {
  return messages(from, target_of(server));
}

std::string roles(Json const& all) {
  std::string text;
  for (Json const& message : all) text += message["role"].get<std::string>().substr(0, 1);
  return text;
}

sk::Image image(std::string type = "image/png", std::string data = "iVBORw0KGgoA") {
  return {std::move(type), sk::Base64{std::move(data)}};
}

}

TEST_CASE("the guide's request for a server") {
  sk::Context const log = context({sk::user("hi")});
  // [server]
  sk::Target target;
  target.provider = sk::Provider::openai_chat;
  target.server = sk::servers::deepseek; // or *sk::find_server("deepseek")
  auto const request = sk::encode(sk::HistoryRebuilder(target).rebuild(log), target);
  // [server]
  CHECK(request.messages == R"([{"role":"user","content":"hi"}])");
  // [names]
  CHECK(sk::sent_tool_name(target, "mcp.read") == "mcp_x2E_read");
  CHECK(sk::host_tool_name(target, "mcp_x2E_read") == "mcp.read");
  // [names]
}

TEST_CASE("a server is found by its name") {
  auto const names = sk::server_names();
  CHECK(names
        == std::vector<std::string_view>{"openai", "azure", "deepseek", "mistral", "groq", "llama_cpp",
                                         "vllm", "ollama"});
  for (auto const name : names) {
    REQUIRE(sk::find_server(name));
    CHECK(sk::find_server(name)->name == name);
  }
  CHECK(sk::find_server("llama-cpp")->name == "llama_cpp");
  CHECK(sk::find_server("deepsee") == nullptr);
  CHECK(sk::Target{}.server.name == "openai");
}

TEST_CASE("text_content: content is a string, and several texts have an empty line between them") {
  sk::Target target = target_of(sk::servers::azure);
  target.system = "be brief";
  target.images = false;
  sk::Context const log = context({sk::user("a \"b\""), sk::user("c"), sk::assistant("let me", call("k")),
                                   sk::tool_result(call("k"), "A"), sk::assistant("so"), sk::user("d")});
  Json const sent = messages(log, target);
  CHECK(roles(sent) == "suatau");
  CHECK(sent[0]["content"] == "be brief");
  CHECK(sent[1]["content"] == "a \"b\"\n\nc");
  CHECK(sent[2]["content"] == "let me");
  CHECK(sent[3]["content"] == "A");
  CHECK(sent[4]["content"] == "so");
}

TEST_CASE("text_content: where the model reads images, content of the user stays an array") {
  sk::Context const log = context({sk::user("a"), sk::assistant("b"), sk::user("what is this?", image())});
  Json const sent = messages(log, sk::servers::groq);
  CHECK(sent[0]["content"][0]["text"] == "a");
  CHECK(sent[1]["content"] == "b");
  CHECK(sent[2]["content"][1]["type"] == "image_url");
}

TEST_CASE("text_content: the output of a tool is one string, and its images follow it") {
  sk::Message result = sk::tool_results(
      {{"k", "read", {sk::Text{"A"}, sk::Text{"B"}}, false}, {"l", "read", {image()}, false}});
  sk::Context const log = context({sk::user("q"), sk::assistant(call("k"), call("l")), result});
  Json const sent = messages(log, sk::servers::ollama);
  CHECK(roles(sent) == "uattu");
  CHECK(sent[2]["content"] == "A\n\nB");
  CHECK(sent[3]["content"] == "[an image, see below]");
  CHECK(sent[4]["content"][1]["type"] == "image_url");
}

TEST_CASE("a text that is joined to a string extends the request") {
  sk::Target target = target_of(sk::servers::deepseek);
  auto const request = [&](std::vector<sk::Message> said) {
    return sk::encode(sk::HistoryRebuilder(target).rebuild(context(std::move(said))), target);
  };
  auto const one = request({sk::user("say \"a\"")}), two = request({sk::user("say \"a\""), sk::user("b")});
  CHECK(sk::compare_requests(one, two) == sk::RequestRelation::later_extends);
  CHECK(sk::compare_requests(two, one) == sk::RequestRelation::earlier_extends);
  CHECK(sk::compare_requests(one, request({sk::user("say \"a\""), sk::assistant("b")}))
        == sk::RequestRelation::later_extends);
  CHECK(sk::compare_requests(one, request({sk::user("say \"a\" again")})) == sk::RequestRelation::differ);
}

TEST_CASE("system_role: the system text has another role, or begins the first message of the user") {
  sk::ServerRules rules;
  sk::Context const log = context({sk::user("hi"), sk::assistant("b")});
  for (bool const strings : {false, true}) {
    rules.text_content = strings;
    rules.system_role = sk::SystemRole::developer;
    sk::Target target = target_of(rules);
    target.system = "be brief";
    target.images = false;
    CHECK(messages(log, target)[0]["role"] == "developer");
    target.server.system_role = sk::SystemRole::user;
    Json const sent = messages(log, target);
    CHECK(roles(sent) == "ua");
    if (strings)
      CHECK(sent[0]["content"] == "be brief\n\nhi");
    else
      CHECK(sent[0]["content"][0]["text"] == "be brief");
    Json const alone = messages(context({sk::assistant("b")}), target);
    CHECK(roles(alone) == "ua");
  }
}

TEST_CASE("user_first: only some servers demand that the user speaks first") {
  sk::Context const log = context({sk::assistant("welcome"), sk::user("hi")});
  for (auto const name : {"openai", "azure", "mistral", "groq", "ollama"})
    CHECK(roles(messages(log, *sk::find_server(name))) == "au");
  for (auto const name : {"deepseek", "llama_cpp", "vllm"}) {
    sk::Target const target = target_of(*sk::find_server(name));
    sk::History const history = sk::HistoryRebuilder(target).rebuild(log);
    CHECK(history.messages.front().text() == "[conversation begins]");
    CHECK(history.report.front().rule == "user_first");
  }
  sk::Target responses;
  responses.provider = sk::Provider::openai_responses;
  CHECK(sk::HistoryRebuilder(responses).rebuild(log).messages.size() == 2);
}

TEST_CASE("user_after_result: an answer is put between a result and the user's words") {
  sk::Message result = sk::tool_result(call("k"), "A");
  result.parts.emplace_back(sk::ToolResult{"l", "read", {image()}, false});
  sk::Context const log = context({sk::user("q"), sk::assistant(call("k"), call("l")), result,
                                   sk::user("stop"), sk::assistant("fine"), sk::user("go on")});
  sk::Target const target = target_of(sk::servers::mistral);
  sk::History const history = sk::HistoryRebuilder(target).rebuild(log);
  Json const sent = messages(log, target);
  CHECK(roles(sent) == "uattauau");
  CHECK(sent[3]["content"][0]["text"] == "[image not sent]");
  CHECK(sent[4]["content"][0]["text"] == "[no answer]");
  CHECK(history.sources[3].empty());
  auto const made = std::find_if(history.report.begin(), history.report.end(),
                                 [](sk::Repair const& each) { return each.rule == "user_after_result"; });
  REQUIRE(made != history.report.end());
  CHECK(made->entry.str() == "e3");
  CHECK(made->after == "[no answer]");
  CHECK_FALSE(made->retroactive);
  CHECK(roles(messages(log, sk::servers::openai)) == "uattuau");
}

TEST_CASE("reasoning_content: reasoning goes back to the model that gave it, and is never missing") {
  sk::Message thought = sk::assistant(sk::Thinking{"hm"}, sk::Thinking{"so"}, call("k"));
  thought.generation = sk::Generation{};
  thought.generation->model = "deepseek-v4";
  sk::Message foreign = sk::assistant(sk::Thinking{"I am another", "sig"}, "done");
  foreign.generation = sk::Generation{};
  foreign.generation->api = "anthropic-messages";
  sk::Context const log =
      context({sk::user("q"), thought, sk::tool_result(call("k"), "A"), foreign, sk::user("r")});
  sk::Target target = target_of(sk::servers::deepseek);
  target.model = "deepseek-v4";
  Json const sent = messages(log, target);
  CHECK(sent[1]["reasoning_content"] == "hm\n\nso");
  CHECK(sent[3]["reasoning_content"] == "");
  CHECK(sent[3]["content"] == "done");
  target.model = "deepseek-v5";
  CHECK(messages(log, target)[1]["reasoning_content"] == "");
  CHECK_FALSE(messages(log, sk::servers::openai)[1].contains("reasoning_content"));
}

TEST_CASE("reasoning_content: an answer of DeepSeek goes back as it came") {
  std::string const body =
      R"({"id":"1","model":"deepseek-v4-pro","choices":[{"index":0,"finish_reason":"tool_calls","message":)"
      R"({"role":"assistant","content":"Let me see.","reasoning_content":"I need the date.","tool_calls":)"
      R"([{"index":0,"id":"call_00_a","type":"function","function":{"name":"get_date","arguments":"{}"}}]}}]})";
  sk::Message const answer = sk::decode_response(sk::Provider::openai_chat, body).value();
  sk::Context const log =
      context({sk::user("q"), answer, sk::tool_result(*answer.tool_uses().front(), "Tuesday")});
  sk::Target target = target_of(sk::servers::deepseek);
  target.model = "deepseek-v4-pro";
  Json sent = messages(log, target)[1], given = Json::parse(body)["choices"][0]["message"];
  given["tool_calls"][0].erase("index");
  CHECK(nlohmann::json(sent) == nlohmann::json(given));
}

TEST_CASE("max_calls: further calls follow in messages of their own") {
  sk::Message results =
      sk::tool_results({{"a", "read", {sk::Text{"A"}}, false}, {"b", "read", {sk::Text{"B"}}, false}});
  sk::Context const log = context({sk::user("q"), sk::assistant("two", call("a"), call("b")), results});
  Json const sent = messages(log, sk::servers::vllm);
  CHECK(roles(sent) == "uatat");
  CHECK(sent[1]["content"] == "two");
  CHECK(sent[1]["tool_calls"].size() == 1);
  CHECK(sent[2]["tool_call_id"] == "a");
  CHECK(sent[3]["tool_calls"][0]["id"] == "b");
  sk::ServerRules none;
  none.max_calls = 0;
  CHECK(roles(messages(log, none)) == "uatat");
}

TEST_CASE("id_length: ids are letters and digits of one length, different for different calls") {
  sk::Context const log = context({sk::user("q"), sk::assistant(call("call_1"), call("abcDEF123"), call("")),
                                   sk::tool_result(call("call_1"), "A"), sk::user("r"),
                                   sk::assistant(call("call_1")), sk::tool_result(call("call_1"), "B")});
  Json const sent = messages(log, sk::servers::mistral);
  std::vector<std::string> ids;
  for (Json const& message : sent)
    for (Json const& each : message.value("tool_calls", Json::array())) ids.push_back(each["id"]);
  REQUIRE(ids.size() == 3);
  CHECK(ids[1] == "abcDEF123");
  for (std::string const& id : ids) {
    CHECK(id.size() == 9);
    CHECK(std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) != 0; }));
  }
  CHECK(ids[0] != ids[2]);
  CHECK(sent[2]["tool_call_id"] == ids[0]);
}

TEST_CASE("images: a server may take none, or only those within the request") {
  sk::Context const log = context({sk::user(image(), image("image/gif", "R0lGODlhAAAA"),
                                            sk::Image{"image/png", sk::Url{"https://example.com/a.png"}})});
  auto const kinds = [&](sk::ServerRules const& server) {
    std::string text;
    Json const sent = messages(log, server);
    for (Json const& part : sent[0]["content"])
      text += part["type"] == "text" ? part["text"].get<std::string>() : "i";
    return text;
  };
  CHECK(kinds(sk::servers::openai) == "iii");
  CHECK(kinds(sk::servers::ollama) == "i[image not sent][image not sent]");
  CHECK(messages(log, sk::servers::deepseek)[0]["content"]
        == "[image not sent]\n\n[image not sent]\n\n[image not sent]");
}

TEST_CASE("files: OpenAI's own parts become markers for other servers") {
  sk::Message said = sk::user("look");
  said.parts.emplace_back(sk::Opaque{
      "file",
      sk::RawJson::from(
          R"({"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,QUJD"}})")});
  sk::Context const log = context({said});
  CHECK(messages(log, sk::servers::openai)[0]["content"][1]["type"] == "file");
  CHECK(messages(log, sk::servers::mistral)[0]["content"][1]["text"] == "[file not sent]");
}

TEST_CASE("rules of servers do not concern other providers, nor what another program would send") {
  sk::Context const log =
      context({sk::assistant(sk::Thinking{"hm"}, "welcome", call("call_1", "mcp.read")),
               sk::tool_result(call("call_1", "mcp.read"), "A"), sk::user("hi", image())});
  for (sk::Provider const provider : {sk::Provider::anthropic, sk::Provider::openai_responses,
                                      sk::Provider::gemini, sk::Provider::native}) {
    sk::Target plain, server = target_of(sk::servers::deepseek);
    plain.provider = server.provider = provider;
    CHECK(messages(log, plain) == messages(log, server));
  }
  sk::Target plain = target_of(sk::ServerRules{}), server = target_of(sk::servers::mistral);
  plain.mode = server.mode = sk::RebuildMode::faithful;
  CHECK(messages(log, plain) == messages(log, server));
}
