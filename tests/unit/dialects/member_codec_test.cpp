// SPDX-License-Identifier: MIT
// Members of parts that the library does not know: kept by the dialects, never sent unless requested.
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/history.hpp>
#include <sessionkit/provider.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::Dialect const& native = sk::native_dialect();
sk::Dialect const& flat = sk::flat_dialect();
sk::Dialect const& panel = sk::panel_dialect();

sk::Entry decoded(json const& line, sk::Dialect const& dialect, std::string const& id = "e") {
  std::string const text = line.dump();
  std::deque<std::string> scratch;
  sk::RecordView view;
  REQUIRE(dialect.head(text, view, scratch));
  if (view.id.empty()) view.id = id;
  return dialect.decode(view).value();
}

sk::Log log_of(std::vector<json> const& lines, sk::Dialect const& dialect) {
  sk::Log log;
  for (json const& line : lines)
    log.entries.push_back(decoded(line, dialect, "e" + std::to_string(log.entries.size())));
  return log;
}

std::vector<json> lines_of(std::string const& text) {
  std::vector<json> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(json::parse(text.substr(at, end - at)));
  return lines;
}

struct Conversion {
  std::vector<json> lines;
  std::string listed;
};
Conversion convert(std::vector<json> const& lines, sk::Dialect const& from, sk::Dialect const& to) {
  sk::Converted const made = sk::convert_log(log_of(lines, from), from, to, sid("named")).value();
  std::string listed;
  for (sk::Loss const& loss : made.losses) listed += loss.what + '\n';
  return {lines_of(made.text), listed};
}
bool has(std::string const& text, std::string const& word) { return text.find(word) != std::string::npos; }

json panel_line(json message) {
  return {{"type", "message"}, {"message", std::move(message)}, {"timestamp", 1708300001000}};
}
json native_line(char const* id, json message) {
  return {{"type", "message"},
          {"id", id},
          {"parentId", nullptr},
          {"timestamp", "2025-01-01T00:00:00.000Z"},
          {"message", std::move(message)}};
}

json const cited = {{"type", "text"},
                    {"text", "so it says"},
                    {"citations", json::array({{{"cited_text", "it"}}})},
                    {"cache_control", {{"type", "ephemeral"}}}};
json const picture = {
    {"type", "image"},
    {"source", {{"type", "url"}, {"url", "https://a/b"}, {"media_type", "image/png"}, {"s", 1}}},
    {"alt", "a picture"}};
json const drawing = {
    {"type", "image"},
    {"source", {{"type", "base64"}, {"media_type", "image/png"}, {"data", "QUJD"}, {"s", 2}}},
    {"alt", "a drawing"}};
json const thought = {{"type", "thinking"}, {"thinking", "hm"}, {"signature", "c2ln"}, {"t", 3}};
json const asked = {{"type", "tool_use"},
                    {"id", "t1"},
                    {"name", "read"},
                    {"input", json::object()},
                    {"caller", {{"type", "direct"}}}};
json const answered = {
    {"type", "tool_result"}, {"tool_use_id", "t1"}, {"content", json::array({cited})}, {"r", 4}};
std::vector<json> const panel_lines = {
    panel_line({{"role", "user"}, {"content", {cited, picture, drawing}}}),
    panel_line({{"role", "assistant"}, {"content", {thought, cited, asked}}}),
    panel_line({{"role", "user"}, {"content", {answered}}})};

sk::Context context_of(std::vector<json> const& lines, sk::Dialect const& dialect) {
  sk::Context context;
  context.dialect = dialect.name;
  context.entries = log_of(lines, dialect).entries;
  context.leaf = context.entries.back().id;
  return context;
}
struct Sent {
  json messages;
  sk::History history;
  std::size_t count(std::string const& rule) const {
    return static_cast<std::size_t>(
        std::count_if(history.report.begin(), history.report.end(),
                      [&](sk::Repair const& repair) { return repair.rule == rule; }));
  }
};
Sent send(std::vector<json> const& lines, sk::Dialect const& dialect, sk::RebuildMode mode,
          sk::Provider provider = sk::Provider::anthropic) {
  sk::Target target;
  target.provider = provider;
  target.mode = mode;
  sk::History history = sk::HistoryRebuilder(target).rebuild(context_of(lines, dialect));
  json messages = json::parse(sk::encode(history, target).messages);
  return {std::move(messages), std::move(history)};
}
constexpr auto valid = sk::RebuildMode::valid;
constexpr auto faithful = sk::RebuildMode::faithful;

}

