// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"
#include "support/provider_checks.hpp"

#include <sessionkit/file_store.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/transcript_writer.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::Dialect const& flat = sk::flat_dialect();

sk::Entry decoded(std::string const& line, sk::Dialect const& dialect = flat) {
  std::deque<std::string> scratch;
  sk::RecordView view;
  REQUIRE(dialect.head(line, view, scratch));
  return dialect.decode(view).value();
}

sk::Entry entry_of(sk::EntryBody body) {
  sk::Entry entry;
  entry.at = sk::from_unix_ms(1735689601000);
  entry.body = std::move(body);
  return entry;
}

std::string encoded(sk::Entry const& entry) {
  std::string line;
  flat.encode(entry, line).value();
  return line;
}

sk::Errc refusal(sk::EntryBody body) {
  std::string out = "{}\n";
  auto const answer = flat.encode(entry_of(std::move(body)), out);
  REQUIRE_FALSE(answer.ok());
  CHECK(out == "{}\n");
  return answer.error().code;
}

constexpr char const* flat_header =
    R"({"type":"session","id":"0123456789ab","key":"main:cli:user","created":"2025-01-01T00:00:00+00:00"})";

std::vector<std::string> split_lines(std::string const& bytes) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (std::size_t end; (end = bytes.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(bytes.substr(at, end - at));
  return lines;
}

/// A file in this dialect, opened as a session.
struct FlatFile {
  TempDir folder;
  std::string path = folder / "main_cli_user.jsonl";
  explicit FlatFile(std::vector<std::string> const& lines = {flat_header}) {
    std::string bytes;
    for (std::string const& line : lines) bytes += line + "\n";
    write_file(path, bytes);
  }
  sk::Session open(sk::SessionOptions options = {}) {
    if (!options.clock) options.clock = [] { return sk::from_unix_ms(1735689601000); };
    auto store = sk::open_transcript(path).value();
    auto const id = store->list({}).value().sessions.at(0).id;
    return sk::Session::open(store, id, std::move(options)).value();
  }
  std::vector<std::string> lines() const { return split_lines(read_file(path)); }
};

json messages_of(sk::Session& session, sk::RebuildMode mode) {
  sk::Target target;
  target.mode = mode;
  return json::parse(session.request(target).value().messages);
}

}

TEST_CASE("a file is flat if its first line is claw0's") {
  auto const name = [](std::string const& line) {
    auto const* found = sk::detect_dialect(line);
    return std::string(found ? found->name : "none");
  };
  CHECK(name(flat_header) == "flat");
  CHECK(name(R"({"type":"user","content":"x","ts":"2025-01-01T00:00:01Z"})") == "flat");
  CHECK(name(R"({"type":"tool_result","tool_use_id":"t","output":"x"})") == "flat");
  CHECK(name(R"({"type":"user","content":"x","ts":1735689601.25})") == "flat-v2");
  CHECK(name(log_header("x")) == "native");
  CHECK(name(R"({"type":"user","message":{"role":"user","content":"x"},"uuid":"u"})") == "none");
  CHECK(sk::find_dialect("flat") == &flat);
}

TEST_CASE("flat lines become messages") {
  auto const header = decoded(flat_header);
  CHECK(std::get<sk::Header>(header.body).key == "main:cli:user");
  CHECK(std::get<sk::Header>(header.body).id == "0123456789ab");
  CHECK(sk::to_rfc3339(header.at) == "2025-01-01T00:00:00.000Z");

  auto const said = decoded("{\"type\":\"user\",\"content\":\"a\xE2\x80\xA8"
                            "b\",\"ts\":\"2025-01-01T00:00:01.5Z\",\"mood\":1}");
  auto const& user = std::get<sk::Message>(said.body);
  CHECK(user.text()
        == "a\xE2\x80\xA8"
           "b");
  CHECK(user.content_is_string);
  CHECK(said.extra.str() == R"({"mood":1})");
  CHECK(sk::to_rfc3339(said.at) == "2025-01-01T00:00:01.500Z");

  auto const use =
      decoded(R"({"type":"tool_use","name":"read","tool_use_id":"t1","input":{"n":1e21},"ts":""})");
  auto const& call = std::get<sk::ToolUse>(std::get<sk::Message>(use.body).parts.at(0));
  CHECK(call.id == "t1");
  CHECK(call.input.str() == R"({"n":1e21})");

  auto const result = decoded(R"({"type":"tool_result","tool_use_id":"t1","output":"ok"})");
  auto const& answer = std::get<sk::Message>(result.body);
  CHECK(answer.role == sk::Role::tool);
  CHECK(std::get<sk::Text>(std::get<sk::ToolResult>(answer.parts.at(0)).content.at(0)).text == "ok");
}

