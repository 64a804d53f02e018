// SPDX-License-Identifier: MIT
#include "support/blades.hpp"
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/exchange/blades_document.hpp>
#include <sessionkit/time.hpp>

#include <deque>

using namespace sessionkit_test;
using nlohmann::json;
using sk::Errc;
using sk::detail::BladesDocument;

namespace {

sk::Timestamp at(char const* time) { return sk::parse_rfc3339(time).value(); }

BladesDocument parsed(std::string const& text) { return BladesDocument::parse(text, "p").value(); }

sk::Result<void> append(BladesDocument& document, std::vector<std::string> const& lines,
                        char const* now = "2025-06-01T00:00:00Z") {
  BladesBatch const batch(lines);
  return document.append(batch.append.records, at(now));
}

std::string after(std::string const& text, std::vector<std::string> const& lines) {
  BladesDocument document = parsed(text);
  append(document, lines).value();
  return document.text();
}

}

TEST_CASE("a message is put behind the last one, and every other byte of a document stays") {
  std::string const m = R"({"role":"user","text":"m","timestamp":"2025-06-01T00:00:00Z"})";
  struct Row {
    char const *before, *after; // `M` is the message
  };
  for (Row const& row : {
           Row{R"({"id":"s","history":[],"version":1})", R"({"id":"s","history":[M],"version":1})"},
           Row{"{\"history\" : [ \n\t] , \"id\":\"s\"}\n", "{\"history\" : [M] , \"id\":\"s\"}\n"},
           Row{R"({"history":null})", R"({"history":[M]})"},
           Row{R"({"history":[{"text":"]","role":"user"}]})",
               R"({"history":[{"text":"]","role":"user"},M]})"},
           Row{"{\"a\":1.0,\"history\":[\n  {\"role\" : \"user\"} \n ],\"b\":1e2}",
               "{\"a\":1.0,\"history\":[\n  {\"role\" : \"user\"},M \n ],\"b\":1e2}"},
           Row{R"({"history":[7,[1,{"history":[]}]],"x":"\u0041"})",
               R"({"history":[7,[1,{"history":[]}],M],"x":"\u0041"})"},
           Row{"\xEF\xBB\xBF{\"history\":[]}", "{\"history\":[M]}"},
       }) {
    CAPTURE(row.before);
    std::string expected = row.after;
    expected.replace(expected.find('M'), 1, m);
    CHECK(after(row.before, {m}) == expected);
  }
  CHECK(after(R"({"history":[]})", {m, m}) == R"({"history":[)" + m + ',' + m + "]}");
}

TEST_CASE("a changed state keeps the spelling and the place of the other members") {
  std::string const before =
      R"({"state":{"n":1.0, "big":123456789012345678901,"t":"\u0041"},"history":[],"version":1})";
  CHECK(after(before, {R"({"state":{"t":true,"new":[]}})"})
        == R"({"state":{"n":1.0,"big":123456789012345678901,"t":true,"new":[]},"history":[],"version":1})");
  CHECK(after(before, {R"({"state":{},"removed":["big","absent"]})"})
        == R"({"state":{"n":1.0,"t":"\u0041"},"history":[],"version":1})");
  CHECK(after(R"({"history":[]})", {blades_state(1)}) == R"({"history":[],"state":{"n":1}})");
  CHECK(after(R"({"state":null,"history":[]})", {blades_state(1), blades_state(2)})
        == R"({"state":{"n":2},"history":[]})");
}

