// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>

#include <nlohmann/json.hpp>

#include <deque>
#include <map>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

// As the guide's serializer writes it, with the other members of its schema.
constexpr char const* document = R"({
  "id": "0b9f8f5e-7d7a-4c5e-9f43-0d1c9f1f6a01",
  "state": {"__summary_offset__": 12, "ratio": 0.5, "none": null, "name": "x", "list": [1, {"a": 2}], "big": 12345678901234567890},
  "history": [
    {"role": "system", "text": "Be brief.", "timestamp": "2026-01-01T00:00:00Z"},
    {"role": "user", "text": "look", "timestamp": "2026-01-01T00:00:01.123456789+08:00", "metadata": {"trace": "t"}},
    {"role": "assistant", "text": "", "tool_calls": [{"id": "c1", "name": "read", "args": {"p": 1}}], "timestamp": "2026-01-01T00:00:02Z"},
    {"role": "tool", "text": "", "tool_result": {"tool_call_id": "c1", "content": "ok"}, "timestamp": "2026-01-01T00:00:03Z"},
    {"role": "narrator", "text": "meanwhile", "timestamp": "2026-01-01T00:00:03Z"},
    {"role": "assistant", "text": "done", "timestamp": "2026-01-01T00:00:04Z", "odd": 1}
  ],
  "created_at": "2026-01-01T00:00:00Z",
  "updated_at": "2026-01-01T00:00:05Z",
  "version": 1,
  "tenant": "acme"
})";

sk::Errc failure(std::string const& text) { return sk::import_blades(text).error().code; }

}

// The entries of native lines, as a session of a store is read.
static sk::Log read_lines(std::string const& text) {
  auto const& native = sk::native_dialect();
  sk::Log log;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    std::string const line = text.substr(at, end - at);
    std::deque<std::string> unescaped;
    sk::RecordView record;
    REQUIRE(native.head(line, record, unescaped));
    log.entries.push_back(native.decode(record).value());
  }
  return log;
}

TEST_CASE("a blades document becomes entries, with the session's own id") {
  auto const log = sk::import_blades(document).value();
  REQUIRE(log.entries.size() == 8);
  CHECK(std::get<sk::Header>(log.entries[0].body).id == "0b9f8f5e-7d7a-4c5e-9f43-0d1c9f1f6a01");
  CHECK(sk::to_rfc3339(log.entries[0].at) == "2026-01-01T00:00:00.000Z");
  CHECK(std::get<sk::Message>(log.entries[2].body).role == sk::Role::system);
  auto const& user = std::get<sk::Message>(log.entries[3].body);
  CHECK(user.text() == "look");
  CHECK(user.metadata.str() == R"({"trace":"t"})");
  CHECK(sk::to_rfc3339(log.entries[3].at) == "2025-12-31T16:00:01.123Z");
  auto const& call = std::get<sk::ToolUse>(std::get<sk::Message>(log.entries[4].body).parts.at(0));
  CHECK(call.input.str() == R"({"p": 1})");
  CHECK(std::get<sk::Message>(log.entries[4].body).parts.size() == 1);
  auto const& answer = std::get<sk::Message>(log.entries[5].body);
  CHECK(answer.role == sk::Role::tool);
  CHECK(std::get<sk::ToolResult>(answer.parts.at(0)).tool_use_id == "c1");
  CHECK(std::get<sk::Custom>(log.entries[6].body).type == "blades.item");
  CHECK(log.entries[7].extra.str() == R"({"odd":1,"bladesTime":"2026-01-01T00:00:04Z"})");
  for (std::size_t i = 2; i < log.entries.size(); ++i) CHECK(log.entries[i].parent == log.entries[i - 1].id);
}

TEST_CASE("the state of a blades session keeps its types") {
  auto const log = sk::import_blades(document).value();
  std::map<std::string, std::string> state;
  for (auto const& [name, value] : std::get<sk::StateChange>(log.entries.at(1).body).set)
    state[name] = value.str();
  CHECK(state["__summary_offset__"] == "12"); // not 12.0: blades would start again
  CHECK(state["ratio"] == "0.5");
  CHECK(state["none"] == "null");
  CHECK(state["list"] == R"([1, {"a": 2}])");
  CHECK(state["big"] == "12345678901234567890");
}

