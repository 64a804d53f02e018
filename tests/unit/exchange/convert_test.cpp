// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/converted.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/convert.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

std::vector<std::string> texts(std::shared_ptr<sk::SessionStore> const& store) {
  std::vector<std::string> all;
  for (sk::Entry const& entry : sk::load_context(*store, sid("s")).value().entries)
    if (auto const* message = entry.as<sk::Message>()) all.push_back(message->text());
  return all;
}

sk::Dialect const& native = sk::native_dialect();
sk::Dialect const& flat = sk::flat_dialect();
sk::Dialect const& panel = sk::panel_dialect();

std::string panel_line(std::string const& role, std::string const& text) {
  return R"({"type":"message","message":{"role":")" + role + R"(","content":")" + text
         + R"("},"timestamp":5})";
}
constexpr char const* panel_header = R"({"type":"session","version":3,"agentId":"main","createdAt":1})";

}

TEST_CASE("plain conversations go through every dialect and come back with the same words") {
  auto const start = log_of(std::vector<std::string>{log_header("x"), message_line("a", "", "user", "hi"),
                                                     message_line("b", "a", "user", "again")},
                            native);
  sk::Log log = start;
  sk::Dialect const* from = &native;
  for (sk::Dialect const* to : {&flat, &panel, &flat, &native, &panel, &native}) {
    auto const step = convert(log, *from, *to);
    CHECK(step.losses.empty());
    log = log_of(step.text, *to);
    from = to;
  }
  REQUIRE(log.entries.size() == 3);
  CHECK(std::get<sk::Header>(log.entries[0].body).id == "x");
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(std::get<sk::Message>(log.entries[i].body).text()
          == std::get<sk::Message>(start.entries[i].body).text());
    CHECK(log.entries[i].at == start.entries[i].at);
  }
  CHECK(log.entries[1].link == sk::Parent::root);
  CHECK(log.entries[2].parent == log.entries[1].id);
}

TEST_CASE("a native log is converted with all its branches") {
  auto const log = log_of(std::vector<std::string>{log_header("x"), message_line("a", "", "user", "1"),
                                                   message_line("b", "a", "user", "2"),
                                                   message_line("c", "a", "user", "3")},
                          native);
  auto const again = log_of(convert(log, native, native).text, native);
  CHECK(ids_of(again.entries) == ids_of(log.entries));
  CHECK(again.entries[3].parent.str() == "a");

  auto const line = convert(log, native, flat);
  REQUIRE(line.losses.size() == 1);
  CHECK(line.losses[0].entry.str() == "b");
  CHECK_THAT(line.losses[0].what, contains("branch"));
  CHECK(lines_of(line.text).size() == 3);
}

TEST_CASE("a compaction that keeps by id becomes one that copies the messages, and back") {
  std::vector<std::string> lines{log_header("x"),
                                 message_line("a", "", "user", "1"),
                                 message_line("b", "a", "user", "2"),
                                 message_line("c", "b", "user", "3"),
                                 compaction_line("k", "c", "S", "b"),
                                 message_line("d", "k", "user", "4"),
                                 compaction_line("l", "d", "T", "d"),
                                 message_line("e", "l", "user", "5")};
  auto const to_panel = convert(log_of(lines, native), native, panel);
  CHECK(to_panel.losses.empty());
  auto const written = lines_of(to_panel.text);
  REQUIRE(written.size() == 4 + 3 + 1 + 2 + 1);
  CHECK(json::parse(written[4])["firstKeptEntryId"] == "turn-1");
  CHECK(json::parse(written[8])["firstKeptEntryId"] == "turn-2"); // of 2 and 3 again, and 4
  CHECK(texts(store_of("s", lines)) == std::vector<std::string>{"4", "5"});

  auto const back = convert(log_of(to_panel.text, panel), panel, native);
  CHECK(back.losses.empty());
  auto const back_lines = lines_of(back.text);
  CHECK(back_lines.size() == lines.size());
  CHECK(texts(store_of("s", back_lines)) == std::vector<std::string>{"4", "5"});
  auto const info = store_of("s", back_lines)->info(sid("s")).value();
  CHECK(info.messages == 5);
}