TEST_CASE("panel lines are written again with every member of their parts") {
  for (json const& line : panel_lines) {
    std::string out;
    REQUIRE(panel.encode(decoded(line, panel), out).ok());
    CHECK(json::parse(out) == line);
  }
}

TEST_CASE("native lines are written again with every member of their parts") {
  json const words = {{"type", "text"}, {"text", "a"}, {"textSignature", "s"}, {"x", 1}};
  json const image = {
      {"type", "image"}, {"data", "QUJD"}, {"mimeType", "image/png"}, {"alt", "b"}, {"source", {{"s", 1}}}};
  json const call = {{"type", "toolCall"}, {"id", "t"}, {"name", "n"}, {"arguments", {{"k", 1}}}, {"cx", 2}};
  json const reasoning = {{"type", "thinking"}, {"thinking", "h"}, {"thinkingSignature", "s"}, {"tx", 3}};
  json const usage = {{"input", 0}};
  for (json const& message : {json{{"role", "user"}, {"content", {words, image, picture}}, {"timestamp", 1}},
                              json{{"role", "assistant"},
                                   {"content", {reasoning, words, call}},
                                   {"api", "a"},
                                   {"provider", "p"},
                                   {"model", "m"},
                                   {"usage", usage},
                                   {"stopReason", "a word of tomorrow"},
                                   {"timestamp", 1}},
                              json{{"role", "toolResult"},
                                   {"toolCallId", "t"},
                                   {"toolName", "n"},
                                   {"content", {words, image}},
                                   {"isError", false},
                                   {"part", {{"r", 4}}},
                                   {"timestamp", 1}}}) {
    json const line = native_line("e1", message);
    std::string out;
    REQUIRE(native.encode(decoded(line, native), out).ok());
    CHECK(json::parse(out) == line);
  }
}

TEST_CASE("flat lines are written again with every member of their parts") {
  json const ts = "2025-01-01T00:00:00.000Z";
  for (json const& line : {json{{"type", "user"}, {"content", {cited, drawing}}, {"ts", ts}},
                           json{{"type", "user"}, {"content", {cited}}, {"ts", ts}},
                           json{{"type", "assistant"}, {"content", {cited}}, {"ts", ts}},
                           json{{"type", "tool_use"},
                                {"name", "n"},
                                {"tool_use_id", "t"},
                                {"input", {{"a", 1}}},
                                {"part", {{"c", 1}}},
                                {"ts", ts}},
                           json{{"type", "tool_result"},
                                {"tool_use_id", "t"},
                                {"output", {cited, picture}},
                                {"part", {{"r", 1}}},
                                {"ts", ts}}}) {
    std::string out;
    REQUIRE(flat.encode(decoded(line, flat), out).ok());
    CHECK(json::parse(out) == line);
  }
}

TEST_CASE("members of parts are converted from panel to native and flat and back") {
  std::vector<json> header = {
      {{"type", "session"}, {"version", 3}, {"agentId", "a"}, {"createdAt", 1708300000000}}};
  header.insert(header.end(), panel_lines.begin(), panel_lines.end());
  Conversion const to_native = convert(header, panel, native);
  CHECK(to_native.listed.empty());
  CHECK(to_native.lines[1]["message"]["content"][0]["citations"] == cited["citations"]);
  CHECK(to_native.lines[2]["message"]["content"][2]["caller"] == asked["caller"]);
  CHECK(to_native.lines[3]["message"]["part"] == json{{"r", 4}});

  Conversion const to_flat = convert({header[0], header[1], header[3]}, panel, flat);
  CHECK(to_flat.listed.empty());
  CHECK(to_flat.lines[1]["content"] == json({cited, picture, drawing}));
  CHECK(to_flat.lines[2]["part"] == json{{"r", 4}});
  Conversion const back = convert(to_flat.lines, flat, panel);
  CHECK(back.listed.empty());
  CHECK(back.lines[1]["message"]["content"] == panel_lines[0]["message"]["content"]);
  CHECK(back.lines[2]["message"]["content"] == panel_lines[2]["message"]["content"]);
}

TEST_CASE(
    "of pi's parts only members that the API knows are converted for programs that send content unchanged") {
  json const words = {
      {"type", "text"}, {"text", "a"}, {"pex", 1}, {"cache_control", {{"type", "ephemeral"}}}};
  json const image = {{"type", "image"},
                      {"source", {{"type", "url"}, {"url", "https://a/b"}, {"media_type", "image/png"}}}};
  std::vector<json> const lines = {native_line("e1", {{"role", "user"}, {"content", {words, image}}})};
  for (sk::Dialect const* to : {&panel, &flat}) {
    Conversion const made = convert(lines, native, *to);
    std::string const text = made.lines.at(1).dump();
    CHECK(has(made.listed, "pex"));
    CHECK(has(made.listed, "media_type"));
    CHECK_FALSE(has(text, "pex"));
    CHECK_FALSE(has(text, "media_type"));
    CHECK(has(text, "cache_control"));
  }
}

