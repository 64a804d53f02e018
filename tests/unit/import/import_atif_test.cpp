// SPDX-License-Identifier: MIT
// Trajectories of ATIF: what other programs may write in them, growth, and documents that are none.
#include "support/catch.hpp"
#include "support/foreign_fixtures.hpp"

#include <sessionkit/import.hpp>

#include <nlohmann/json.hpp>

#include <random>
#include <string>
#include <vector>

using namespace sessionkit_test;
using nlohmann::json;
namespace sk = sessionkit;

namespace {

json call(std::string const& id) {
  return {{"tool_call_id", id}, {"function_name", "look"}, {"arguments", {{"path", "a"}}}};
}

json trajectory() {
  json const image = {{"type", "image"}, {"source", {{"media_type", "image/png"}, {"path", "shots/1.png"}}}};
  json const far = {{"type", "image"},
                    {"source", {{"media_type", "image/png"}, {"path", "https://a.example/b"}}}};
  json const outside = {{"type", "image"},
                        {"source", {{"media_type", "image/png"}, {"path", "../../secret"}}}};
  json const text = {{"type", "text"}, {"text", "Look."}};
  return {{"schema_version", "ATIF-v1.8"},
          {"session_id", "run-1"},
          {"agent", {{"name", "terminus"}, {"version", "2"}, {"model_name", "m-1"}}},
          {"steps",
           {{{"step_id", 1}, {"source", "system"}, {"message", "Be brief."}},
            {{"step_id", 2}, {"source", "user"}, {"message", {text, image, far, outside}}},
            {{"step_id", 3},
             {"source", "agent"},
             {"message", ""},
             {"reasoning_content", "Two calls."},
             {"tool_calls", {call("c1"), call("c2")}},
             {"observation",
              {{"results",
                {{{"source_call_id", "c1"}, {"content", "one"}},
                 {{"source_call_id", "c2"}, {"content", {text}}},
                 {{"content", "of no call"}}}}}},
             {"metrics", {{"prompt_tokens", 10}, {"completion_tokens", 4}, {"cached_tokens", 3}}}},
            {{"step_id", 4}, {"source", "agent"}, {"message", "Done."}, {"model_name", "m-2"}}}},
          {"subagent_trajectories",
           {{{"schema_version", "ATIF-v1.8"},
             {"trajectory_id", "helper"},
             {"agent", {{"name", "h"}, {"version", "1"}}},
             {"steps", {{{"step_id", 1}, {"source", "user"}, {"message", "Help."}}}}}}}};
}

std::unique_ptr<sk::ForeignFiles> files_of(std::string const& document) {
  return sk::make_foreign_files({{"t/run.json", document}, {"t/shots/1.png", "\x89PNG"}, {"secret", "no"}});
}

sk::Result<sk::Log> log_of(std::string const& document, bool finished = true,
                           sk::ImportReport* report = nullptr) {
  auto files = files_of(document);
  auto const sessions = sk::atif_importer().list(*files, "t/run.json");
  if (!sessions) return sessions.error();
  sk::ImportOptions options;
  options.finished = finished;
  return sk::import_log(sk::atif_importer(), *files, sessions->front(), options, report);
}

sk::Message const& message(sk::Log const& log, std::size_t entry) {
  return *log.entries.at(entry).as<sk::Message>();
}

}

TEST_CASE("a trajectory of another program becomes messages, calls with their results, and images") {
  sk::ImportReport report;
  auto const log = log_of(trajectory().dump(), true, &report).value();
  REQUIRE(log.entries.size() == 7); // the header, four steps and two results
  CHECK(message(log, 1).role == sk::Role::system);
  auto const& asked = message(log, 2);
  REQUIRE(asked.parts.size() == 4);
  CHECK(std::get<sk::Base64>(std::get<sk::Image>(asked.parts[1]).source).data == "iVBORw==");
  CHECK(std::get<sk::Url>(std::get<sk::Image>(asked.parts[2]).source).url == "https://a.example/b");
  CHECK(std::holds_alternative<sk::Opaque>(asked.parts[3])); // it is not below the document's folder
  REQUIRE(report.losses.size() == 1);
  CHECK(report.losses[0].what.find("../../secret") != std::string::npos);
  auto const& answer = message(log, 3);
  CHECK(std::get<sk::Thinking>(answer.parts.at(0)).text == "Two calls.");
  CHECK(answer.tool_uses().size() == 2);
  CHECK(answer.generation->model == "m-1");
  CHECK(answer.generation->usage->input == 7);
  CHECK(std::get<sk::ToolResult>(message(log, 4).parts[0]).tool_use_id == "c1");
  CHECK(message(log, 6).generation->model == "m-2");
  CHECK(report.passed_over.at("observation without a call") == 1);
}