TEST_CASE("messages that a panel compaction wrote again have the spelling of their times again") {
  auto const line = [](std::string const& type, std::string const& rest, std::string const& time) {
    return R"({"type":")" + type + R"(",)" + rest + R"(,"timestamp":)" + time + "}";
  };
  auto const user = [](std::string const& text) {
    return R"("message":{"role":"user","content":")" + text + R"("})";
  };
  std::vector<std::string> const lines{
      R"({"type":"session","version":3,"id":"x","agentId":"a","createdAt":1})",
      line("message", user("1"), "1767225601000"),
      line("message", user("2"), "1767225602000.5"),
      line("message", user("3"), R"("2026-01-01T00:00:03.123456Z")"),
      line("compaction", R"("summary":"S","firstKeptEntryId":"turn-1","tokensBefore":7,"keptAgain":2)",
           "1767225609000"),
      line("message", R"("keptAgain":1,)" + user("2"), "1767225602000.5"),
      line("message", R"("keptAgain":1,)" + user("3"), R"("2026-01-01T00:00:03.123456Z")"),
      line("message", user("4"), "1767225610000")};
  sk::Log log = log_of(lines, panel);
  log.lines = lines;
  sk::Converted const there = convert(log, panel, native);
  CHECK(there.losses.empty());
  auto const back = lines_of(convert(log_of(there.text, native), native, panel).text);
  REQUIRE(back.size() == lines.size());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    CAPTURE(i, back[i]);
    std::string const time = lines[i].substr(lines[i].find("\"timestamp"));
    CHECK(back[i].find(time.substr(0, time.size() - 1)) != std::string::npos);
  }
}

TEST_CASE("a panel compaction with another label keeps the lines after it, in pi's form too") {
  std::vector<std::string> const lines{
      panel_header, panel_line("user", "old"),
      R"({"type":"compaction","summary":"S","firstKeptEntryId":"generation-9","tokensBefore":7,"timestamp":5})",
      panel_line("user", "new")};
  auto const written = lines_of(convert(log_of(lines, panel), panel, native).text);
  REQUIRE(written.size() == 4);
  auto const compaction = json::parse(written[2]);
  CHECK(compaction["firstKeptEntryId"] == compaction["id"]); // no entry of that id is before it
  CHECK(texts(store_of("s", written)) == std::vector<std::string>{"new"});
}

TEST_CASE("if not all copies are present, all of them are new messages") {
  std::vector<std::string> const lines{
      panel_header,
      panel_line("user", "a"),
      panel_line("user", "b"),
      panel_line("user", "c"),
      R"({"type":"compaction","summary":"S","firstKeptEntryId":"turn-1","timestamp":5})",
      panel_line("user", "b"),
      panel_line("user", "not c")};
  auto const to_flat = convert(log_of(lines, panel), panel, flat);
  std::vector<std::string> said;
  for (auto const& line : lines_of(to_flat.text))
    if (auto const parsed = json::parse(line); parsed["type"] == "user") said.push_back(parsed["content"]);
  CHECK(said == std::vector<std::string>{"a", "b", "c", "b", "not c"});
  REQUIRE(to_flat.losses.size() == 1);
  CHECK_THAT(to_flat.losses[0].what, contains("compaction"));
}

TEST_CASE("data that a dialect cannot represent is listed, and the rest of the message stays") {
  sk::Log log = log_of(std::vector<std::string>{log_header("x")}, native);
  sk::Entry entry;
  entry.id = sk::EntryId("m");
  entry.link = sk::Parent::root;
  entry.body = sk::assistant(sk::Thinking{"hm"}, sk::Text{"said", "sig"},
                             sk::ToolUse{"t", "n", sk::RawJson::from("{}"), "proof"});
  std::get<sk::Message>(entry.body).generation = sk::Generation{};
  std::get<sk::Message>(entry.body).generation->usage = sk::Usage{7, 0, 0, 0};
  log.entries.push_back(entry);
  entry.id = sk::EntryId("u");
  entry.link = sk::Parent::entry, entry.parent = sk::EntryId("m");
  entry.body = sk::Unknown{"hologram", sk::RawJson::from(R"({"type":"hologram"})")};
  log.entries.push_back(entry);
  log.damage.push_back({10, 20, sk::DamageKind::bad_json, "torn"});

  auto const to_flat = convert(log, native, flat);
  REQUIRE(to_flat.losses.size() == 3); // damage, reasoning, the unknown line
  CHECK_THAT(to_flat.losses[0].what, contains("offset 10"));
  CHECK(to_flat.losses[1].entry.str() == "m");
  CHECK(to_flat.losses[2].entry.str() == "u");
  auto const flat_lines = lines_of(to_flat.text);
  REQUIRE(flat_lines.size() == 3);
  CHECK(json::parse(flat_lines[1])["signature"] == "sig");
  CHECK(json::parse(flat_lines[2])["generation"]["usage"]["input"] == 7);

  auto const to_panel = convert(log, native, panel);
  REQUIRE(to_panel.losses.size() == 3);
  auto const content = json::parse(lines_of(to_panel.text).at(1))["message"]["content"];
  CHECK(content
        == json::parse(
            R"([{"type":"text","text":"said"},{"type":"tool_use","id":"t","name":"n","input":{}}])"));
}