TEST_CASE("missing members of flat lines are empty, unknown lines are kept") {
  CHECK(std::get<sk::Message>(decoded(R"({"type":"user"})").body).text().empty());
  auto const use = decoded(R"({"type":"tool_use","name":"n"})");
  CHECK(std::get<sk::ToolUse>(std::get<sk::Message>(use.body).parts.at(0)).input.str() == "{}");
  auto const future = decoded(R"({"type":"future","x":[1,2.50]})");
  CHECK(std::get<sk::Unknown>(future.body).line.str() == R"({"type":"future","x":[1,2.50]})");
  CHECK(encoded(future) == R"({"type":"future","x":[1,2.50]})");
}

TEST_CASE("the later variant is read: seconds, results in content") {
  auto const& v2 = sk::flat_v2_dialect();
  auto const said = decoded(R"({"type":"user","content":"x","ts":1735689601.25})", v2);
  CHECK(sk::to_unix_ms(said.at) == 1735689601250);
  auto const result = decoded(R"({"type":"tool_result","tool_use_id":"t","content":"ok","ts":1.5})", v2);
  auto const& answer = std::get<sk::Message>(result.body);
  CHECK(std::get<sk::Text>(std::get<sk::ToolResult>(answer.parts.at(0)).content.at(0)).text == "ok");
  CHECK(decoded(R"({"type":"user","content":"x","ts":1e300})", v2).at == sk::Timestamp{});
}

TEST_CASE("a file of the later variant is not written, and the message says what to do") {
  FlatFile file({R"({"type":"user","content":"x","ts":1735689601.25})"});
  auto session = file.open();
  auto const before = file.lines();
  auto const answer = session.append(sk::user("more"));
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == sk::Errc::unsupported);
  CHECK_THAT(answer.error().message, contains("convert"));
  CHECK(file.lines() == before);
}

TEST_CASE("calls that the later variant wrote twice are one") {
  FlatFile file(
      {R"({"type":"user","content":"look","ts":1.0})",
       R"({"type":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"a","name":"read","input":{"p":1}},{"type":"tool_use","id":"b","name":"read","input":{"p":2}}],"ts":2.0})",
       R"({"type":"tool_use","tool_use_id":"a","name":"read","input":{"p":1},"ts":3.0})",
       R"({"type":"tool_result","tool_use_id":"a","content":"A","ts":3.0})",
       R"({"type":"tool_use","tool_use_id":"b","name":"read","input":{"p":2},"ts":4.0})",
       R"({"type":"tool_result","tool_use_id":"b","content":"B","ts":4.0})",
       R"({"type":"assistant","content":[{"type":"text","text":"done"}],"ts":5.0})"});
  auto session = file.open();
  auto const messages = messages_of(session, sk::RebuildMode::valid);
  CHECK(anthropic::check(messages, true).empty());
  REQUIRE(messages.size() == 4);
  CHECK(messages[1]["content"].size() == 3);
  CHECK(messages[2]["content"].size() == 2);
  CHECK(messages[2]["content"][1]["content"][0]["text"] == "B");
}