TEST_CASE("a trajectory of a subagent is a session of its own") {
  auto files = files_of(trajectory().dump());
  CHECK(sk::find_importer(sk::known_importers(), *files, "t/run.json").value() == &sk::atif_importer());
  auto const sessions = sk::atif_importer().list(*files, "t/run.json").value();
  REQUIRE(sessions.size() == 2);
  CHECK(sessions[0].id == "run-1");
  CHECK(sessions[1].id == "helper");
  CHECK(sessions[1].parent == "run-1");
  auto const log = sk::import_log(sk::atif_importer(), *files, sessions[1]).value();
  REQUIRE(log.entries.size() == 2);
  CHECK(message(log, 1).text() == "Help.");
}

TEST_CASE("the import of a trajectory that grows only appends") {
  json const whole = trajectory();
  std::vector<std::string> before;
  for (std::size_t steps = 1; steps <= whole["steps"].size(); ++steps) {
    json part = whole;
    part["steps"].erase(part["steps"].begin() + static_cast<std::ptrdiff_t>(steps), part["steps"].end());
    auto const log = log_of(part.dump(), false).value();
    std::vector<std::string> lines;
    for (sk::Entry const& entry : log.entries)
      REQUIRE(sk::native_dialect().encode(entry, lines.emplace_back()));
    REQUIRE(lines.size() >= before.size());
    CHECK(std::equal(before.begin(), before.end(), lines.begin()));
    before = lines;
  }
  CHECK(before.size() == 6); // the last step is held back
}

TEST_CASE("of a damaged trajectory each whole step is read, as it is read of the whole one") {
  json const document = trajectory();
  std::string const whole = document.dump();
  auto const lines_of = [](sk::Log const& log) {
    std::vector<std::string> lines;
    for (std::size_t i = 1; i < log.entries.size(); ++i)
      REQUIRE(sk::native_dialect().encode(log.entries[i], lines.emplace_back()));
    return lines;
  };
  auto const all = lines_of(log_of(whole).value());
  std::size_t refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    std::size_t steps = 0; // those that are whole before the cut
    for (json const& step : document["steps"])
      steps += whole.find(step.dump()) + step.dump().size() <= size ? 1U : 0U;
    sk::ImportReport report;
    auto const log = log_of(whole.substr(0, size), true, &report);
    REQUIRE(log.ok() == (steps > 0));
    refused += steps > 0 ? 0U : 1U;
    CHECK_FALSE(log_of(whole.substr(0, size), false).ok()); // it may become another one
    if (!log) {
      CHECK(log.error().message.find("t/run.json: ") == 0);
      continue;
    }
    std::size_t const entries = steps + (steps >= 3 ? 2 : 0); // two results
    CHECK(lines_of(*log)
          == std::vector<std::string>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(entries)));
    REQUIRE(report.damage.size() == 1);
    CHECK(report.damage[0].offset <= size);
  }
  CHECK(refused > 0);
  json deep = trajectory();
  deep["steps"][1]["extra"] = json::parse(std::string(200, '[') + std::string(200, ']'));
  CHECK(lines_of(log_of(deep.dump(2)).value()).size() == all.size() - 1);
  auto const sessions = sk::atif_importer().list(*files_of(whole), "t/run.json").value();
  auto const inner =
      sk::import_log(sk::atif_importer(), *files_of(whole.substr(0, whole.size() - 1)), sessions[1]);
  CHECK_FALSE(inner.ok()); // nobody knows whose the steps are
}

TEST_CASE("a document that is no whole trajectory is refused by name, or read as far as it is good") {
  std::string const whole = trajectory().dump();
  std::size_t read = 0, refused = 0;
  auto const check = [&](std::string const& document) {
    auto const log = log_of(document);
    if (!log) CHECK(log.error().message.find("t/run.json: ") == 0);
    (log ? read : refused) += 1;
  };
  std::mt19937 random(20261125);
  for (int i = 0; i < 3000; ++i) {
    std::string changed = whole;
    for (int n = 0; n < 1 + i % 4; ++n) changed[random() % changed.size()] = "{}[]\",:0n\\ux"[random() % 12];
    check(changed);
  }
  json odd = trajectory();
  odd["steps"].push_back(7);
  odd["steps"].push_back({{"source", "nobody"}});
  sk::ImportReport report;
  CHECK(log_of(odd.dump(), true, &report).value().entries.size() == 7);
  REQUIRE(report.damage.size() == 1);
  CHECK(odd.dump().substr(report.damage[0].offset, report.damage[0].length) == "7");
  CHECK(report.passed_over.at("step (unknown source)") == 1);
  CHECK(read > 100);
  CHECK(refused > 0);
}
