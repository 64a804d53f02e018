// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/converted.hpp"
#include "support/logs.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>

#include <nlohmann/json.hpp>

using namespace sessionkit_test;
using nlohmann::json;

namespace {

sk::Dialect const& native = sk::native_dialect();
sk::Dialect const& flat = sk::flat_dialect();
sk::Dialect const& panel = sk::panel_dialect();

constexpr char const* panel_header = R"({"type":"session","version":3,"agentId":"main","createdAt":1})";

}

TEST_CASE("a time comes back as its program spelled it, through any other dialect") {
  struct Form {
    sk::Dialect const& dialect;
    std::string header, message;
  };
  std::vector<Form> const forms{
      {native, R"({"type":"session","version":3,"id":"x","timestamp":@,"cwd":"/w"})",
       R"({"type":"message","id":"a","parentId":null,"timestamp":@,"message":{"role":"user","content":"hi"}})"},
      {flat, R"({"type":"session","id":"x","key":"k","created":@})",
       R"({"type":"user","content":"hi","ts":@})"},
      {panel, R"({"type":"session","version":3,"id":"x","agentId":"a","createdAt":@})",
       R"({"type":"message","message":{"role":"user","content":"hi"},"timestamp":@})"}};
  std::vector<std::string> const times{R"("2026-01-01T00:00:01.123456+00:00")",
                                       R"("2025-11-03T08:00:01.123456789+08:00")",
                                       R"("2026-01-01T00:00:01Z")",
                                       R"("2026-01-01T00:00:01.123Z")",
                                       R"("1970-01-01T00:00:00.0001Z")",
                                       "1767225601.25",
                                       "1767225601123"};
  auto const with = [](std::string form, std::string const& time) {
    return form.replace(form.find('@'), 1, time);
  };
  auto const read = [](std::vector<std::string> lines, sk::Dialect const& dialect) {
    sk::Log log = log_of(lines, dialect);
    log.lines = std::move(lines);
    return log;
  };
  auto const name = [](sk::Dialect const& dialect, std::size_t line) {
    return std::string(line == 0 ? dialect.header_time : dialect.line_time);
  };
  for (Form const& from : forms)
    for (std::string const& time : times) {
      if (&from.dialect == &flat && time == times.back()) continue; // seconds, in the year 57971
      sk::Log const log = read({with(from.header, time), with(from.message, time)}, from.dialect);
      for (Form const& to : forms) {
        CAPTURE(log.lines[1], to.dialect.name);
        auto const converted = convert(log, from.dialect, to.dialect);
        bool const understood = log.entries.back().at != sk::Timestamp{} || time.front() == '"';
        if (&to.dialect != &from.dialect) CHECK(converted.losses.empty() == understood);
        sk::Log const there = read(lines_of(converted.text), to.dialect);
        CHECK(there.entries.back().at == log.entries.back().at);
        auto const back = lines_of(convert(there, to.dialect, from.dialect).text);
        REQUIRE(back.size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
          CHECK(json::parse(back[i])[name(from.dialect, i)] == json::parse(time));
          CHECK(back[i].find(':' + time) != std::string::npos);
          CHECK(back[i].find("Time\"") == std::string::npos);
        }
      }
      CAPTURE(log.lines[1]);
      sk::Dialect const& blades = *sk::find_dialect("blades");
      auto const document = convert(log, from.dialect, blades);
      auto const written = json::parse(document.text);
      bool const is_text = time.front() == '"';
      bool const understood = log.entries.back().at != sk::Timestamp{} || is_text;
      CHECK(document.losses.empty() == understood);
      if (is_text) { // also to the letter for a program on blades
        CHECK(written["created_at"] == json::parse(time));
        CHECK(written["history"][0]["timestamp"] == json::parse(time));
        CHECK(written["updated_at"] == json::parse(time));
      }
      auto const imported = sk::import_blades(document.text).value();
      CHECK(imported.entries.back().at == log.entries.back().at);
      auto const back = lines_of(convert(imported, native, from.dialect).text);
      REQUIRE(back.size() == 2);
      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(back[i].find(time) != std::string::npos);
        if (&from.dialect == &native && !is_text) continue; // it stays a member
        CHECK(json::parse(back[i])[name(from.dialect, i)] == json::parse(time));
        CHECK(back[i].find("Time\"") == std::string::npos);
      }
    }
}

