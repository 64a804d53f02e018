// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
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

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  CHECK(at == text.size());
  return lines;
}

/// A log of these lines, as a file of them would give it.
sk::Log log_of(std::vector<std::string> const& lines, sk::Dialect const& dialect) {
  sk::Log log;
  std::size_t end = 0;
  for (std::string const& line : lines) {
    end += line.size();
    std::deque<std::string> scratch;
    sk::RecordView view;
    REQUIRE(dialect.head(line, view, scratch));
    std::string const derived = "@" + std::to_string(end++);
    if (view.id.empty()) view.id = derived;
    log.entries.push_back(dialect.decode(view).value());
  }
  return log;
}
sk::Log log_of(std::string const& text, sk::Dialect const& dialect) {
  return log_of(lines_of(text), dialect);
}

sk::Converted convert(sk::Log const& log, sk::Dialect const& from, sk::Dialect const& to) {
  return sk::convert_log(log, from, to, sid("named")).value();
}

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
  auto const start = log_of(std::vector<std::string>{header_line("x"), message_line("a", "", "user", "hi"),
                                                     message_line("b", "a", "user", "again")},
                            native);
  sk::Log log = start;
  sk::Dialect const* from = &native;
  for (sk::Dialect const* to : {&flat, &panel, &flat, &native, &panel, &native}) {
    auto const step = convert(log, *from, *to);
    CHECK(step.unsaid.empty());
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

TEST_CASE("a native log is written anew with all its branches") {
  auto const log = log_of(std::vector<std::string>{header_line("x"), message_line("a", "", "user", "1"),
                                                   message_line("b", "a", "user", "2"),
                                                   message_line("c", "a", "user", "3")},
                          native);
  auto const again = log_of(convert(log, native, native).text, native);
  CHECK(ids_of(again.entries) == ids_of(log.entries));
  CHECK(again.entries[3].parent.str() == "a");

  auto const line = convert(log, native, flat);
  REQUIRE(line.unsaid.size() == 1);
  CHECK(line.unsaid[0].entry.str() == "b");
  CHECK_THAT(line.unsaid[0].what, contains("branch"));
  CHECK(lines_of(line.text).size() == 3);
}

TEST_CASE("a compaction that keeps by id becomes one that writes again, and back") {
  std::vector<std::string> lines{header_line("x"),
                                 message_line("a", "", "user", "1"),
                                 message_line("b", "a", "user", "2"),
                                 message_line("c", "b", "user", "3"),
                                 compaction_line("k", "c", "S", "b"),
                                 message_line("d", "k", "user", "4"),
                                 compaction_line("l", "d", "T", "d"),
                                 message_line("e", "l", "user", "5")};
  auto const to_panel = convert(log_of(lines, native), native, panel);
  CHECK(to_panel.unsaid.empty());
  auto const written = lines_of(to_panel.text);
  REQUIRE(written.size() == 4 + 3 + 1 + 2 + 1);
  CHECK(json::parse(written[4])["firstKeptEntryId"] == "turn-1");
  CHECK(json::parse(written[8])["firstKeptEntryId"] == "turn-2"); // of 2 and 3 again, and 4
  CHECK(texts(store_of("s", lines)) == std::vector<std::string>{"4", "5"});

  auto const back = convert(log_of(to_panel.text, panel), panel, native);
  CHECK(back.unsaid.empty());
  auto const back_lines = lines_of(back.text);
  CHECK(back_lines.size() == lines.size());
  CHECK(texts(store_of("s", back_lines)) == std::vector<std::string>{"4", "5"});
  auto const info = store_of("s", back_lines)->info(sid("s")).value();
  CHECK(info.messages == 5);
}

TEST_CASE("a panel compaction with another label keeps what follows, in pi's words too") {
  std::vector<std::string> const lines{
      panel_header, panel_line("user", "old"),
      R"({"type":"compaction","summary":"S","firstKeptEntryId":"generation-9","tokensBefore":7,"timestamp":5})",
      panel_line("user", "new")};
  auto const written = lines_of(convert(log_of(lines, panel), panel, native).text);
  REQUIRE(written.size() == 4);
  auto const compaction = json::parse(written[2]);
  CHECK(compaction["firstKeptEntryId"] == compaction["id"]); // none of that name stands before it
  CHECK(texts(store_of("s", written)) == std::vector<std::string>{"new"});
}

TEST_CASE("what differs from what should stand again is new, and nothing is doubled in flat") {
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
  CHECK(said == std::vector<std::string>{"a", "b", "c", "not c"});
  REQUIRE(to_flat.unsaid.size() == 1);
  CHECK_THAT(to_flat.unsaid[0].what, contains("compaction"));
}

TEST_CASE("what a dialect cannot say is listed, and the rest of the message stays") {
  sk::Log log = log_of(std::vector<std::string>{header_line("x")}, native);
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
  REQUIRE(to_flat.unsaid.size() == 3); // damage, reasoning, the unknown line
  CHECK_THAT(to_flat.unsaid[0].what, contains("offset 10"));
  CHECK(to_flat.unsaid[1].entry.str() == "m");
  CHECK(to_flat.unsaid[2].entry.str() == "u");
  auto const flat_lines = lines_of(to_flat.text);
  REQUIRE(flat_lines.size() == 3);
  CHECK(json::parse(flat_lines[1])["signature"] == "sig");
  CHECK(json::parse(flat_lines[2])["generation"]["usage"]["input"] == 7);

  auto const to_panel = convert(log, native, panel);
  REQUIRE(to_panel.unsaid.size() == 3);
  auto const content = json::parse(lines_of(to_panel.text).at(1))["message"]["content"];
  CHECK(content
        == json::parse(
            R"([{"type":"text","text":"said"},{"type":"tool_use","id":"t","name":"n","input":{}}])"));
}

TEST_CASE("strangers among the members go along unless they would mean something") {
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
  REQUIRE(converted.unsaid.size() == 1);
  CHECK_THAT(converted.unsaid[0].what, contains("\"id\""));
}

TEST_CASE("results learn the names of their tools where pi wants them") {
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

TEST_CASE("the later variant of claw0's lines is no target") {
  auto const log = log_of(std::vector<std::string>{header_line("x")}, native);
  CHECK(sk::convert_log(log, native, sk::flat_v2_dialect(), sid("x")).error().code == sk::Errc::unsupported);
}

TEST_CASE("a text behind a call is listed where calls and texts are stored apart") {
  std::string const call = R"({"type":"toolCall","id":"t","name":"read","arguments":{}})",
                    text = R"({"type":"text","text":"words"})";
  auto const log_with = [&](std::string const& content) {
    return log_of(
        std::vector<std::string>{
            header_line("x"), message_line("u", "", "user", "go"),
            R"({"type":"message","id":"a","parentId":"u","message":{"role":"assistant","content":[)" + content
                + "]}}"},
        native);
  };
  for (std::string const& content : {call + "," + text, text + "," + call + "," + text}) {
    auto const log = log_with(content);
    for (auto const& apart : {convert(log, native, flat), sk::export_blades(log, sid("x"))}) {
      REQUIRE(apart.unsaid.size() == 1);
      CHECK(apart.unsaid[0].entry.str() == "a");
      CHECK_THAT(apart.unsaid[0].what, contains("order"));
    }
    CHECK(convert(log, native, panel).unsaid.empty());
    CHECK(convert(log, native, native).unsaid.empty());
  }
  for (std::string const& content : {text + "," + call, call + "," + call, text + "," + text, call}) {
    CHECK(convert(log_with(content), native, flat).unsaid.empty());
    CHECK(sk::export_blades(log_with(content), sid("x")).unsaid.empty());
  }
}
