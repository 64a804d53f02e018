// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"
#include "support/provider_checks.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <nlohmann/json.hpp>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::Dialect const& panel = sk::panel_dialect();

constexpr char const* panel_header =
    R"({"type":"session","version":3,"agentId":"main","createdAt":1708300000000})";

std::string panel_line(std::string const& role, std::string const& text) {
  return R"({"type":"message","message":{"role":")" + role + R"(","content":")" + text
         + R"("},"timestamp":1708300001000})";
}

sk::Entry decoded(std::string const& line) {
  std::deque<std::string> scratch;
  sk::RecordView view;
  REQUIRE(panel.head(line, view, scratch));
  return panel.decode(view).value();
}

sk::Entry entry_of(sk::EntryBody body) {
  sk::Entry entry;
  entry.at = sk::from_unix_ms(1708300001000);
  entry.body = std::move(body);
  return entry;
}

json encoded(sk::Entry const& entry) {
  std::string line;
  panel.encode(entry, line).value();
  return json::parse(line);
}

sk::Errc refusal(sk::EntryBody body) {
  std::string out = "{}\n";
  auto const answer = panel.encode(entry_of(std::move(body)), out);
  REQUIRE_FALSE(answer.ok());
  CHECK(out == "{}\n");
  return answer.error().code;
}

struct PanelFile {
  TempDir folder;
  std::string path = folder / "ses-1708300000000.jsonl";
  explicit PanelFile(std::vector<std::string> const& lines) {
    std::string bytes;
    for (std::string const& line : lines) bytes += line + "\n";
    write_file(path, bytes);
  }
  sk::Session open() {
    sk::SessionOptions options;
    options.clock = [] { return sk::from_unix_ms(1708300002000); };
    auto store = sk::open_transcript(path).value();
    auto const id = store->list({}).value().sessions.at(0).id;
    return sk::Session::open(store, id, std::move(options)).value();
  }
  std::vector<json> lines() const {
    std::vector<json> all;
    std::string const bytes = read_file(path);
    std::size_t at = 0;
    for (std::size_t end; (end = bytes.find('\n', at)) != std::string::npos; at = end + 1)
      all.push_back(json::parse(bytes.substr(at, end - at)));
    return all;
  }
};

std::vector<std::string> texts_of(sk::Context const& context) {
  std::vector<std::string> texts;
  for (sk::Entry const& entry : context.entries)
    if (auto const* message = entry.as<sk::Message>()) texts.push_back(message->text());
  return texts;
}

}

TEST_CASE("a file is panel if its first line is ai-panel's") {
  auto const name = [](std::string const& line) {
    auto const* found = sk::detect_dialect(line);
    return std::string(found ? found->name : "none");
  };
  CHECK(name(panel_header) == "panel");
  CHECK(name(panel_line("user", "x")) == "panel");
  CHECK(name(R"({"type":"compaction","summary":"s","firstKeptEntryId":"turn-4","timestamp":1})") == "panel");
  CHECK(name(R"({"type":"message","timestamp":"2025-01-01T00:00:00Z","message":{}})")
        == "none"); // pi's version 1
  CHECK(name(message_line("a", "", "user", "x")) == "none");
  CHECK(name(log_header("x")) == "native");
}

TEST_CASE("an unknown member in a header does not change the file's dialect") {
  auto const name = [](std::string const& line) {
    auto const* found = sk::detect_dialect(line);
    return std::string(found ? found->name : "none");
  };
  CHECK(name(R"({"type":"session","version":3,"id":"x","timestamp":"2025-01-01T00:00:00Z","createdAt":5})")
        == "native");
  CHECK(name(R"({"type":"session","id":"f","key":"k","created":"2025-01-01T00:00:00Z","createdAt":5})")
        == "flat");
  CHECK(name(R"({"type":"session","version":3,"agentId":"a","createdAt":5,"id":"x","created":5})")
        == "panel");
  CHECK(name(R"({"type":"session","agentId":"a","createdAt":5,"timestamp":"2025-01-01T00:00:00Z"})")
        == "panel"); // pi would throw away a header without an id
}