TEST_CASE("a document gets a time that Go reads, and the near forms of RFC 3339 are kept for the way back") {
  for (char const* time : {"2026-01-01 00:00:01Z", "2026-01-01T00:00:01", "2026-01-01t00:00:01z",
                           "2026-01-01T00:00:01,5Z", "2026-01-01T00:00:01+0100"}) {
    CAPTURE(time);
    std::vector<std::string> const lines{
        R"({"type":"session","id":"x","key":"k","created":"2026-01-01T00:00:00.5+00:00"})",
        R"({"type":"user","content":"hi","ts":")" + std::string(time) + "\"}"};
    sk::Log log = log_of(lines, flat);
    log.lines = lines;
    auto const document = convert(log, flat, *sk::find_dialect("blades"));
    auto const written = json::parse(document.text);
    CHECK(written["history"][0]["timestamp"] == sk::to_rfc3339(log.entries.back().at));
    CHECK(written["created_at"] == "2026-01-01T00:00:00.5+00:00");
    CHECK(sk::export_blades(log, sid("x")).text == document.text); // the lines show their dialect
    auto const back = lines_of(convert(sk::import_blades(document.text).value(), native, flat).text);
    CHECK(json::parse(back.front())["created"] == "2026-01-01T00:00:00.5+00:00");
    CHECK(back.back() == lines[1]);
  }
}

TEST_CASE("a kept time that no longer fits is a member like others, and a line that is written again keeps "
          "its own") {
  std::vector<std::string> lines{
      log_header("x"),
      R"({"type":"message","id":"a","timestamp":"2026-01-01T00:00:02.000Z","flatTime":"2026-01-01T00:00:01.1234Z","message":{"role":"user","content":"hi"}})"};
  auto const changed = json::parse(lines_of(convert(log_of(lines, native), native, flat).text).back());
  CHECK(changed["ts"] == "2026-01-01T00:00:02.000Z");
  CHECK(changed["flatTime"] == "2026-01-01T00:00:01.1234Z");

  std::string const twice =
      R"({"type":"message","id":"a","timestamp":"2026-01-01T00:00:03.5+01:00","message":{"role":"user","content":"again"}})";
  lines.push_back(twice);
  sk::Log log = log_of(lines, native);
  log.lines = lines;
  auto const again = json::parse(lines_of(convert(log, native, native).text).back());
  CHECK(again["id"] != "a");
  CHECK(again["timestamp"] == "2026-01-01T00:00:03.5+01:00");
}

TEST_CASE("a message of which the first part cannot be written keeps its time and its other members") {
  std::vector<std::string> const lines{
      log_header("x"),
      R"({"type":"message","id":"d","parentId":null,"timestamp":"2025-01-01T00:00:01.123456Z","mood":1,"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"said"}]}})",
      R"({"type":"message","id":"e","parentId":"d","timestamp":"1970-01-01T00:00:00.000Z","flatTime":true,"message":{"role":"user","content":"z"}})"};
  sk::Log log = log_of(lines, native);
  log.lines = lines;
  auto const there = lines_of(convert(log, native, flat).text);
  REQUIRE(there.size() == 3);
  CHECK(json::parse(there[1])["mood"] == 1);
  CHECK(json::parse(there[1])["nativeTime"] == "2025-01-01T00:00:01.123456Z");
  CHECK(json::parse(there[2])["ts"] == "1970-01-01T00:00:00.000Z"); // true is no time
}

TEST_CASE("a member of the line that has the name of a kept time stays, and the lost text is listed") {
  std::vector<std::string> lines{
      R"({"type":"session","id":"x","key":"k","created":"2026-01-01T00:00:00.000Z"})",
      R"({"type":"user","content":"a","ts":"2025-01-01T00:00:00.123Z","flatTime":"2025-01-01T00:00:00.123999Z"})",
      R"({"type":"user","content":"b","ts":"2025-01-01T00:00:01.123456Z","flatTime":"junk"})"};
  sk::Log log = log_of(lines, flat);
  log.lines = lines;
  for (sk::Dialect const* to : {&flat, &native}) {
    auto const there = convert(log, flat, *to);
    auto const made = lines_of(there.text);
    REQUIRE(made.size() == 3);
    CHECK(json::parse(made[1])["flatTime"] == "2025-01-01T00:00:00.123999Z");
    CHECK(json::parse(made[1])[std::string(to->line_time)] == "2025-01-01T00:00:00.123Z");
    CHECK(json::parse(made[2])["flatTime"] == "junk");
    REQUIRE(there.losses.size() == 1);
    CHECK(there.losses.front().what.find("the text of its time") == 0);
  }
}

