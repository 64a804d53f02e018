// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/sent_messages.hpp"

#include <string>
#include <utility>

namespace sk = sessionkit;
using sessionkit_test::call;
using sessionkit_test::content;
using sessionkit_test::context_of;
using sessionkit_test::Json;
using sessionkit_test::sent;

namespace {

sk::Opaque block(std::string body) {
  sk::RawJson made = sk::RawJson::from(body);
  Json const read = Json::parse(body);
  return {read.value("type", ""), std::move(made)};
}
sk::Message made_by(sk::Message message, std::string api) {
  message.generation = sk::Generation{};
  message.generation->api = std::move(api);
  return message;
}

std::string const pdf =
    R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}})";
std::string const searched =
    R"({"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}})";
std::string const found = R"({"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]})";

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
  auto const log = context_of({sk::user("q"), sk::assistant(call("a")),
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
  auto const log = context_of({sk::user("q"), sk::assistant(block(web), "x"), sk::user("r")});
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
