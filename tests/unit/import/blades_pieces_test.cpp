// SPDX-License-Identifier: MIT
// Documents of blades that are cut, damaged or no documents: what is whole is read, and the rest is located.
#include "support/blades_documents.hpp"
#include "support/catch.hpp"
#include "support/every_provider.hpp"
#include "support/foreign_fixtures.hpp"
#include "support/long_form.hpp"
#include "support/random.hpp"

#include <cstdio>
#include <functional>
#include <set>

using namespace sessionkit_test;
using nlohmann::ordered_json;
namespace sk = sessionkit;

namespace {

// A document as Go writes it, and where each message is in it.
struct Placed {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> messages = {}; ///< begin and end
};

Placed placed_document(std::size_t messages = 6, int indent = -1) {
  ordered_json document = full_blades_document();
  document["history"] = ordered_json::array();
  Placed out;
  std::vector<std::string> items;
  for (std::size_t i = 1; i <= messages; ++i) {
    ordered_json item{{"role", i % 2 == 1 ? "user" : "assistant"},
                      {"text", "say {\"role\": " + std::to_string(i)}};
    if (i % 2 == 0)
      item["tool_calls"] = {{{"id", "c" + std::to_string(i)}, {"name", "n"}, {"args", {{"role", "user"}}}}};
    item["timestamp"] = "2026-01-01T00:00:0" + std::to_string(i % 10) + "Z";
    items.push_back(item.dump());
    document["history"].push_back(std::move(item));
  }
  out.text = document.dump(indent);
  if (indent >= 0) return out;
  for (std::size_t i = 0, at = 0; i < items.size(); ++i) {
    at = out.text.find(items[i], at);
    out.messages.emplace_back(at, at + items[i].size());
  }
  return out;
}

std::vector<std::string> texts_of(sk::Log const& log) {
  std::vector<std::string> texts;
  for (sk::Entry const& entry : log.entries)
    if (auto const* const message = entry.as<sk::Message>()) texts.push_back(message->text());
  return texts;
}

// What must hold for any bytes. Returns false if the document is refused.
bool check_any(std::string const& text, bool finished, bool with_requests) {
  sk::ImportReport report;
  auto const log = blades_log(text, finished, &report);
  if (!log) {
    CHECK(log.error().message.rfind("talk.json: ", 0) == 0);
    return false;
  }
  std::set<std::string> ids;
  for (sk::Entry const& entry : log->entries) {
    if (entry.as<sk::Header>()) continue;
    CHECK((entry.link == sk::Parent::root || ids.count(entry.parent.str()) == 1));
    CHECK(ids.insert(entry.id.str()).second);
  }
  for (std::string const& line : native_lines(*log)) {
    CHECK(line.find('\n') == std::string::npos);
    sk::RecordView record;
    std::deque<std::string> kept;
    CHECK((sk::native_dialect().head(line, record, kept) && sk::native_dialect().decode(record).ok()));
  }
  for (sk::Damage const& one : report.damage)
    CHECK((!one.what.empty() && one.offset + one.length <= text.size()));
  if (with_requests) CHECK(refusals(context_of(*log)) == Faults{});
  return true;
}

}

TEST_CASE(
    "cut at every byte, a document of blades gives the messages before the cut and says where it ends") {
  for (Placed const& whole : {placed_document(), placed_document(0)}) {
    std::vector<std::string> const all = texts_of(blades_log(whole.text).value());
    std::size_t const history = whole.text.find("\"history\":[") + 10; // its bracket
    for (std::size_t size = 0; size < whole.text.size(); size += sanitizer_share) {
      CAPTURE(size);
      std::string const cut = whole.text.substr(0, size);
      CHECK_FALSE(check_any(cut, false, false)); // the program may be writing it
      sk::ImportReport report;
      auto const log = blades_log(cut, true, &report);
      REQUIRE(log.ok() == (size > history));
      if (!log) continue;
      std::size_t before = 0;
      for (auto const& [begin, end] : whole.messages) before += end <= size ? 1U : 0U;
      std::vector<std::string> const texts = texts_of(*log);
      CHECK(texts
            == std::vector<std::string>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before)));
      std::vector<sk::Damage> damage = report.damage;
      REQUIRE(damage.size() == 1);
      CHECK(damage[0].kind == sk::DamageKind::torn_tail);
      CHECK(damage[0].offset + damage[0].length == size);
    }
  }
}