TEST_CASE("data without a place beside a text or a result is listed") {
  json const sealed = {{"type", "text"}, {"text", "a"}, {"textSignature", "sealed"}};
  json const result = {
      {"role", "toolResult"}, {"toolCallId", "t"}, {"toolName", "lone"}, {"content", {sealed}}};
  json const user = {{"role", "user"}, {"content", {sealed, sealed}}};
  for (sk::Dialect const* to : {&panel, &flat})
    for (json const& message : {result, user}) {
      Conversion const made = convert({native_line("e1", message)}, native, *to);
      CHECK(made.lines.size() == 2);
      CHECK(has(made.listed, "signature"));
    }
  CHECK(has(convert({native_line("e1", result)}, native, panel).listed, "lone"));
  json const call = {{"type", "toolCall"}, {"id", "t"}, {"name", "lone"}, {"arguments", json::object()}};
  json second = native_line("e2", result);
  second["parentId"] = "e1";
  std::vector<json> const both = {native_line("e1", {{"role", "assistant"}, {"content", {call}}}), second};
  CHECK_FALSE(has(convert(both, native, panel).listed, "lone")); // the call has it

  sk::Log const log = log_of({native_line("e1", result)}, native);
  REQUIRE(sk::export_blades(log, sid("s")).losses.size() == 1);
  CHECK(has(sk::export_blades(log, sid("s")).losses[0].what, "signature"));
}

TEST_CASE("documents of blades keep the members of calls and results, and those of texts are listed") {
  json const document = {
      {"id", "s"},
      {"version", 1},
      {"history",
       {{{"role", "assistant"},
         {"text", ""},
         {"tool_calls", {{{"id", "t"}, {"name", "n"}, {"args", json::object()}, {"cx", 1}}}}},
        {{"role", "tool"}, {"tool_result", {{"tool_call_id", "t"}, {"content", "ok"}, {"rx", 2}}}}}}};
  sk::Log const log = sk::import_blades(document.dump()).value();
  json const again = json::parse(sk::export_blades(log, sid("s")).text);
  CHECK(again["history"][0]["tool_calls"][0]["cx"] == 1);
  CHECK(again["history"][1]["tool_result"]["rx"] == 2);
  sk::Converted const cut =
      sk::export_blades(log_of({panel_line({{"role", "user"}, {"content", {cited}}})}, panel), sid("s"));
  REQUIRE(cut.losses.size() == 1);
  CHECK(has(cut.losses[0].what, "citations"));
}

TEST_CASE("the members of a panel message beside its parts are converted to native once") {
  json const header = {{"type", "session"}, {"version", 3}, {"agentId", "a"}, {"createdAt", 1708300000000}};
  json second = answered;
  second["tool_use_id"] = "t2";
  json const results = {{"role", "user"}, {"content", {answered, second}}, {"sender", {{"id", "u42"}}}};
  Conversion const split = convert({header, panel_line(results)}, panel, native);
  CHECK(split.lines.at(1)["message"]["sender"]["id"] == "u42");
  CHECK(split.lines.size() == 3);

  json const failed = {{"role", "assistant"},
                       {"content", {{{"type", "text"}, {"text", "a"}}}},
                       {"stopReason", "error"},
                       {"model", "m9"},
                       {"api", "zz"}};
  Conversion const made = convert({header, panel_line(failed)}, panel, native);
  json const message = made.lines.at(1)["message"];
  CHECK(message["stopReason"] == "error");
  CHECK(message["model"] == "m9");
  CHECK(message["api"] == "zz");
  CHECK(message["provider"] == "unknown");
}

TEST_CASE("valid histories send no member that a provider does not know, and report each part") {
  for (auto const provider : {sk::Provider::anthropic, sk::Provider::openai_chat,
                              sk::Provider::openai_responses, sk::Provider::gemini}) {
    Sent const sent = send(panel_lines, panel, valid, provider);
    std::string const text = sent.messages.dump();
    for (char const* member : {"citations", "cache_control", "caller", "alt", "\"r\"", "\"s\""})
      CHECK_FALSE(has(text, member));
    CHECK(sent.count("part_members") >= 6);
  }
  Sent const plain =
      send({panel_line({{"role", "user"}, {"content", {{{"type", "text"}, {"text", "a"}}}}})}, panel, valid);
  CHECK(plain.history.report.empty());
}