TEST_CASE("each line that a message becomes keeps the text of its time") {
  std::string const time = R"("2025-01-01T00:00:02.123456+01:00")";
  std::vector<std::string> const panel_lines{
      panel_header,
      R"({"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"1","name":"a","input":{}}]},"timestamp":)"
          + time + "}"};
  std::vector<std::string> const flat_lines{
      R"({"type":"session","id":"x","key":"k","created":"2026-01-01T00:00:00.000Z"})",
      R"({"type":"tool_use","name":"a","tool_use_id":"1","input":{},"ts":"2026-01-01T00:00:01.000Z"})",
      R"({"type":"tool_use","name":"b","tool_use_id":"2","input":{},"ts":"2026-01-01T00:00:01.000Z"})",
      R"({"type":"tool_result","tool_use_id":"1","output":"x","ts":)" + time + "}",
      R"({"type":"tool_result","tool_use_id":"2","output":"y","ts":)" + time + "}"};
  auto const round = [](std::vector<std::string> const& lines, sk::Dialect const& from,
                        sk::Dialect const& by) {
    sk::Log log = log_of(lines, from);
    log.lines = lines;
    auto const there = lines_of(convert(log, from, by).text);
    sk::Log other = log_of(there, by);
    other.lines = there;
    return lines_of(convert(other, by, from).text);
  };
  auto const of_panel = round(panel_lines, panel, flat);
  REQUIRE(of_panel.size() == 3);
  for (std::size_t i : {1U, 2U}) CHECK(of_panel[i].find("\"timestamp\":" + time) != std::string::npos);
  auto const of_flat = round(flat_lines, flat, panel);
  REQUIRE(of_flat.size() == 5);
  for (std::size_t i : {3U, 4U}) CHECK(of_flat[i].find("\"ts\":" + time) != std::string::npos);
}

TEST_CASE("of results that become one line the first keeps its time, and the others are listed") {
  std::vector<std::string> lines{
      R"({"type":"session","id":"x","key":"k","created":"2026-01-01T00:00:00+00:00"})",
      R"({"type":"tool_use","name":"a","tool_use_id":"1","input":{},"ts":"2026-01-01T00:00:01.000001+00:00"})",
      R"({"type":"tool_use","name":"b","tool_use_id":"2","input":{},"ts":"2026-01-01T00:00:01.000002+00:00"})",
      R"({"type":"tool_result","tool_use_id":"1","output":"x","ts":"2026-01-01T00:00:01.000003+00:00"})",
      R"({"type":"tool_result","tool_use_id":"2","output":"y","ts":"2026-01-01T00:00:01.000004+00:00"})"};
  sk::Log log = log_of(lines, flat);
  log.lines = lines;
  auto const there = convert(log, flat, panel);
  REQUIRE(there.losses.size() == 1);
  CHECK(there.losses.front().what == "the time of a result: it is joined with others");
  auto const back = lines_of(convert(log_of(there.text, panel), panel, flat).text);
  REQUIRE(back.size() == 5);
  CHECK(json::parse(back[3])["ts"] == "2026-01-01T00:00:01.000003+00:00");
}

TEST_CASE("times that other programs cannot read are moved into four digits and reported") {
  auto line = [](std::string const& ms) {
    return R"({"type":"message","message":{"role":"user","content":"x"},"timestamp":)" + ms + "}";
  };
  auto const log = log_of(
      std::vector<std::string>{panel_header, line("99999999999999999"), line("-99999999999999"), line("5")},
      panel);
  for (auto const& converted :
       {convert(log, panel, native), convert(log, panel, flat), sk::export_blades(log, sid("x"))}) {
    CHECK(converted.losses.size() == 2);
    CHECK_THAT(converted.text, contains("9999-12-31T23:59:59.999Z"));
    CHECK_THAT(converted.text, contains("0000-01-01T00:00:00.000Z"));
  }
  CHECK(convert(log, panel, panel).losses.empty());
}