TEST_CASE("the time of saving is that of the newest message, and never goes back") {
  auto const saved = [](char const* before, std::vector<std::string> const& lines, char const* now) {
    BladesDocument document = parsed(std::string(R"({"history":[],"updated_at":)") + before + "}");
    append(document, lines, now).value();
    return json::parse(document.text())["updated_at"];
  };
  auto const message = [](char const* time) {
    return std::string(R"({"role":"user","timestamp":")") + time + R"("})";
  };
  char const* const old = R"("2025-01-01T00:00:00Z")";
  CHECK(saved(old, {message("2025-02-01T00:00:00.5+01:00")}, "2025-09-01T00:00:00Z")
        == "2025-02-01T00:00:00.5+01:00");
  CHECK(saved(old, {message("2025-03-01T00:00:00Z"), message("2025-02-01T00:00:00Z")}, "2025-09-01T00:00:00Z")
        == "2025-03-01T00:00:00Z");
  CHECK(saved(old, {message("2024-02-01T00:00:00Z")}, "2025-09-01T00:00:00Z") == "2025-01-01T00:00:00Z");
  CHECK(saved(old, {blades_state(1)}, "2025-09-01T00:00:00Z") == "2025-09-01T00:00:00.000Z");
  CHECK(saved(old, {blades_state(1)}, "2024-09-01T00:00:00Z") == "2025-01-01T00:00:00Z");
  CHECK(saved("7", {blades_state(1)}, "2025-09-01T00:00:00Z") == 7);
}

TEST_CASE("a position stays where it is when the state changes, and items that are no object are damage") {
  BladesDocument document = BladesDocument::start(blades_header("s"), "p").value();
  CHECK(document.end() == sk::Position{1});
  append(document, {blades_state(1)}).value();
  CHECK(document.end() == sk::Position{2});
  append(document, {R"({"state":{},"removed":["n"]})"}).value();
  CHECK(document.end() == sk::Position{1});
  append(document, {blades_message("a"), blades_message("b")}).value();
  CHECK(document.end() == sk::Position{4});
  append(document, {blades_state(1)}).value();
  CHECK(document.end() == sk::Position{4});

  BladesDocument const odd = parsed(R"({"id":"s","state":{"n":1},"history":[{"role":"user"},"x",{"role":
"user"},null]})");
  sk::RecordPage const page = odd.records();
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (auto const& item : page.items()) found.emplace_back(item.end.value(), std::string(item.line));
  CHECK(found
        == std::vector<std::pair<std::uint64_t, std::string>>{{1, R"({"id":"s"})"},
                                                              {2, R"({"state":{"n":1}})"},
                                                              {3, R"({"role":"user"})"},
                                                              {5, R"({"role": "user"})"}});
  REQUIRE(page.damage.size() == 2);
  CHECK(page.damage[0].offset == 4);
  CHECK(page.damage[1].offset == 6);
  CHECK(page.log_end == sk::Position{6});
}

TEST_CASE("a line that blades could not read is refused, and the document stays as it was") {
  std::string const text = R"({"id":"s","state":{"n":1},"history":[{"role":"user","text":"a"}],"version":1})";
  for (char const* line :
       {R"({"type":"message","role":"user"})", R"({"id":"again"})", R"({"text":"no role"})", R"({"role":1})",
        R"({"role":"user","text":7})", R"({"role":"user","timestamp":"yesterday"})",
        R"({"role":"user","timestamp":1})"}) {
    CAPTURE(line);
    BladesDocument document = parsed(text);
    CHECK(append(document, {blades_message("first"), blades_state(9), line}).error().code
          == Errc::unsupported);
    CHECK(document.text() == text);
  }
  BladesDocument document = parsed(text);
  CHECK(append(document, {R"({"role":"user")"}).error().code == Errc::invalid_argument);
  CHECK(document.text() == text);
  CHECK(BladesDocument::start(R"({"version":1})", "p").error().code == Errc::unsupported);
  CHECK(BladesDocument::start(R"({"type":"session","id":"s"})", "p").error().code == Errc::unsupported);
}

TEST_CASE("a document that is cut short at any byte is corrupt, and another version is not understood") {
  std::string const whole = after(R"({"id":"s","state":{"n":[1,{}]},"history":[],"version":1})",
                                  {blades_message("a"), blades_message("b")});
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE(BladesDocument::parse(whole.substr(0, size), "p").error().code == Errc::corrupt);
  for (char const* none : {"[]", "7", R"({"history":{}})", R"({"history":"x"})", R"({"id":"s"})", "{} {}"})
    CHECK(BladesDocument::parse(none, "p").error().code == Errc::corrupt);
  for (char const* version : {"2", "\"1\"", "1.5", "null"})
    CHECK(BladesDocument::parse(std::string(R"({"history":[],"version":)") + version + '}', "p").error().code
          == Errc::unsupported_version);
}

TEST_CASE("random appends to random documents give what a plain list of messages gives") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    json state = json::object(), history = json::array();
    std::string text =
        json{{"id", "s"}, {"state", state}, {"history", history}, {"version", 1}, {"x", {1, 2}}}.dump(
            random.one_in(2) ? -1 : static_cast<int>(random.below(4)));
    for (int step = 0; step < 8; ++step) {
      BladesDocument document = parsed(text);
      std::vector<std::string> lines;
      for (std::size_t i = 0; i <= random.below(3); ++i) {
        std::string const name = random.one_of({"a", "b\"c", "\xC3\xA9"});
        json line;
        switch (random.below(3)) {
        case 0: line = {{"state", {{name, step}}}}, state[name] = step; break;
        case 1: line = {{"removed", {name}}}, state.erase(name); break;
        default: line = {{"role", "user"}, {"text", name}, {"extra", {step}}}, history.push_back(line);
        }
        lines.push_back(line.dump());
      }
      append(document, lines).value();
      text = document.text();
      json const now = json::parse(text);
      REQUIRE(now["state"] == state);
      REQUIRE(now["history"] == history);
      REQUIRE(now["x"] == json({1, 2}));
      REQUIRE(document.end().value() == (history.empty() ? (state.empty() ? 1 : 2) : 2 + history.size()));
      sk::RecordPage const page = document.records();
      REQUIRE(page.items().size() == 1 + (state.empty() ? 0 : 1) + history.size());
    }
  }
}