TEST_CASE("imported data is exported with the same content") {
  auto const log = sk::import_blades(document).value();
  auto const out = sk::export_blades(log, sid("other"));
  CHECK(out.losses.empty());
  json expected = json::parse(document), written = json::parse(out.text);
  CHECK(out.text.back() == '\n');
  CHECK(written["id"] == expected["id"]);
  CHECK(written["state"] == expected["state"]);
  CHECK(written["state"]["__summary_offset__"].is_number_integer());
  CHECK(written["version"] == 1);
  CHECK(written["tenant"] == "acme");
  REQUIRE(written["history"].size() == expected["history"].size());
  for (std::size_t i = 0; i < expected["history"].size(); ++i) {
    CHECK(written["history"][i] == expected["history"][i]); // times to the letter
  }
  CHECK(written["created_at"] == expected["created_at"]);
  CHECK(written["updated_at"] == expected["updated_at"]);

  auto without_state = json::parse(document);
  without_state["state"] = json::object();
  auto const again = sk::export_blades(sk::import_blades(without_state.dump()).value(), sid("other"));
  CHECK(again.losses.empty());
  CHECK(json::parse(again.text)["updated_at"] == expected["updated_at"]);
}

TEST_CASE("the metadata of a result stay as they are, and get no name") {
  std::string const call = R"({"role":"assistant","text":"","tool_calls":[{"id":"c","name":"f","args":{}}],)"
                           R"("timestamp":"2025-11-03T08:00:03.5Z"})";
  auto const& native = sk::native_dialect();
  for (std::string const metadata :
       {"", R"(,"metadata":{"tool_name":"f"})", R"(,"metadata":{"tool_name":"g"})",
        R"(,"metadata":{"x":1,"tool_name":"f"})", R"(,"metadata":{"tool_name":7})",
        R"(,"metadata":{"tool_name":"g","x":1})", R"(,"metadata":{"tool_name":""})",
        R"(,"metadata":{"is_error":false})", R"(,"metadata":{"is_error":true,"tool_name":"f"})",
        R"(,"metadata":{"is_error":"true"})"}) {
    std::string const result = R"({"role":"tool","text":"","tool_result":{"tool_call_id":"c","content":"r"},)"
                               R"("timestamp":"2025-11-03T08:00:04Z")"
                               + metadata + "}";
    for (std::string const& history : {call + "," + result, result + "," + call, result}) {
      CAPTURE(history);
      auto const text = R"({"id":"s","state":{},"history":[)" + history
                        + R"(],"created_at":"2025-11-03T00:00:00Z","updated_at":"2025-11-03T11:30:03.5Z",)"
                          R"("version":1})"
                          "\n";
      auto const log = sk::import_blades(text).value();
      CHECK(json::parse(sk::export_blades(log, sid("s")).text) == json::parse(text));
      auto const lines = sk::convert_log(log, native, native, sid("s")).value();
      CHECK(lines.losses.empty());
      auto const again = sk::export_blades(read_lines(lines.text), sid("s"));
      CHECK(again.losses.empty());
      CHECK(json::parse(again.text) == json::parse(text));
    }
  }
}

TEST_CASE("a document keeps its times to the letter through native lines, and gets no metadata") {
  auto const text = R"({"id":"s","state":{},"history":[)"
                    R"({"role":"user","text":"a","timestamp":"2025-11-03T08:00:01.123456789+08:00"},)"
                    R"({"role":"assistant","text":"b","timestamp":"2025-11-03T08:00:02Z"},)"
                    R"({"role":"assistant","text":"","tool_calls":[{"id":"c","name":"f","args":{}}],)"
                    R"("timestamp":"2025-11-03T08:00:03.5-03:30"}],)"
                    R"("created_at":"2025-11-03T00:00:00.000000001Z","updated_at":"2025-11-03T11:30:03.5Z",)"
                    R"("version":1})";
  auto const& native = sk::native_dialect();
  auto const lines = sk::convert_log(sk::import_blades(text).value(), native, native, sid("s")).value();
  CHECK(lines.losses.empty());
  auto const out = sk::export_blades(read_lines(lines.text), sid("s"));
  CHECK(out.losses.empty());
  CHECK(out.text == std::string(text) + "\n");
}

