// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/dialect.hpp>

#include <nlohmann/json.hpp>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::Dialect const& native = sk::native_dialect();

sk::Entry decoded(std::string const& line) {
  std::deque<std::string> scratch;
  sk::RecordView view;
  REQUIRE(native.head(line, view, scratch));
  return native.decode(view).value();
}
json encoded(sk::Entry const& entry) {
  std::string line;
  native.encode(entry, line).value();
  REQUIRE(line.find('\n') == std::string::npos);
  return json::parse(line);
}
sk::Entry entry_of(sk::EntryBody body) {
  sk::Entry entry;
  entry.id = sk::EntryId("e1");
  entry.link = sk::Parent::entry;
  entry.parent = sk::EntryId("p1");
  entry.at = sk::from_unix_ms(1762156801807);
  entry.body = std::move(body);
  return entry;
}

}

TEST_CASE("a head is read without the rest of the line, and its escapes are decoded") {
  std::deque<std::string> scratch;
  sk::RecordView view;
  REQUIRE(native.head(R"({"type":"message","id":"a","parentId":"b","message":{"torn)", view, scratch));
  CHECK(view.type == "message");
  CHECK(view.id == "a");
  CHECK(view.parent == "b");
  CHECK(view.link == sk::Parent::entry);
  REQUIRE(native.head(R"({"parentId":null,"x":{"id":"inner"},"id":"\u0061\"\\","type":"custom"})", view,
                      scratch));
  CHECK(view.id == "a\"\\");
  CHECK(view.link == sk::Parent::root);
  REQUIRE(native.head(R"({"type":"message","message":{}})", view, scratch));
  CHECK(view.id.empty());
  CHECK(view.link == sk::Parent::previous);
  CHECK_FALSE(native.head(R"({"type":"message","id":"a","paren)", view, scratch));
  CHECK_FALSE(native.head("[1]", view, scratch));
}

TEST_CASE("a first line is recognised as native by its session header") {
  CHECK(native.detect(log_header("x")));
  CHECK_FALSE(native.detect(R"({"type":"session","version":3,"agentId":"a","createdAt":1})"));
  CHECK_FALSE(native.detect(R"({"role":"user","content":"x"})"));
  CHECK(sk::find_dialect("native") == &native);
  CHECK(sk::find_dialect("klingon") == nullptr);
}

TEST_CASE("an assistant line gives parts, generation and every other member") {
  auto const entry = decoded(
      R"({"type":"message","id":"a","parentId":"b","timestamp":"2025-11-03T08:00:01.947Z","message":{"role":"assistant","content":[)"
      R"({"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"thinking","thinking":"","thinkingSignature":"enc","redacted":true},)"
      R"({"type":"text","text":"Use \u00e9 \ud83d\ude00","textSignature":"t"},{"type":"toolCall","id":"c1","name":"read","arguments":{"n":1e21},"thoughtSignature":"g"},)"
      R"({"type":"hologram","depth":3}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"total":0.1}},)"
      R"("stopReason":"toolUse","timestamp":5,"responseId":"r1","diagnostics":[]},"extra":{"a":1}})");
  auto const& message = std::get<sk::Message>(entry.body);
  REQUIRE(message.parts.size() == 5);
  CHECK(std::get<sk::Thinking>(message.parts[0]).signature == "s");
  CHECK(std::get<sk::Thinking>(message.parts[1]).redacted);
  CHECK(std::get<sk::Text>(message.parts[2]).text == "Use \xC3\xA9 \xF0\x9F\x98\x80");
  CHECK(std::get<sk::ToolUse>(message.parts[3]).input.str() == R"({"n":1e21})");
  CHECK(std::get<sk::Opaque>(message.parts[4]).type == "hologram");
  REQUIRE(message.generation);
  CHECK(message.generation->request_id == "r1");
  CHECK(message.generation->usage->cache_read == 3);
  CHECK(message.generation->stop == sk::StopReason::tool_use);
  CHECK(json::parse(message.metadata.str()).contains("diagnostics"));
  CHECK(entry.extra.str() == R"({"extra":{"a":1}})");
  CHECK(sk::to_rfc3339(entry.at) == "2025-11-03T08:00:01.947Z");
}