TEST_CASE("unknown members are converted unless they mean something in the target") {
  auto const log = log_of(
      std::vector<std::string>{
          R"({"type":"user","content":"x","ts":"2025-01-01T00:00:00.000Z","mood":[1],"id":"odd"})"},
      flat);
  auto const converted = convert(log, flat, native);
  auto const written = lines_of(converted.text);
  REQUIRE(written.size() == 2);
  CHECK(json::parse(written[0])["id"] == "named"); // the log had no header
  CHECK(json::parse(written[1])["mood"] == json::parse("[1]"));
  CHECK(json::parse(written[1])["id"] == "00000001");
  REQUIRE(converted.losses.size() == 1);
  CHECK_THAT(converted.losses[0].what, contains("\"id\""));
}

TEST_CASE("a header's members that mean something in the target are left out") {
  auto const log = log_of(
      std::vector<std::string>{
          R"({"type":"session","version":3,"id":"x","timestamp":"2025-01-01T00:00:00.000Z","createdAt":5})",
          message_line("a", "", "user", "hi")},
      native);
  for (sk::Dialect const* to : {&flat, &panel}) {
    auto const converted = convert(log, native, *to);
    auto const header = lines_of(converted.text).at(0);
    CHECK(sk::detect_dialect(header) == to);
    CHECK(json::parse(header).value("createdAt", 0LL) != 5);
    REQUIRE(converted.losses.size() == 1);
    CHECK_THAT(converted.losses[0].what, contains("createdAt"));
  }
}

TEST_CASE("parallel results become one message if the reader keeps only one") {
  auto const result = [](char const* id, char const* parent, char const* call, char const* more) {
    return std::string(R"({"type":"message","id":")") + id + R"(","parentId":")" + parent
           + R"(","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"toolResult","toolCallId":")"
           + call + R"(","toolName":"read","content":[{"type":"text","text":")" + call
           + R"("}],"isError":false)" + more + "}}";
  };
  std::vector<std::string> const lines{
      log_header("x"),
      message_line("u", "", "user", "look"),
      R"({"type":"message","id":"c","parentId":"u","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{}},{"type":"toolCall","id":"t2","name":"read","arguments":{}}]}})",
      result("r1", "c", "t1", R"(,"details":1)"),
      R"({"type":"label","id":"l","parentId":"r1","timestamp":"2025-01-01T00:00:02.000Z","targetId":"u","label":"x"})",
      result("r2", "l", "t2", R"(,"details":2)")};
  auto const log = log_of(lines, native);
  auto const converted = convert(log, native, panel);
  auto const written = lines_of(converted.text);
  REQUIRE(written.size() == 4);
  auto const content = json::parse(written[3])["message"]["content"];
  REQUIRE(content.size() == 2);
  CHECK(content[0]["tool_use_id"] == "t1");
  CHECK(content[1]["tool_use_id"] == "t2");
  CHECK(json::parse(written[3])["message"]["details"] == 1);
  REQUIRE(converted.losses.size() == 2); // the label, and the second one's details
  CHECK_THAT(converted.losses[1].what, contains("\"details\""));

  auto later = lines;
  later.back().replace(later.back().find("02.000Z"), 7, "03.000Z");
  auto const lossy = convert(log_of(later, native), native, panel);
  REQUIRE(lossy.losses.size() == 3);
  CHECK_THAT(lossy.losses[1].what, contains("the time of a result"));

  // A compaction that keeps from the second result keeps both, once and in one message.
  auto compacted = lines;
  compacted.push_back(
      R"({"type":"compaction","id":"k","parentId":"r2","timestamp":"2025-01-01T00:00:03.000Z","summary":"s","firstKeptEntryId":"r2","tokensBefore":1})");
  auto const kept = lines_of(convert(log_of(compacted, native), native, panel).text);
  REQUIRE(kept.size() == 6);
  CHECK(json::parse(kept[4])["firstKeptEntryId"] == "turn-2");
  CHECK(json::parse(kept[5])["message"]["content"] == content);
}