TEST_CASE("an empty state of a document is no change of state, however it is spelled") {
  for (std::string const state : {"{}", "{ }", "{\n}", "null"})
    CHECK(sk::import_blades(R"({"id":"s","history":[],"version":1,"state":)" + state + "}")
              .value()
              .entries.size()
          == 1);
}

TEST_CASE("data without a place in the document is listed, and data it can hold aside is not") {
  auto log = sk::import_blades(document).value();
  auto const add = [&](std::string const& id, sk::EntryBody body) {
    sk::Entry entry;
    entry.id = sk::EntryId(id);
    entry.link = sk::Parent::entry;
    entry.parent = log.entries.back().id;
    entry.at = sk::from_unix_ms(1767225610000);
    entry.body = std::move(body);
    log.entries.push_back(std::move(entry));
  };
  sk::Message answer =
      sk::assistant(sk::Thinking{"hm", "s"}, "a", "b", sk::Image{"image/png", sk::Base64{"QQ=="}});
  answer.generation = sk::Generation{};
  answer.generation->model = "m";
  add("t", answer);
  add("r", sk::tool_results({{"c9", "grep", {sk::Text{"no"}}, true}}));
  add("k", sk::Compaction{"s"});
  add("s1",
      sk::StateChange{{{"name", sk::RawJson::from("1")}, {"new", sk::RawJson::from("true")}}, {"list"}});
  add("s2", sk::StateChange{{{"list", sk::RawJson::from("[]")}}, {"ratio"}});
  auto const out = sk::export_blades(log, sid("x"));
  std::vector<std::string> left_out;
  for (auto const& loss : out.losses) left_out.push_back(loss.entry.str());
  CHECK(left_out
        == std::vector<std::string>{"t", "t", "t", "k"}); // reasoning, image, joined texts, compaction
  auto const written = json::parse(out.text);
  auto const& history = written["history"];
  CHECK(history[6]["text"] == "a\nb");
  CHECK(history[6]["metadata"]["generation"]["model"] == "m");
  CHECK(history[7]["metadata"]["is_error"] == true);
  CHECK(written["state"]["name"] == 1);
  CHECK(written["state"]["list"] == json::array());
  CHECK_FALSE(written["state"].contains("ratio"));
  CHECK(written["updated_at"] == "2026-01-01T00:00:10.000Z");

  auto const again = sk::import_blades(out.text).value();
  CHECK(std::get<sk::Message>(again.entries.at(8).body).generation->model == "m");
  CHECK(std::get<sk::ToolResult>(std::get<sk::Message>(again.entries.at(9).body).parts.at(0)).is_error);
  CHECK(std::get<sk::ToolResult>(std::get<sk::Message>(again.entries.at(9).body).parts.at(0)).tool_name
        == "grep");
}

TEST_CASE("an imported session can be converted to any dialect") {
  auto const log = sk::import_blades(document).value();
  auto const native = sk::convert_log(log, sk::native_dialect(), sk::native_dialect(), sid("x")).value();
  CHECK(native.losses.empty());
  CHECK(std::count(native.text.begin(), native.text.end(), '\n') == 8); // no newline from the document
  auto const flat = sk::convert_log(log, sk::native_dialect(), sk::flat_dialect(), sid("x")).value();
  CHECK(flat.losses.size() == 3); // state, the system text, the unknown role
}

TEST_CASE("files that are not a blades session of version 1 are distinguished") {
  CHECK(failure("") == sk::Errc::corrupt);
  CHECK(failure("[]") == sk::Errc::corrupt);
  CHECK(failure(R"({"id":"x"})") == sk::Errc::corrupt);
  CHECK(failure(R"({"id":"x","history":{}})") == sk::Errc::corrupt);
  CHECK(failure(R"({"id":"x","history":[],"version":2})") == sk::Errc::unsupported_version);
  CHECK(sk::import_blades(R"({"history":[7,{}]})").value().entries.size() == 3);
  CHECK(sk::import_blades("{\"history\":[]}\n").value().entries.size() == 1);
}