TEST_CASE("native entries that were read are written with the same members and values") {
  for (
      std::string const& line :
      {log_header("x"), message_line("a", "", "user", "hi"), compaction_line("k", "a", "sum", "a"),
       std::string(
           R"({"type":"message","id":"t","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}],"details":{"x":1},"isError":true,"timestamp":1}})"),
       std::string(
           R"({"type":"message","id":"u","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"bare \ud83d","timestamp":1}})"),
       std::string(
           R"({"type":"label","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","targetId":"a"})"),
       std::string(
           R"({"type":"session_info","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","name":"N"})"),
       std::string(
           R"({"type":"branch_summary","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","fromId":"a","summary":"s","details":{"d":[]},"fromHook":true})"),
       std::string(
           R"({"type":"custom","customType":"x","data":{"k":12345678901234567890},"id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z"})"),
       std::string(
           R"({"type":"custom_message","customType":"x","content":[{"type":"text","text":"t"}],"display":false,"id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z"})"),
       std::string(
           R"({"type":"thinking_level_change","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","thinkingLevel":"off"})"),
       std::string(
           R"({"type":"model_change","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","provider":"p","modelId":"m"})"),
       std::string(
           R"({"type":"future","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","data":[1,2.50]})")}) {
    std::string written;
    native.encode(decoded(line), written).value();
    CAPTURE(line, written);
    // nlohmann does not handle lone surrogates: compare them as text.
    auto const plain = [](std::string text) {
      for (auto at = text.find("\\ud83d"); at != std::string::npos; at = text.find("\\ud83d"))
        text.replace(at, 6, "LONE");
      return json::parse(text);
    };
    CHECK(plain(written) == plain(line));
  }
}

TEST_CASE("what a custom message says about its display is kept byte for byte") {
  auto const line = [](std::string const& display) {
    return R"({"type":"custom_message","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","customType":"x","content":[{"type":"text","text":"t"}])"
           + (display.empty() ? std::string{} : R"(,"display":)" + display) + '}';
  };
  for (std::string const& display :
       {std::string("true"), std::string("false"), std::string("null"), std::string("7"),
        std::string(R"({"banner":"info", "size":1.50,"n":12345678901234567890,"\u0061":"\ud83d"})")}) {
    auto const entry = decoded(line(display));
    CAPTURE(display);
    CHECK(entry.as<sk::CustomMessage>()->display.str() == display);
    CHECK(entry.as<sk::CustomMessage>()->is_shown() == (display != "false" && display != "null"));
    CHECK(entry.extra.is_null());
    std::string written;
    native.encode(entry, written).value();
    CHECK(written == line(display));
  }
  CHECK(decoded(line("")).as<sk::CustomMessage>()->is_shown());
  CHECK(encoded(entry_of(sk::CustomMessage{"x"}))["display"] == true);
}

TEST_CASE("messages of other roles become the text that pi would send to the model") {
  auto const said = [](std::string const& message) {
    return decoded(
        R"({"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":)"
        + message + "}");
  };
  auto const text = [](sk::Entry const& entry) {
    return std::get<sk::Text>(entry.as<sk::CustomMessage>()->content.at(0)).text;
  };
  CHECK(
      text(said(
          R"({"role":"bashExecution","command":"ls","output":"a\nb","exitCode":0,"cancelled":false,"truncated":false})"))
      == "Ran `ls`\n```\na\nb\n```");
  CHECK(text(said(R"({"role":"bashExecution","command":"ls","output":"","exitCode":2})"))
        == "Ran `ls`\n(no output)\n\nCommand exited with code 2");
  CHECK(
      text(said(
          R"({"role":"bashExecution","command":"x","output":"o","cancelled":true,"truncated":true,"fullOutputPath":"/f"})"))
      == "Ran `x`\n```\no\n```\n\n(command cancelled)\n\n[Output truncated. Full output: /f]");
  CHECK_FALSE(said(R"({"role":"bashExecution","command":"x","output":"o","excludeFromContext":true})")
                  .as<sk::CustomMessage>()
                  ->in_context);
  CHECK(said(R"({"role":"hookMessage","customType":"h","content":"c"})").as<sk::CustomMessage>()->type
        == "h");
  CHECK(said(R"({"role":"futureRole","content":"?"})").as<sk::Unknown>());
  CHECK(said("17").as<sk::Unknown>());
}