TEST_CASE("pi's own shape keeps the members of parts, as JSON that any reader accepts") {
  json const line = native_line("e1", {{"role", "user"}, {"content", {cited}}});
  Sent const sent = send({line}, native, valid, sk::Provider::native);
  CHECK(sent.messages[0]["content"][0]["citations"] == cited["citations"]);
  CHECK(sent.history.report.empty());
  sk::Entry entry = decoded(line, native);
  std::get<sk::Text>(std::get<sk::Message>(entry.body).parts[0]).extra =
      sk::RawJson::parse(R"({"x":"\ud83d"})").value();
  sk::Context context;
  context.entries.push_back(entry);
  sk::Target target;
  target.provider = sk::Provider::native;
  sk::History const history = sk::HistoryRebuilder(target).rebuild(context);
  REQUIRE(history.report.size() == 1);
  CHECK(history.report[0].rule == "part_members");
  CHECK(has(sk::encode(history, target).messages, R"(,"x":"\ufffd"})"));
}

TEST_CASE("faithful histories of flat and panel logs send content unchanged") {
  json const document = {{"type", "document"}, {"source", {{"type", "text"}, {"data", "d"}}}, {"title", "t"}};
  json const content = {document, cited, picture, drawing};
  Sent const claw =
      send({{{"type", "user"}, {"content", content}, {"ts", "2025-01-01T00:00:00.000Z"}}}, flat, faithful);
  CHECK(claw.messages == json{{{"role", "user"}, {"content", content}}});
  CHECK(claw.history.report.empty());
  std::vector<json> lines = panel_lines;
  lines[0]["message"]["content"].push_back(document);
  Sent const ai = send(lines, panel, faithful);
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(ai.messages[i]["content"] == lines[i]["message"]["content"]);
  CHECK(ai.history.report.empty());
}

TEST_CASE("faithful histories report what they leave out") {
  json const document = {{"type", "document"}, {"title", "t"}};
  json const call = {{"type", "tool_use"},      {"name", "n"},        {"tool_use_id", "t"},
                     {"input", json::object()}, {"part", {{"c", 1}}}, {"ts", "2025-01-01T00:00:00.000Z"}};
  Sent const line = send({call}, flat, faithful); // claw0 makes its block from the members it knows
  CHECK_FALSE(has(line.messages.dump(), "\"c\""));
  CHECK(line.count("part_members") == 1);

  Sent const other = send(panel_lines, panel, faithful, sk::Provider::openai_chat);
  CHECK_FALSE(has(other.messages.dump(), "citations"));
  CHECK(other.count("part_members") >= 6);

  Sent const pi =
      send({native_line("e1", {{"role", "user"}, {"content", {document, cited}}})}, native, faithful);
  CHECK(pi.messages == json{{{"role", "user"}, {"content", {{{"type", "text"}, {"text", "so it says"}}}}}});
  CHECK(pi.count("opaque_part") == 1);
  CHECK(pi.count("part_members") == 1);

  CHECK(other.count("foreign_thinking") == 1); // the chat API cannot represent it
  Sent const misplaced = send({panel_line({{"role", "assistant"}, {"content", {drawing}}})}, panel, faithful,
                              sk::Provider::gemini);
  CHECK(misplaced.count("misplaced_part") == 1);

  for (json const& odd : {json(17), json(nullptr)}) {
    std::vector<json> const lines{{{"type", "user"}, {"content", odd}, {"ts", "2025-01-01T00:00:00.000Z"}}};
    Sent const own = send(lines, flat, faithful); // as claw0 does
    CHECK(own.count("odd_content") == 0);
    CHECK(own.messages[0]["content"] == odd);
    Sent const sent = send(lines, flat, faithful, sk::Provider::openai_chat);
    REQUIRE(sent.count("odd_content") == 1);
    CHECK(sent.history.report[0].before == odd.dump());
  }
  Sent const passed = send({panel_line({{"role", "system"}, {"content", "be kind"}}),
                            {{"type", "later"}, {"timestamp", 1708300001000}}},
                           panel, faithful);
  CHECK(passed.count("passed_over") == 1);
  CHECK(passed.count("unknown_entry") == 1);
}

TEST_CASE("extra members of a part that are not an object are refused, and nothing is written") {
  for (sk::Dialect const* dialect : {&native, &flat, &panel}) {
    sk::Entry entry;
    entry.body = sk::user(sk::Text{"a", {}, sk::RawJson::parse("[1]").value()});
    std::string out;
    sk::Result<void> const written = dialect->encode(entry, out);
    REQUIRE_FALSE(written.ok());
    CHECK(written.error().code == sk::Errc::unsupported);
    CHECK(out.empty());
  }
}