TEST_CASE("a blades document is recognised by its members, complete or cut off") {
  std::string const text = document;
  CHECK(sk::is_blades(text));
  CHECK(sk::is_blades("\xEF\xBB\xBF\n " + text + "\n\n"));
  CHECK(sk::is_blades(json::parse(text).dump()));
  CHECK(sk::is_blades(R"({"history":[]})"));
  std::size_t const enough = text.find("\"state\": {") + 10;
  for (std::size_t i = 0; i < text.size(); ++i) {
    INFO(i);
    CHECK(sk::is_blades(text.substr(0, i)) == (i >= enough));
  }
  auto const sorted = json::parse(text).dump(2); // `history` before `state`
  CHECK(sk::is_blades(sorted.substr(0, sorted.find("\"history\": [") + 12)));
}

TEST_CASE("lines and other JSON are not taken for blades documents") {
  auto const line = json::parse(document).dump();
  for (std::string const& text :
       {std::string{}, std::string("hello"), std::string("[]"), std::string("{}"), std::string("{"),
        std::string(R"({"name":"x","version":"1"})"), std::string(R"({"history":{}})"),
        std::string(R"({"state":{}})"), std::string(R"([{"history":[]}])"),
        std::string(R"({"x":{"history":[]}})"), line + "\n" + line, line + "\n" + log_header("x"),
        log_header("x"), log_header("x") + "\n" + message_line("a", "", "user", "\\\"history\\\":["),
        std::string(R"({"type":"session","history":[],"state":{}})"),
        std::string(R"({"type":"session","state":{"a":)")}) {
    INFO(text);
    CHECK_FALSE(sk::is_blades(text));
  }
}

TEST_CASE("a byte order mark does not prevent reading a blades document") {
  CHECK(sk::import_blades(std::string("\xEF\xBB\xBF") + document).value().entries.size() == 8);
}

namespace {

/// The document's history with one item after a round trip, and what was listed.
struct Around {
  json item;
  std::vector<sk::Loss> losses;
};
Around around(std::string const& item, std::string const& state = "{}") {
  auto const log =
      sk::import_blades(R"({"id":"x","state":)" + state + R"(,"history":[)" + item + "]}").value();
  auto const out = sk::export_blades(log, sid("x"));
  auto const history = json::parse(out.text)["history"];
  return {history.empty() ? json() : history[0], out.losses};
}

}

TEST_CASE("a tool's answer in blades reaches the model whatever its type") {
  for (std::string const content : {R"({"answer":42})", R"(["a",1])", "7", "true"}) {
    auto const log =
        sk::import_blades(R"({"history":[{"role":"tool","tool_result":{"tool_call_id":"c","content":)"
                          + content + R"(,"took":3},"bar":2}]})")
            .value();
    auto const& result = std::get<sk::ToolResult>(std::get<sk::Message>(log.entries.at(1).body).parts.at(0));
    REQUIRE(result.content.size() == 1);
    CHECK(std::get<sk::Text>(result.content[0]).text == content);
    auto const written = json::parse(sk::export_blades(log, sid("x")).text)["history"][0];
    CHECK(written["tool_result"]["took"] == 3);
    CHECK(written["bar"] == 2);
  }
}

TEST_CASE("everything in a blades document comes back from native, or is listed") {
  for (std::string const item :
       {R"({"role":"user","text":"","tool_calls":[],"metadata":{"keep":"me"}})",
        R"({"role":"user","text":"q","tool_calls":[ ]})",
        R"({"role":"assistant","text":"","tool_calls":[{"id":"c","name":"n","args":{},"thought":"T"}]})",
        R"({"role":"wizard","text":"magic","type":"session","id":"mine"})",
        R"({"role":"tool","text":"only"})",
        R"({"role":"user","text":"x","metadata":{"generation":{"mine":1}}})"}) {
    auto const log = sk::import_blades(R"({"id":"x","history":[)" + item + "]}").value();
    auto const native = sk::convert_log(log, sk::native_dialect(), sk::native_dialect(), sid("x")).value();
    CAPTURE(item, native.text);
    CHECK(native.losses.empty());
    auto const back = around(item);
    CHECK(back.losses.empty());
    auto expected = json::parse(item), written = back.item;
    expected.erase("timestamp"), written.erase("timestamp");
    if (expected["tool_calls"].empty()) expected.erase("tool_calls");
    CHECK(written == expected);
  }
  for (std::string const item : {R"("bare")", "5", R"({"role":"user","text":{"a":1}})",
                                 R"({"role":"user","text":"x","tool_calls":{"a":1}})",
                                 R"({"role":"user","text":"x","tool_calls":["s"]})",
                                 R"({"role":"user","text":"x","timestamp":"then"})"}) {
    CAPTURE(item);
    CHECK_FALSE(around(item).losses.empty());
    auto const log = sk::import_blades(R"({"id":"x","history":[)" + item + "]}").value();
    auto const native = sk::convert_log(log, sk::native_dialect(), sk::native_dialect(), sid("x")).value();
    bool const kept = native.losses.size() == (item.find("then") == std::string::npos ? 0 : 1);
    CHECK(kept);
  }
  CHECK(around(R"({"role":"user","text":"x"})", "[1]").losses.size() == 1);
  auto const numbers = around(R"({"role":"assistant","tool_calls":[{"id":5,"name":7,"args":{}}]})");
  CHECK(numbers.item["tool_calls"][0]["id"] == "5");
}