TEST_CASE("entries that were read are written with the same members and values, in claw0's lines") {
  for (
      std::string const& line :
      {std::string(
           R"({"type":"session","id":"0123456789ab","key":"main:cli:user","created":"2025-01-01T00:00:00.000Z"})"),
       std::string(R"({"type":"user","content":"hi 🦀","ts":"2025-01-01T00:00:01.000Z","x":{"y":1}})"),
       std::string(
           R"({"type":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QQ=="}}],"ts":"2025-01-01T00:00:01.000Z"})"),
       std::string(R"({"type":"user","content":7,"ts":"2025-01-01T00:00:01.000Z"})"),
       std::string(R"({"type":"assistant","content":"","ts":"2025-01-01T00:00:01.000Z"})"),
       std::string(
           R"({"type":"tool_use","name":"n","tool_use_id":"t","input":{"big":12345678901234567890},"ts":"2025-01-01T00:00:01.000Z"})"),
       std::string(R"({"type":"tool_result","tool_use_id":"t","output":"","ts":"2025-01-01T00:00:01.000Z"})"),
       std::string(
           R"({"type":"tool_result","tool_use_id":"t","output":[{"type":"text","text":"a"},{"type":"x"}],"ts":"2025-01-01T00:00:01.000Z"})")}) {
    CAPTURE(line);
    CHECK(json::parse(encoded(decoded(line))) == json::parse(line));
  }
}

TEST_CASE("data that claw0 does not know survives in members it ignores") {
  sk::Message message = sk::assistant(sk::Text{"answer", "sig"});
  message.generation = sk::Generation{
      "anthropic", "claude", "r1", sk::Usage{1, 2, 3, 4}, sk::StopReason::end_turn, "anthropic-messages"};
  message.metadata = sk::RawJson::from(R"({"k":1})");
  auto const line = encoded(entry_of(message));
  CHECK(json::parse(line)["content"] == "answer");
  auto const again = decoded(line);
  auto const& read = std::get<sk::Message>(again.body);
  REQUIRE(read.generation);
  CHECK(read.generation->model == "claude");
  CHECK(read.generation->request_id == "r1");
  CHECK(read.generation->api == "anthropic-messages");
  CHECK(read.generation->stop == sk::StopReason::end_turn);
  CHECK(read.generation->usage->cache_write == 4);
  CHECK(std::get<sk::Text>(read.parts.at(0)).signature == "sig");
  CHECK(read.metadata.str() == R"({"k":1})");
  CHECK(again.extra.is_null());

  auto const result = decoded(encoded(entry_of(sk::tool_results({{"t", "read", {sk::Text{"no"}}, true}}))));
  CHECK(std::get<sk::ToolResult>(std::get<sk::Message>(result.body).parts.at(0)).is_error);
  CHECK(std::get<sk::ToolResult>(std::get<sk::Message>(result.body).parts.at(0)).tool_name == "read");
}

TEST_CASE("a title is a line in a flat file that claw0 ignores") {
  FlatFile file;
  auto session = file.open();
  session.set_title("Plan").value();
  session.set_title("made", false).value(); // does not replace a person's
  session.append(sk::user("on")).value();
  CHECK(session.info().value().title == "Plan");
  CHECK(file.open().info().value().title == "Plan");
  auto const line = json::parse(file.lines().at(1));
  CHECK(line["type"] == "session_info");
  CHECK(line["name"] == "Plan");
  CHECK(line.contains("ts"));
  auto const made = json::parse(file.lines().at(2));
  CHECK(made["byPerson"] == false);
  CHECK(session.context().value().entries.back().as<sk::Message>()->text() == "on");
}