TEST_CASE("results get the names of their tools if pi needs them") {
  std::vector<std::string> const lines{
      panel_header,
      R"({"type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"read","input":{}},{"type":"tool_use","id":"b","name":"grep","input":{}}]},"timestamp":5})",
      R"({"type":"message","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"A"},{"type":"tool_result","tool_use_id":"b","content":"B"},{"type":"text","text":"and"}]},"timestamp":5})"};
  auto const written = lines_of(convert(log_of(lines, panel), panel, native).text);
  REQUIRE(written.size() == 5);
  CHECK(json::parse(written[2])["message"]["toolName"] == "read");
  CHECK(json::parse(written[3])["message"]["toolName"] == "grep");
  CHECK(json::parse(written[4])["message"]["role"] == "user");
  CHECK(json::parse(written[4])["parentId"] == json::parse(written[3])["id"]);
}

TEST_CASE("pi's oldest sessions get ids and parents") {
  auto const log = log_of(read_file(data("pi/legacy_v1.jsonl")), native);
  auto const converted = convert(log, native, native);
  auto const written = lines_of(converted.text);
  CHECK(written.size() == log.entries.size());
  std::string before;
  for (std::size_t i = 1; i < written.size(); ++i) {
    auto const line = json::parse(written[i]);
    CHECK(line["parentId"] == (before.empty() ? json() : json(before)));
    before = line["id"].get<std::string>();
    if (line["type"] == "compaction") CHECK(line["firstKeptEntryId"] != "");
  }
}

TEST_CASE("the later variant of claw0's lines cannot be a target") {
  auto const log = log_of(std::vector<std::string>{log_header("x")}, native);
  CHECK(sk::convert_log(log, native, sk::flat_v2_dialect(), sid("x")).error().code == sk::Errc::unsupported);
}

TEST_CASE("a text after a call is listed if calls and texts are stored apart") {
  std::string const call = R"({"type":"toolCall","id":"t","name":"read","arguments":{}})",
                    text = R"({"type":"text","text":"words"})";
  auto const log_with = [&](std::string const& content) {
    return log_of(
        std::vector<std::string>{
            log_header("x"), message_line("u", "", "user", "go"),
            R"({"type":"message","id":"a","parentId":"u","message":{"role":"assistant","content":[)" + content
                + "]}}"},
        native);
  };
  for (std::string const& content : {call + "," + text, text + "," + call + "," + text}) {
    auto const log = log_with(content);
    for (auto const& apart : {convert(log, native, flat), sk::export_blades(log, sid("x"))}) {
      REQUIRE_FALSE(apart.losses.empty());
      CHECK(apart.losses.back().entry.str() == "a");
      CHECK_THAT(apart.losses.back().what, contains("order"));
    }
    CHECK(convert(log, native, panel).losses.empty());
    CHECK(convert(log, native, native).losses.empty());
  }
  for (std::string const& content : {text + "," + call, call + "," + call, text + "," + text, call}) {
    CHECK(convert(log_with(content), native, flat).losses.empty());
    bool const joined = content == text + "," + text;
    CHECK(sk::export_blades(log_with(content), sid("x")).losses.size() == (joined ? 1 : 0));
  }
}

TEST_CASE("a duplicate id loses no entry its parent, and a made id is never one of the log's") {
  struct Case {
    std::vector<std::string> lines, model_sees;
  };
  for (Case const& one : {
           Case{{log_header("x"), message_line("a", "", "user", "first"),
                 message_line("b", "a", "assistant", "abandoned"),
                 message_line("b", "a", "assistant", "second")},
                {"first", "second"}},
           Case{{log_header("x"), message_line("00000001", "", "user", "first"),
                 message_line("00000002", "00000001", "assistant", "A1"),
                 message_line("00000002", "00000002", "user", "again"),
                 message_line("00000003", "00000001", "assistant", "branch")},
                {"first", "branch"}},
           Case{{log_header("x"), message_line("aa", "", "user", "zero"),
                 message_line("aa", "aa", "assistant", "one"), message_line("00000001", "aa", "user", "two"),
                 message_line("bb", "00000001", "assistant", "three")},
                {"zero", "one", "two", "three"}},
       }) {
    REQUIRE(texts(store_of("s", one.lines)) == one.model_sees);
    auto with_lines = log_of(one.lines, native);
    with_lines.lines = one.lines;
    for (sk::Log const& log : {log_of(one.lines, native), with_lines}) {
      auto const converted = convert(log, native, native);
      CHECK(texts(store_of("s", lines_of(converted.text))) == one.model_sees);
      REQUIRE(converted.losses.size() == 1);
      CHECK_THAT(converted.losses[0].what, contains("its id"));
      auto ids = ids_of(log_of(converted.text, native).entries);
      std::sort(ids.begin(), ids.end());
      CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
    }
  }
}