TEST_CASE("blades can load the arguments of every call") {
  for (std::string const args : {"[1,2]", "\"str\"", "7"}) {
    auto const back =
        around(R"({"role":"assistant","tool_calls":[{"id":"c","name":"n","args":)" + args + "}]}");
    CHECK(back.item["tool_calls"][0]["args"] == json{{"input", json::parse(args)}});
    REQUIRE(back.losses.size() == 1);
    CHECK_THAT(back.losses[0].what, contains("arguments"));
  }
  auto const none = around(R"({"role":"assistant","tool_calls":[{"id":"c","name":"n","args":null}]})");
  CHECK(none.losses.empty());
  CHECK(none.item["tool_calls"][0]["args"] == json::object());
  CHECK(
      around(R"({"role":"assistant","tool_calls":[{"id":"c","name":"n","args":{"n":1e999}}]})").losses.size()
      == 1);
}

TEST_CASE("the texts of a result stay separate in blades' single text, without the blank ones") {
  sk::Log log = sk::import_blades(R"({"history":[]})").value();
  sk::Entry entry;
  entry.body = sk::tool_results({{"c", "", {sk::Text{" "}, sk::Text{"one"}, sk::Text{""}, sk::Text{"two"}}}});
  log.entries.push_back(entry);
  auto const out = sk::export_blades(log, sid("x"));
  CHECK(json::parse(out.text)["history"][0]["tool_result"]["content"] == "one\ntwo");
  CHECK(out.losses.size() == 1);
}

TEST_CASE("a blades document that is not UTF-8 is refused, not silently corrected") {
  CHECK(failure("{\"history\":[{\"role\":\"user\",\"text\":\"\xff\"}]}") == sk::Errc::corrupt);
}

TEST_CASE("the content of a result that is no text comes back as it was") {
  auto const& native = sk::native_dialect();
  for (std::string const content :
       {R"({"answer": 42})", R"(["a",1])", "7", "true", R"("{\"a\":1}")", R"("7")"})
    for (std::string const beside : {"", R"("text":"and",)"}) {
      std::string const item = R"({"role":"tool",)" + beside
                               + R"("tool_result":{"tool_call_id":"c","content":)" + content
                               + R"(},"timestamp":"2025-11-03T08:00:04Z"})";
      CAPTURE(item);
      auto const log = sk::import_blades(R"({"id":"s","history":[)" + item + "]}").value();
      auto const lines = sk::convert_log(log, native, native, sid("s")).value();
      for (auto const& source : {log, read_lines(lines.text)}) {
        auto const out = sk::export_blades(source, sid("s"));
        CHECK(out.losses.empty());
        CHECK(json::parse(out.text)["history"][0]["tool_result"]["content"] == json::parse(content));
        CHECK_FALSE(contains("bladesJsonResult").match(out.text));
      }
    }
}

TEST_CASE("a changed result is the text that it became") {
  auto log =
      sk::import_blades(
          R"({"id":"s","history":[{"role":"tool","tool_result":{"tool_call_id":"c","content":{"a":1}}}]})")
          .value();
  auto& message = std::get<sk::Message>(log.entries.at(1).body);
  std::get<sk::ToolResult>(message.parts.at(0)).content = {sk::Text{"shortened"}};
  CHECK(json::parse(sk::export_blades(log, sid("s")).text)["history"][0]["tool_result"]["content"]
        == "shortened");
}