TEST_CASE("a damaged message of a document of blades costs only itself and is located") {
  Placed const whole = placed_document();
  std::vector<std::string> const all = texts_of(blades_log(whole.text).value());
  std::vector<std::function<void(std::string&)>> const ways{
      [](std::string& item) { item.erase(item.find("\"text\"") + 7, 1); },     // a quote less
      [](std::string& item) { item.insert(item.find("\"text\"") + 8, "\""); }, // a quote more
      [](std::string& item) { item.erase(item.size() - 1); },                  // its last bracket
      [](std::string& item) { item.insert(1, "{"); },                          // a bracket more
      [](std::string& item) { item[item.find("\"text\"") + 6] = '='; },        // no colon
      [](std::string& item) { item[item.find("say")] = '\n'; },                // a control byte
      [](std::string& item) { item.replace(item.find("\"say"), 4, "\"\\q"); }, // no escape
      [](std::string& item) { item = "7"; },                                   // no object
      [](std::string& item) { item = "\"half a"; },                            // a string without its end
      [](std::string& item) {
        item.insert(1, "\"d\":" + std::string(200, '[') + std::string(200, ']') + ',');
      },
      [](std::string& item) {
        item.insert(1, "\"d\":" + std::string(100'000, '[') + std::string(100'000, ']') + ',');
      }};
  std::size_t runs = 0;
  for (std::size_t way = 0; way < ways.size(); ++way)
    for (std::size_t i = 0; i < whole.messages.size(); ++i) {
      CAPTURE(way, i);
      auto const [begin, end] = whole.messages[i];
      std::string item = whole.text.substr(begin, end - begin);
      ways[way](item);
      sk::ImportReport report;
      auto const log = blades_log(whole.text.substr(0, begin) + item + whole.text.substr(end), true, &report);
      REQUIRE(log.ok());
      std::vector<std::string> expected = all;
      bool const stays = way == 3; // the message behind the bracket is whole
      if (!stays) expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK(texts_of(*log) == expected);
      REQUIRE_FALSE(report.damage.empty());
      CHECK((report.damage[0].offset >= begin && report.damage[0].offset <= begin + item.size()));
      CHECK(sk::is_damage(report.damage[0].kind));
      CHECK(log->entries.front().at == sk::parse_rfc3339("2026-01-01T00:00:00.000001Z").value());
      ++runs;
    }
  std::printf("%zu damaged messages of blades\n", runs);
}

TEST_CASE("a damaged member of a document of blades costs no message") {
  Placed const whole = placed_document();
  std::vector<std::string> const all = texts_of(blades_log(whole.text).value());
  std::size_t read = 0;
  for (std::size_t at = 0; at < whole.text.size(); ++at) {
    std::size_t const history = whole.text.find("\"history\":[");
    if (at >= history && at < whole.messages.back().second + 1)
      continue; // the name, the messages, the bracket
    std::string changed = whole.text;
    changed[at] = changed[at] == '"' ? 'x' : '"';
    CAPTURE(at);
    sk::ImportReport report;
    auto const log = blades_log(changed, true, &report);
    if (!log && log.error().code == sk::Errc::unsupported_version) continue;
    REQUIRE(log.ok());
    CHECK(texts_of(*log) == all);
    ++read;
  }
  CHECK(read > 200);
}

TEST_CASE("brackets, commas and lists that damage puts beside the messages of blades cost no message") {
  Placed const whole = placed_document();
  std::vector<std::string> const all = texts_of(blades_log(whole.text).value());
  std::size_t const list = whole.messages.front().first, member = whole.text.find("\"history\":[");
  std::vector<std::string> changed;
  for (char const* brackets : {"]]]]", "[", "],", "}", "]}"})
    for (auto const& message : whole.messages)
      changed.push_back(std::string(whole.text).insert(message.first, brackets));
  changed.push_back(std::string(whole.text).erase(member - 1, 1)); // the comma before the member
  changed.push_back(std::string(whole.text).insert(whole.messages.back().second + 1, ",\"history\":["));
  REQUIRE(whole.text[list - 1] == '[');
  for (std::string const& text : changed) {
    CAPTURE(text);
    sk::ImportReport report;
    auto const log = blades_log(text, true, &report);
    REQUIRE(log.ok());
    CHECK(texts_of(*log) == all);
    CHECK_FALSE(report.damage.empty());
  }
}

TEST_CASE("a whole document of blades is read by its structure, whatever its other members have") {
  std::string const
      said = R"({"role":"user","text":"A","timestamp":"2026-01-01T00:00:00Z"})",
      other = R"({"role":"user","text":"OTHER","timestamp":"2026-01-01T00:00:00Z"})",
      begin = R"({"id":"s","state":{},)",
      end = R"("created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","version":1})";
  for (std::string const& between :
       {"\"archive\":[" + other + "],", std::string(R"("owner":{"role":"admin"},)"),
        std::string(R"("participants":[{"role":"user","name":"Bob"}],)")}) {
    sk::ImportReport report;
    CHECK(texts_of(blades_log(begin + "\"history\":[" + said + "]," + between + end, true, &report).value())
          == std::vector<std::string>{"A"});
    CHECK(report.damage.empty());
  }
  std::string const twice = begin + "\"history\":[" + other + "],\"history\":[" + said + "]," + end;
  CHECK(texts_of(blades_log(twice).value()) == std::vector<std::string>{"A"}); // the last one counts
}

TEST_CASE("a damaged state or last message of a document of blades costs no other message and no member") {
  std::string const said = R"({"role":"user","text":"A","timestamp":"2026-01-01T00:00:00Z"})",
                    end = R"("created_at":"2026-01-01T00:00:00Z","version":1,"metadata":{"role":"admin"}})";
  for (char const* state : {R"({"a":1}"b":2})", R"({"a":1},"b":2})", R"({"a":1]"b":2})", R"({"a":1}]})"}) {
    CAPTURE(state);
    std::string const text =
        std::string(R"({"id":"s","state":)") + state + ",\"history\":[" + said + "]," + end;
    CHECK(texts_of(blades_log(text).value()) == std::vector<std::string>{"A"});
  }
  sk::ImportReport report;
  auto const log =
      blades_log(R"({"id":"s","state":{},"history":[)" + said + R"(,{"role":"assistant","text":bad}],)" + end,
                 true, &report)
          .value();
  CHECK(texts_of(log) == std::vector<std::string>{"A"});
  CHECK(report.damage.size() == 1);
  CHECK(log.entries.front().at == sk::parse_rfc3339("2026-01-01T00:00:00Z").value());
}

TEST_CASE("a document of blades that is changed at random is read as far as it is good, or refused") {
  constexpr std::size_t seeds = 3000 / sanitizer_share;
  std::size_t read = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    std::string text =
        seed % 2 == 0 ? placed_document(4).text : full_blades_document().dump(seed % 4 == 1 ? 1 : -1);
    for (std::size_t n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
      std::size_t const at = random.below(text.size());
      switch (random.below(6)) {
      case 0: text[at] = random.byte(); break;
      case 1: text[at] = "{}[]\",:0n\\u"[random.below(11)]; break;
      case 2: text.erase(at, 1 + random.below(40)); break;
      case 3: text.insert(at, text.substr(random.below(text.size()), random.below(80))); break;
      case 4: text.insert(at, "{\"role\":\"user\","); break;
      default: text.resize(at); break;
      }
    }
    CAPTURE(seed);
    (check_any(text, seed % 3 != 0, seed % 5 == 0) ? read : refused) += 1;
  }
  std::printf("blades: %zu documents read, %zu refused\n", read, refused);
  CHECK(read > seeds / 6);
}