TEST_CASE("an entry that flat lines cannot represent is refused and nothing is written") {
  sk::ToolUse const call{"t", "n", sk::RawJson::from("{}")};
  CHECK(refusal(sk::Compaction{"s"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::BranchSummary{"s"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::StateChange{}) == sk::Errc::unsupported);
  CHECK(refusal(sk::ArchiveChange{}) == sk::Errc::unsupported);
  CHECK(refusal(sk::Label{sk::EntryId("@1"), "l"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::ModelChange{"p", "m"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::CustomMessage{"c"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::Custom{"c"}) == sk::Errc::unsupported);
  CHECK(refusal(sk::system("s")) == sk::Errc::unsupported);
  CHECK(refusal(sk::assistant(sk::Thinking{"hm", "sig"})) == sk::Errc::unsupported);
  CHECK(refusal(sk::assistant("text", call)) == sk::Errc::unsupported);
  CHECK(refusal(sk::assistant(sk::Opaque{"x", {}})) == sk::Errc::unsupported);
  CHECK(refusal(sk::user(call)) == sk::Errc::unsupported);
  CHECK(refusal(sk::tool_results({{"a", "n"}, {"b", "n"}})) == sk::Errc::unsupported);
  CHECK(refusal(sk::tool_results({})) == sk::Errc::unsupported);
  std::size_t const kinds = std::variant_size_v<sk::EntryBody>;
  std::size_t sayable = 0;
  for (std::size_t i = 0; i < kinds; ++i) sayable += flat.can(i) ? 1U : 0U;
  CHECK(sayable == 4); // header, message, title, unknown
}

TEST_CASE("a session continues in a flat file as claw0 writes it") {
  FlatFile file;
  auto session = file.open();
  sk::ToolUse const call{"tu_1", "read_file", sk::RawJson::from(R"({"path":"a"})")};
  auto const user_id = session.append(sk::user("look")).value();
  auto const calls = session.append(sk::assistant("let me see", call)).value();
  auto const result = session.append(sk::tool_result(call, "hi")).value();
  session.append(sk::assistant("it says hi")).value();
  auto const lines = file.lines();
  REQUIRE(lines.size() == 6);
  CHECK(lines[1] == R"({"type":"user","content":"look","ts":"2025-01-01T00:00:01.000Z"})");
  CHECK(lines[2] == R"({"type":"assistant","content":"let me see","ts":"2025-01-01T00:00:01.000Z"})");
  CHECK(json::parse(lines[3])["tool_use_id"] == "tu_1");
  CHECK(json::parse(lines[4])["output"] == "hi");

  // Ids are places: `@` and the end of the line's last byte.
  auto const end_of = [&](std::size_t line) {
    std::size_t end = 0;
    for (std::size_t i = 0; i <= line; ++i) end += lines[i].size() + 1;
    return "@" + std::to_string(end - 1);
  };
  CHECK(user_id.str() == end_of(1));
  CHECK(calls.str() == end_of(3));
  CHECK(result.str() == end_of(4));
  CHECK(session.leaf().str() == end_of(5));

  auto again = file.open();
  CHECK(again.leaf() == session.leaf());
  CHECK(again.path().value().size() == 5);
  auto const info = again.info().value();
  CHECK(info.messages == 5);
  CHECK(info.turns == 1);
  CHECK(info.key == "main:cli:user");
  CHECK(anthropic::check(messages_of(again, sk::RebuildMode::valid), true).empty());
}

TEST_CASE("a turn in a flat file ends without a line of its own, aborted or not") {
  FlatFile file;
  auto session = file.open();
  {
    auto turn = session.begin_turn();
    turn.append(sk::user("a")).value();
    turn.abort().value();
  }
  auto turn = session.begin_turn();
  turn.append(sk::user("b")).value();
  turn.commit().value();
  CHECK(file.lines().size() == 3);
}

TEST_CASE("an operation that needs ids or branches is refused in a flat file") {
  FlatFile file;
  auto session = file.open();
  auto const first = session.append(sk::user("a")).value();
  auto const last = session.append(sk::user("b")).value();
  sk::AppendOptions named;
  named.id = sk::EntryId("mine");
  CHECK(session.append(sk::user("c"), named).error().code == sk::Errc::unsupported);
  CHECK(session.rewind(first).error().code == sk::Errc::unsupported);
  CHECK(session.rewind(sk::EntryId("@9999")).error().code == sk::Errc::not_found);
  session.rewind(last).value();
  CHECK(session.set_archived(true).error().code == sk::Errc::unsupported);
  CHECK(session.set_label(first, "l").error().code == sk::Errc::unsupported);
  CHECK(session.leaves().value() == std::vector<sk::EntryId>{last});
  CHECK(file.lines().size() == 3);
}

TEST_CASE("two writers of a flat file take turns") {
  FlatFile file;
  auto one = file.open(), two = file.open();
  one.append(sk::user("1")).value();
  two.append(sk::user("2")).value();
  one.append(sk::user("3")).value();
  CHECK(file.lines().size() == 4);
  CHECK(one.path().value().size() == 3);
  sk::SessionOptions forks;
  forks.on_conflict = sk::OnConflict::fork;
  auto three = file.open(forks);
  one.append(sk::user("4")).value();
  CHECK(three.append(sk::user("5")).error().code == sk::Errc::conflict);
}

TEST_CASE("a flat session is forked in its own dialect, line for line") {
  auto store = sk::make_memory_store();
  std::vector<std::string> const lines{flat_header, R"({"type":"user","content":"a","ts":"t","odd":1})",
                                       R"({"type":"assistant","content":"b"})"};
  sk::Append batch;
  for (std::string const& line : lines) {
    sk::RecordView view;
    std::deque<std::string> scratch;
    REQUIRE(flat.head(line, view, scratch));
    view.link = sk::Parent::previous;
    batch.records.push_back(view);
  }
  store->append(sid("s"), batch).value();
  auto session = sk::Session::open(store, sid("s")).value();
  CHECK(session.leaf().str() == "@3");
  auto fork = session.fork().value();
  auto const page = store->read(fork.id(), {}).value();
  CHECK(page.dialect == "flat");
  REQUIRE(page.items().size() == 3);
  CHECK(page.items()[1].line == lines[1]);
  CHECK(page.items()[2].line == lines[2]);
  CHECK(json::parse(page.items()[0].line)["copied"] == 2);
  fork.append(sk::user("more")).value();
  CHECK(fork.leaf().str() == "@4");
  CHECK(fork.info().value().messages == 3);
}

TEST_CASE("lines without ids that are already stored are recognised, and completed") {
  FlatFile file;
  std::string const a = R"({"type":"user","content":"a"})", b = R"({"type":"user","content":"b"})",
                    c = R"({"type":"user","content":"c"})";
  auto writer = sk::TranscriptWriter::open(file.path).value();
  sk::Position const expected{read_file(file.path).size()};
  auto const batch = [&](std::vector<std::string_view> const& lines) {
    sk::Append append;
    append.expected = expected;
    for (std::string_view const line : lines) {
      sk::RecordView view;
      view.type = "user", view.line = line;
      append.records.push_back(view);
    }
    return append;
  };
  writer.append(batch({a, b})).value();
  auto const end = writer.append(batch({a, b, c})).value();
  CHECK(writer.append(batch({a, b, c})).value() == end);
  CHECK(file.lines() == std::vector<std::string>{flat_header, a, b, c});
  CHECK(writer.append(batch({b, a})).error().code == sk::Errc::conflict);
}

TEST_CASE("the fixtures are regrouped as claw0 does, and valid for the providers") {
  for (auto const& folder : std::filesystem::directory_iterator(data("flat"))) {
    CAPTURE(folder.path().string());
    auto store = sk::open_transcript(folder.path().string() + "/transcript.jsonl").value();
    auto const id = store->list({}).value().sessions.at(0).id;
    auto const context = sk::load_context(*store, id).value();
    CHECK(context.dialect == "flat");
    sk::Target target;
    target.mode = sk::RebuildMode::faithful;
    CHECK(json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages)
          == json::parse(read_file(folder.path().string() + "/messages.json")));
    target.mode = sk::RebuildMode::valid;
    auto const valid =
        json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages);
    CHECK(anthropic::check(valid, true).empty());
    target.provider = sk::Provider::openai_chat;
    auto const chat = json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages);
    CHECK(openai::check(chat).empty());
  }
}

TEST_CASE("a faithful history of the later variant is what its published program makes of it") {
  for (auto const& file : std::filesystem::directory_iterator(data("flat-v2"))) {
    if (file.path().extension() != ".jsonl") continue;
    CAPTURE(file.path().string());
    auto store = sk::open_transcript(file.path().string()).value();
    auto const context = sk::load_context(*store, store->list({}).value().sessions.at(0).id).value();
    CHECK(context.dialect == "flat-v2");
    sk::Target target;
    target.mode = sk::RebuildMode::faithful;
    auto golden = file.path();
    golden.replace_extension(".json");
    CHECK(json::parse(sk::encode(sk::HistoryRebuilder(target).rebuild(context), target).messages)
          == json::parse(read_file(golden.string())));
  }
}

TEST_CASE("faithful sends odd results and contents as claw0 does, and not what its variant does not read") {
  auto const sent = [](std::string const& result) {
    FlatFile file({flat_header, R"({"type":"user","content":null})",
                   R"({"type":"tool_result","tool_use_id":"t",)" + result + "}"});
    auto session = file.open();
    return messages_of(session, sk::RebuildMode::faithful);
  };
  CHECK(sent(R"("output":"x")")[0]["content"] == nullptr);
  CHECK(sent(R"("output":{"a":1})")[1]["content"][0]["content"] == json{{"a", 1}});
  CHECK(sent(R"("output":null)")[1]["content"][0]["content"] == nullptr);
  CHECK(sent(R"("content":"of the later variant")")[1]["content"][0]["content"] == "");
  CHECK(sent(R"("output":"own","content":"other")")[1]["content"][0]["content"] == "own");
}

TEST_CASE("a faithful flat history keeps its results for providers of another grouping") {
  FlatFile file({flat_header, R"({"type":"tool_use","tool_use_id":"t","name":"n","input":{}})",
                 R"({"type":"tool_result","tool_use_id":"t","output":"ok"})"});
  auto session = file.open();
  sk::Target target;
  target.mode = sk::RebuildMode::faithful;
  target.provider = sk::Provider::openai_chat;
  auto const chat = json::parse(session.request(target).value().messages);
  REQUIRE(chat.size() == 2);
  CHECK(chat[1]["role"] == "tool");
  target.provider = sk::Provider::native;
  auto const native = json::parse(session.request(target).value().messages);
  REQUIRE(native.size() == 2);
  CHECK(native[1]["role"] == "toolResult");
}

TEST_CASE("no character in a flat line ends it for claw0's reader, and every text comes back") {
  std::string const all = "a\xE2\x80\xA8"
                          "b\xE2\x80\xA9"
                          "c\xC2\x85"
                          "d\xC2\x86\xE2\x80\xA7\xE2\x82\xAC\x0B\x0C\x1C";
  std::vector<sk::Entry> entries{entry_of(sk::user(all)), entry_of(sk::assistant(all)),
                                 entry_of(sk::TitleChange{all, true}),
                                 entry_of(sk::tool_results({{all, "read", {sk::Text{all}}}})),
                                 entry_of(sk::Unknown{"x", sk::RawJson::from(R"({"type":"x","y":")"
                                                                             "\xE2\x80\xA8"
                                                                             R"("})")})};
  entries[0].extra = sk::RawJson::from("{\"k\xC2\x85\":\"\xE2\x80\xA9\"}");
  sk::Header header;
  header.id = "x";
  header.key = all;
  entries.push_back(entry_of(header));
  for (sk::Entry const& entry : entries) {
    auto const line = encoded(entry);
    CAPTURE(line);
    for (char const* end : {"\xE2\x80\xA8", "\xE2\x80\xA9", "\xC2\x85", "\x0B", "\x0C", "\x1C"})
      CHECK(line.find(end) == std::string::npos);
    CHECK(encoded(decoded(line)) == line);
  }
  CHECK(json::parse(encoded(entries[0]))["content"] == all);
  CHECK(json::parse(encoded(entries[3]))["output"] == all);
  CHECK(json::parse(encoded(entries[5]))["key"] == all);
  CHECK(json::parse(encoded(entries[4]))["y"] == "\xE2\x80\xA8");
}