TEST_CASE("every assistant line has the members that pi reads without checking") {
  auto const line = encoded(entry_of(sk::assistant("x", sk::ToolUse{"c", "n", sk::RawJson::from("{}")})));
  auto const& message = line["message"];
  CHECK(line["parentId"] == "p1");
  CHECK(message["content"].is_array());
  CHECK(message["usage"]["cost"]["total"] == 0);
  CHECK(message["usage"]["totalTokens"] == 0);
  CHECK(message["stopReason"] == "toolUse");
  CHECK(message["api"].is_string());
  CHECK(message["timestamp"] == 1762156801807);
  CHECK_FALSE(decoded(line.dump()).as<sk::Message>()->generation->usage);
}

TEST_CASE("state keeps the type and spelling of its values") {
  sk::StateChange change;
  change.set = {
      {"i", sk::RawJson::from("1")}, {"d", sk::RawJson::from("1.0")}, {"n", sk::RawJson::from("null")}};
  change.removed = {"old \"key\""};
  std::string line;
  native.encode(entry_of(change), line).value();
  auto const back = decoded(line);
  REQUIRE(back.as<sk::StateChange>());
  CHECK(back.as<sk::StateChange>()->set[1].second.str() == "1.0");
  CHECK(back.as<sk::StateChange>()->removed == change.removed);
}

TEST_CASE("an entry that native lines cannot represent is unsupported and leaves the text unchanged") {
  std::string line = "before\n";
  auto const two = sk::tool_results({{"a", "f", {}}, {"b", "f", {}}});
  CHECK(native.encode(entry_of(two), line).error().code == sk::Errc::unsupported);
  CHECK(native.encode(entry_of(sk::ModelChange{"p", "m", "high"}), line).error().code
        == sk::Errc::unsupported);
  CHECK(line == "before\n");
}

TEST_CASE("a tool message without a result is refused for being empty, not for holding too much") {
  std::string line;
  auto const written = native.encode(entry_of(sk::tool_results({})), line);
  REQUIRE_FALSE(written);
  CHECK(written.error().code == sk::Errc::unsupported);
  CHECK(written.error().message.find("holds nothing") != std::string::npos);
  CHECK(written.error().message.find("exactly one") == std::string::npos);
  CHECK(line.empty());
}

TEST_CASE("invalid UTF-8 becomes U+FFFD when it is written, and a lone surrogate stays unchanged") {
  std::string line;
  native.encode(entry_of(sk::user("bad \xFF end \xED\xA0\xBD")), line).value();
  CHECK(line.find("bad \xEF\xBF\xBD end \\ud83d") != std::string::npos);
  CHECK(decoded(line).as<sk::Message>()->text() == "bad \xEF\xBF\xBD end \xED\xA0\xBD");
}

TEST_CASE("an incomplete object is corrupt, with the offset") {
  std::deque<std::string> scratch;
  sk::RecordView view;
  std::string const torn = R"({"type":"message","id":"a","parentId":null,"mess)";
  REQUIRE(native.head(torn, view, scratch));
  auto const result = native.decode(view);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == sk::Errc::corrupt);
  std::string const deep = R"({"type":"custom","id":"a","parentId":null,"data":)" + std::string(200, '[')
                           + std::string(200, ']') + "}";
  REQUIRE(native.head(deep, view, scratch));
  CHECK(native.decode(view).error().message.find("deeper than 128") != std::string::npos);
}