TEST_CASE("members of a document of blades with values of any type end no reading") {
  ordered_json const whole = full_blades_document();
  std::vector<ordered_json::json_pointer> places;
  std::function<void(ordered_json const&, ordered_json::json_pointer const&)> const collect =
      [&](ordered_json const& value, ordered_json::json_pointer const& at) {
        if (!value.is_structured()) return;
        for (auto const& [name, inner] : value.items()) {
          auto const place = value.is_array() ? at / static_cast<std::size_t>(std::stoul(name)) : at / name;
          places.push_back(place);
          collect(inner, place);
        }
      };
  collect(whole, ordered_json::json_pointer());
  REQUIRE(places.size() > 60);
  for (auto const& place : places)
    for (char const* value : {"null", "-1", "1e300", "true", "\"\"", "\"x\"", "[]", "{}", "[null]", "[{}]",
                              "18446744073709551616", "{\"a\":{\"b\":[1]}}"}) {
      ordered_json changed = whole;
      changed[place] = ordered_json::parse(value);
      CAPTURE(place.to_string(), value);
      check_any(changed.dump(), true, true);
    }
}

TEST_CASE("a message longer than the limit costs only itself, and a file longer than the limit is refused") {
  ordered_json document = full_blades_document();
  document["history"][1]["text"] = std::string(5000, 'x');
  sk::ImportLimits limits;
  limits.max_line = 1000;
  sk::ImportReport report;
  sk::Log const log = blades_log(document.dump(), true, &report, limits).value();
  REQUIRE(report.damage.size() == 2);
  CHECK(report.damage[0].kind == sk::DamageKind::oversize);
  CHECK(report.damage[0].length > 5000);
  CHECK(log.entries.size() == 9);
  limits.max_file = 1000;
  CHECK(blades_log(document.dump(), true, nullptr, limits).error().code == sk::Errc::unsupported);
}

TEST_CASE("a text that only looks like many damaged documents of blades is read in proportional time") {
  for (std::string const& piece :
       {std::string("{\"role\":"), std::string("\"history\":[x,"),
        std::string("\"history\":[{\"role\":\"user\",\"text\":\"\""), std::string("\"created_at\":{"),
        std::string("{\"role\":\"user\",\"text\":\"a\",\"timestamp\":\"\",\"x\":"),
        std::string("{\"role\":\"user\",\"text\":\"a\",\"timestamp\":\"\"},["),
        std::string("{\"role\":\"user\",\"text\":\"a\",\"timestamp\":\"\"} [["),
        std::string("],\"created_at\" "), std::string("],\"created_at\":\"\"} ")}) {
    std::string text = "{\"id\":\"x\",\"state\":{},\"history\":[";
    while (text.size() < std::size_t{4} << 20) text += piece;
    sk::ImportReport report;
    auto const log = blades_log(text, true, &report); // a run of minutes would be a failure of this test
    if (log) CHECK_FALSE(report.damage.empty());
  }
}