TEST_CASE("if a header could belong to several programs, the line after it decides") {
  std::string const both =
      R"({"type":"session","id":"x","agentId":"a","created":"2025-01-01T00:00:00Z","createdAt":5})";
  std::string const nobodys = R"({"type":"session","version":3,"id":"x","createdAt":5})";
  std::string const flat_line = R"({"type":"user","content":"hi","ts":"2025-01-01T00:00:01Z"})";
  struct Case {
    std::string header, line, dialect;
  };
  for (Case const& one :
       {Case{both, flat_line, "flat"}, Case{both, panel_line("user", "hi"), "panel"},
        Case{both, message_line("a", "", "user", "hi"), "native"},
        Case{nobodys, message_line("a", "", "user", "hi"), "native"},
        Case{nobodys, panel_line("user", "hi"), "panel"}, Case{nobodys, flat_line, "flat"}}) {
    CAPTURE(one.header, one.line);
    PanelFile file({one.header, one.line});
    auto const context = file.open().context().value();
    CHECK(context.dialect == one.dialect);
    CHECK(texts_of(context) == std::vector<std::string>{"hi"});
    PanelFile far({one.header, "{\"torn", one.header, "  ", std::string(20000, 'x'), one.line});
    CHECK(far.open().context().value().dialect == one.dialect);
  }
  PanelFile alone({nobodys});
  CHECK(alone.open().context().value().dialect == "panel");
}

TEST_CASE("panel lines become entries, and display-only members are kept apart") {
  auto const header = decoded(panel_header);
  CHECK(std::get<sk::Header>(header.body).agent == "main");
  CHECK(sk::to_unix_ms(header.at) == 1708300000000);

  auto const said = decoded(
      R"({"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"toolCalls":[{"id":"t1","result":"ok"}]},"timestamp":5})");
  auto const& message = std::get<sk::Message>(said.body);
  CHECK(message.text() == "done");
  CHECK(message.tool_uses().empty());
  CHECK(message.metadata.str() == R"({"toolCalls":[{"id":"t1","result":"ok"}]})");

  auto const result = decoded(
      R"({"type":"message","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"timestamp":5})");
  CHECK(std::get<sk::Message>(result.body).role == sk::Role::tool);

  auto const compaction = decoded(
      R"({"type":"compaction","summary":"s","firstKeptEntryId":"generation-7","tokensBefore":9,"tokensAfter":3,"timestamp":5})");
  CHECK(std::get<sk::Compaction>(compaction.body).tokens_before == 9);
  CHECK(std::get<sk::Compaction>(compaction.body).tokens_after == 3U);

  CHECK(decoded(R"({"type":"message","message":{"role":"tool","content":"x"},"timestamp":5})")
            .as<sk::Unknown>());
  CHECK(decoded(R"({"type":"future","x":1})").as<sk::Unknown>());
}

TEST_CASE("panel entries that were read are written with the same members and values") {
  for (
      std::string const& line :
      {std::string(panel_header), panel_line("user", "hi"),
       std::string(
           R"({"type":"message","message":{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}},{"type":"text","text":"see"}]},"timestamp":5})"),
       std::string(R"({"type":"message","message":{"role":"user","content":null},"timestamp":5})"),
       std::string(
           R"({"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"enc"},{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"n","input":{"p":1e21}}],"toolCalls":[]},"timestamp":5,"id":"x"})"),
       std::string(
           R"({"type":"message","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a","is_error":true},{"type":"tool_result","tool_use_id":"u","content":[{"type":"text","text":"b"},{"type":"odd"}]}]},"timestamp":5})"),
       std::string(
           R"({"type":"compaction","summary":"s","firstKeptEntryId":"turn-4","tokensBefore":9,"tokensAfter":3,"timestamp":5})"),
       std::string(
           R"({"type":"compaction","summary":"s","firstKeptEntryId":"","tokensBefore":9,"tokensAfter":2.5,"timestamp":5})"),
       std::string(R"({"type":"future","x":[1,2.50]})")}) {
    CAPTURE(line);
    CHECK(encoded(decoded(line)) == json::parse(line));
  }
}