TEST_CASE("a compaction keeps from the nearest entry of that id on its path") {
  std::vector<std::string> const lines{log_header("x"),
                                       message_line("a", "", "user", "1"),
                                       message_line("b", "a", "user", "2"),
                                       message_line("b", "b", "user", "3"),
                                       compaction_line("k", "b", "S", "b"),
                                       message_line("d", "k", "user", "4")};
  std::vector<std::string> const sees{"3", "4"};
  REQUIRE(texts(store_of("s", lines)) == sees);
  auto const log = log_of(lines, native);
  CHECK(texts(store_of("s", lines_of(convert(log, native, native).text))) == sees);
  auto const there = log_of(convert(log, native, panel).text, panel);
  CHECK(texts(store_of("s", lines_of(convert(there, panel, native).text))) == sees);
}

TEST_CASE("lines that keep their ids stay unchanged in their own dialect") {
  std::vector<std::string> const lines{
      log_header("x"),
      R"({ "type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.5Z","message":{"role":"bashExecution","command":"ls","output":"X","exitCode":0,"cancelled":false,"truncated":false,"excludeFromContext":true,"timestamp":5},"odd":"caf\u00e9"})",
      R"({"type":"message","id":"b","parentId":"a","timestamp":"then","message":{"role":"branchSummary","summary":"S","fromId":"q","timestamp":5}})"};
  auto log = log_of(lines, native);
  log.lines = lines;
  auto const converted = convert(log, native, native);
  CHECK(converted.losses.empty());
  CHECK(lines_of(converted.text) == lines);

  log.lines.clear(); // as after an import: pi's text of a command has its shape again
  auto const again = json::parse(lines_of(convert(log, native, native).text).at(1));
  CHECK(again["type"] == "message");
  CHECK(again["message"] == json::parse(lines[1])["message"]);
}

TEST_CASE("bytes that are not UTF-8 and invalid times are listed if a line is written again") {
  std::vector<std::string> const lines{log_header("x"),
                                       "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":"
                                       "\"once\",\"message\":{\"role\":\"user\",\"content\":\"\xff\"}}"};
  auto log = log_of(lines, native);
  log.lines = lines;
  for (auto const& converted : {convert(log, native, flat), sk::export_blades(log, sid("x"))}) {
    REQUIRE(converted.losses.size() == 2);
    CHECK_THAT(converted.losses[0].what, contains("UTF-8"));
    CHECK_THAT(converted.losses[1].what, contains("\"once\""));
    CHECK_THAT(converted.text, contains("\xEF\xBF\xBD"));
  }
  CHECK(convert(log, native, native).losses.empty());
}

TEST_CASE("members of several results are converted, and those that the line itself has are listed") {
  std::vector<std::string> const lines{
      panel_header,
      R"({"type":"message","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"A"},{"type":"tool_result","tool_use_id":"b","content":"B"}],"odd":7,"toolName":"mine"},"timestamp":5})"};
  auto const converted = convert(log_of(lines, panel), panel, native);
  CHECK(json::parse(lines_of(converted.text).at(1))["message"]["odd"] == 7);
  REQUIRE(converted.losses.size() == 1);
  CHECK_THAT(converted.losses[0].what, contains("toolName"));
}

TEST_CASE("a part's member with a name that the library writes itself is listed if it cannot be converted") {
  std::string const text =
      R"({"type":"session","version":3,"id":"s","createdAt":1735689600000})"
      "\n"
      R"({"type":"message","message":{"role":"user","content":"go"},"timestamp":1735689601000})"
      "\n"
      R"({"type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":5,"name":"n","input":{}}]},"timestamp":1735689602000})"
      "\n";
  sk::Converted const made = convert(log_of(text, panel), panel, native);
  CHECK(std::any_of(made.losses.begin(), made.losses.end(),
                    [](auto const& loss) { return loss.what.find("\"id\"") != std::string::npos; }));
}

TEST_CASE("a line that readers would skip for its length is listed, and not written") {
  std::string const separators = [] {
    std::string text;
    for (int i = 0; i < 12 << 20; ++i) text += "\xE2\x80\xA8"; // three bytes each, escaped six
    return text;
  }();
  auto const log = log_of(
      {log_header("x"), message_line("a", "", "user", separators), message_line("b", "a", "user", "short")},
      native);
  auto const converted = convert(log, native, flat);
  CHECK(lines_of(converted.text).size() == 2);
  REQUIRE(converted.losses.size() == 1);
  CHECK(converted.losses[0].entry == sk::EntryId("a"));
  CHECK_THAT(converted.losses[0].what, contains("readers skip what is longer than 67108864"));
}