TEST_CASE("content in panel lines has the form of the Anthropic API") {
  sk::Message message = sk::assistant("a");
  message.generation = sk::Generation{};
  message.generation->model = "m";
  message.generation->stop = sk::StopReason::aborted;
  auto const line = encoded(entry_of(message));
  CHECK(line["message"]["content"] == json::parse(R"([{"type":"text","text":"a"}])"));
  auto const again = decoded(line.dump());
  CHECK(std::get<sk::Message>(again.body).generation->model == "m");
  CHECK(std::get<sk::Message>(again.body).generation->stop == sk::StopReason::aborted);
}

TEST_CASE("a title is a panel line that ai-panel ignores") {
  sk::Entry entry = entry_of(sk::TitleChange{"Plan \"B\"", false});
  auto const line = encoded(entry);
  CHECK(line["type"] == "session_info");
  CHECK(line["name"] == "Plan \"B\"");
  CHECK(line["timestamp"].is_number_integer());
  auto const again = decoded(line.dump());
  CHECK(std::get<sk::TitleChange>(again.body).title == "Plan \"B\"");
  CHECK_FALSE(std::get<sk::TitleChange>(again.body).by_person);
}

TEST_CASE("an entry that panel lines cannot represent is refused and nothing is written") {
  CHECK(refusal(sk::BranchSummary{"s"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::StateChange{}) == sk::Errc::unsupported);
  CHECK(refusal(sk::ArchiveChange{}) == sk::Errc::unsupported);
  CHECK(refusal(sk::Label{sk::EntryId("@1"), "l"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::ModelChange{"p", "m"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::CustomMessage{"c"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::Custom{"c"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::assistant(sk::Text{"a", "signature"})) == sk::Errc::unsupported);
  CHECK(refusal(sk::assistant(sk::Thinking{"unsigned"})) == sk::Errc::unsupported);
  sk::Compaction detailed{"s"};
  detailed.details = sk::RawJson::from("{}");
  CHECK(refusal(detailed) == sk::Errc::unsupported);
  CHECK(refusal(sk::user(sk::ToolUse{"t", "n"})) == sk::Errc::unsupported);
  std::size_t sayable = 0;
  for (std::size_t i = 0; i < std::variant_size_v<sk::EntryBody>; ++i) sayable += panel.can(i) ? 1U : 0U;
  CHECK(sayable == 5); // header, message, compaction, title, unknown
}

TEST_CASE("a label in a panel compaction names nothing: only the lines after it count") {
  PanelFile file({panel_header, panel_line("user", "old"),
                  R"({"type":"compaction","summary":"S","firstKeptEntryId":"msg-11","timestamp":5})",
                  panel_line("user", "new")});
  auto session = file.open();
  auto const context = session.context().value();
  CHECK(context.dialect == "panel");
  REQUIRE(context.compaction);
  CHECK(texts_of(context) == std::vector<std::string>{"new"});
  sk::Target target;
  target.mode = sk::RebuildMode::faithful;
  auto const request = session.request(target).value();
  CHECK(json::parse(request.system) == "S");
  CHECK(json::parse(request.messages) == json::parse(R"([{"role":"user","content":"new"}])"));
  CHECK(sk::TranscriptReader::open(file.path).value().verify().value().empty());
}

TEST_CASE("a summary counts in a valid history without messages after it") {
  PanelFile file({panel_header, panel_line("user", "old"),
                  R"({"type":"compaction","summary":"S","firstKeptEntryId":"turn-1","timestamp":5})"});
  auto session = file.open();
  auto const request = session.request({}).value();
  CHECK_THAT(request.system, contains("S"));
  CHECK(anthropic::check(json::parse(request.messages), true).empty());
}

TEST_CASE("messages kept by a compaction are written again after it and counted once") {
  std::vector<std::string> lines{panel_header};
  for (int i = 1; i <= 3; ++i) {
    lines.push_back(panel_line("user", "u" + std::to_string(i)));
    lines.push_back(panel_line("assistant", "a" + std::to_string(i)));
  }
  PanelFile file(lines);
  auto session = file.open();
  auto const path = session.path().value();
  sk::Compaction compaction{"the first turn"};
  compaction.first_kept = path.at(2).id;
  compaction.tokens_before = 100;
  auto const id = session.append_entry(compaction).value();
  session.append(sk::user("u4")).value();

  auto const written = file.lines();
  REQUIRE(written.size() == 7 + 1 + 4 + 1);
  CHECK(written[7]["type"] == "compaction");
  CHECK(written[7]["firstKeptEntryId"] == "turn-2");
  CHECK(written[8]["message"] == written[3]["message"]);
  CHECK(written[11]["message"] == written[6]["message"]);

  auto again = file.open();
  auto const context = again.context().value();
  CHECK(context.compaction->id == id);
  CHECK(texts_of(context) == std::vector<std::string>{"u2", "a2", "u3", "a3", "u4"});
  auto const info = again.info().value();
  CHECK(info.messages == 7);
  CHECK(info.turns == 4);
  CHECK(info.entries == 12);

  // The second one counts from the first.
  sk::Compaction second{"all but the last turn"};
  second.first_kept = context.entries.at(4).id;
  again.append_entry(second).value();
  CHECK(file.lines()[13]["firstKeptEntryId"] == "turn-4");
  CHECK(texts_of(file.open().context().value()) == std::vector<std::string>{"u4"});
  CHECK(file.open().info().value().messages == 7);
}

TEST_CASE("messages after a label without a count are new") {
  PanelFile file({panel_header,
                  R"({"type":"compaction","summary":"S","firstKeptEntryId":"generation-17","timestamp":5})",
                  panel_line("user", "kept"), panel_line("assistant", "kept too")});
  CHECK(file.open().info().value().messages == 2);
  PanelFile torn({panel_header, panel_line("user", "u"),
                  R"({"type":"compaction","summary":"S","firstKeptEntryId":"turn-40","timestamp":5})",
                  panel_line("user", "new")});
  CHECK(torn.open().info().value().messages == 2);
}

TEST_CASE("the provider's count from before a compaction is not written again") {
  PanelFile file({panel_header, panel_line("user", "old")});
  auto session = file.open();
  sk::Message answer = sk::assistant("a");
  answer.generation = sk::Generation{};
  answer.generation->usage = sk::Usage{90000, 10, 0, 0};
  auto const kept = session.append(answer).value();
  sk::Compaction compaction{"s"};
  compaction.first_kept = kept;
  session.append_entry(compaction).value();
  CHECK(session.history({}).value().tokens < 100);
  CHECK(file.open().info().value().tokens.value() < 100);
  CHECK(file.open().info().value().usage.input == 90000);
}

TEST_CASE("parallel results stay one message in a panel file, and one by one they are valid too") {
  sk::ToolUse const a{"a", "read", sk::RawJson::from("{}")}, b{"b", "read", sk::RawJson::from("{}")};
  PanelFile file({panel_header});
  auto session = file.open();
  session.append(sk::user("look")).value();
  session.append(sk::assistant(a, b)).value();
  session.append(sk::tool_results({{"a", "read", {sk::Text{"A"}}}, {"b", "read", {sk::Text{"B"}}}})).value();
  CHECK(file.lines().size() == 4);
  CHECK(file.lines()[3]["message"]["content"].size() == 2);
  session
      .append(sk::assistant(sk::ToolUse{"c", "read", sk::RawJson::from("{}")},
                            sk::ToolUse{"d", "read", sk::RawJson::from("{}")}))
      .value();
  CHECK(session.append(sk::tool_results({{"c", "read", {sk::Text{"C"}}}})).value().empty());
  CHECK(file.lines().size() == 5);
  CHECK(session.context().value().entries.size() == 5);
  CHECK_FALSE(session.append(sk::tool_results({{"d", "read", {sk::Text{"D"}}}})).value().empty());
  REQUIRE(file.lines().size() == 6);
  CHECK(file.lines()[5]["message"]["content"].size() == 2);
  auto const valid = json::parse(session.request({}).value().messages);
  CHECK(anthropic::check(valid, true).empty());
  CHECK(valid.size() == 5);
  sk::Target faithful;
  faithful.mode = sk::RebuildMode::faithful;
  CHECK(json::parse(session.request(faithful).value().messages).size() == 5);
}

TEST_CASE("held results are stored when another message is appended, or nobody waits for them any more") {
  sk::ToolUse const a{"a", "read", sk::RawJson::from("{}")}, b{"b", "read", sk::RawJson::from("{}")};
  auto const result = [](char const* id) { return sk::tool_results({{id, "read", {sk::Text{id}}}}); };
  PanelFile file({panel_header});
  auto session = file.open();
  auto const ask = [&] {
    auto asked = session.append_all({sk::user("look"), sk::assistant(a, b)});
    REQUIRE(asked.value().size() == 2);
    return file.lines().size();
  };
  SECTION("the user speaks") {
    auto const stood = ask();
    session.append(result("a")).value();
    session.append(sk::user("stop")).value();
    CHECK(file.lines().size() == stood + 2);
  }
  SECTION("the turn ends") {
    auto const stood = ask();
    session.append(result("a")).value();
    session.end_turn().value();
    CHECK(file.lines().size() == stood + 1);
  }
  SECTION("the turn is given up") {
    auto const stood = ask();
    {
      auto turn = session.begin_turn();
      turn.append(result("a")).value();
    }
    CHECK(file.lines().size() == stood + 1);
  }
  SECTION("the session is closed, and opened again for the other") {
    auto const stood = ask();
    session.append(result("a")).value();
    { auto const closed = std::move(session); }
    session = file.open();
    CHECK(file.lines().size() == stood + 1);
    session.append(result("b")).value();
    CHECK(file.lines().size() == stood + 2);
  }
  SECTION("a compaction keeps them once") {
    auto const stood = ask();
    session.append(result("a")).value();
    session.set_title("t").value();
    CHECK(file.lines().size() == stood + 1);
    session.append_entry(sk::Compaction{"s"}).value();
    CHECK(file.lines().size() == stood + 3);
  }
  SECTION("they come with their calls") {
    auto const ids = session.append_all({sk::assistant(a, b), result("a"), result("b")}).value();
    REQUIRE(ids.size() == 3);
    CHECK(ids[1] == ids[2]);
    CHECK(file.lines().size() == 3);
  }
  SECTION("nobody asked for them") {
    session.append(result("a")).value();
    CHECK(file.lines().size() == 2);
  }
}

TEST_CASE("display-only calls are never sent") {
  PanelFile file(
      {panel_header, panel_line("user", "x"),
       R"({"type":"message","message":{"role":"assistant","content":"y","toolCalls":[{"id":"secret"}]},"timestamp":5})"});
  auto session = file.open();
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::openai_chat, sk::Provider::native})
    for (auto const mode : {sk::RebuildMode::valid, sk::RebuildMode::faithful}) {
      sk::Target target;
      target.provider = provider;
      target.mode = mode;
      CHECK_THAT(session.request(target).value().messages, !contains("secret"));
    }
}
