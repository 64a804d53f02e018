// SPDX-License-Identifier: MIT
// The conversations of other programs, cut at every byte and damaged line by line. The expectation for damage
// is the import of the same file with a blank line in its place; another parser says which lines are damaged.
// tests/interop/import has changes at random.
#include "support/catch.hpp"
#include "support/every_provider.hpp"
#include "support/foreign_fixtures.hpp"
#include "support/foreign_mutator.hpp"
#include "support/physical_lines.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

using Lines = std::vector<std::string>;

struct Place {
  std::size_t begin = 0, end = 0; ///< without the line end
};

std::vector<Place> places_of_lines(std::string const& bytes) {
  std::vector<Place> places;
  for (std::size_t begin = 0; begin < bytes.size(); begin = places.back().end + 1)
    places.push_back({begin, std::min(bytes.find('\n', begin), bytes.size())});
  return places;
}

std::string with(std::string const& bytes, Place where, std::string const& instead) {
  return bytes.substr(0, where.begin) + instead + bytes.substr(where.end);
}

bool begins(Lines const& many, Lines const& few) {
  return few.size() <= many.size() && std::equal(few.begin(), few.end(), many.begin());
}

// The faults of the requests to all providers. Without the models that answered, because a Gemini of old need
// not sign calls and the checker does not know which model is asked.
Faults faults_of_requests(sk::Log log) {
  for (sk::Entry& entry : log.entries)
    if (auto* const message = std::get_if<sk::Message>(&entry.body); message && message->generation)
      message->generation->model.clear();
  return refusals(context_of(log));
}

// What must hold for any bytes. Returns false if no conversation was found in them.
bool check_any(ForeignFixture const& fixture, ForeignReader& reader, std::string const& bytes,
               bool with_requests) {
  sk::ImportReport report;
  auto const log = reader.log(bytes, &report);
  if (!log) {
    CHECK(log.error().message.find(fixture.file) != std::string::npos);
    return false;
  }
  for (sk::Damage const& one : report.damage)
    if (one.what.empty() || one.offset > bytes.size()) FAIL_CHECK("damage at " << one.offset);
  if (with_requests) CHECK(faults_of_requests(*log) == Faults{});
  return true;
}

// All that was said, in any order.
std::multiset<std::string> texts_of(ForeignReader& reader, std::string const& bytes) {
  std::multiset<std::string> texts;
  for (sk::Entry const& entry : reader.log(bytes).value().entries)
    if (auto const* const message = entry.as<sk::Message>())
      for (sk::Part const& part : message->parts)
        if (auto const* const text = std::get_if<sk::Text>(&part)) texts.insert(text->text);
  return texts;
}

// The records of a log as another parser reads them, each with its place.
struct Record {
  Place place;
  Json json;
};
std::vector<Record> records_of(std::string const& bytes) {
  std::vector<Record> records;
  for (Place const& place : places_of_lines(bytes))
    records.push_back(
        {place, Json::parse(bytes.substr(place.begin, place.end - place.begin), nullptr, false)});
  return records;
}

std::string text_at(Json const& record, char const* name) {
  auto const found = record.is_object() ? record.find(name) : record.end();
  return record.is_object() && found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

}

TEST_CASE("cut at every byte, a file of another program gives what its complete records say") {
  std::map<std::string_view, std::size_t> cuts, refused;
  Random random(20261124);
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    std::string const bytes = fixture.bytes();
    std::set<std::size_t> sizes{0};
    bool const small = bytes.size() <= (fixture.is_log() ? 4800U : 2000U);
    for (std::size_t size = 1; size <= bytes.size(); ++size)
      if (small || size + 40 > bytes.size() || bytes[size - 1] == '\n' || bytes[size] == '\n')
        sizes.insert(size);
    for (std::size_t i = 0; i < 150; ++i) sizes.insert(random.below(bytes.size()));
    ForeignReader reader(fixture);
    reader.options.finished = false;
    Lines const whole = reader.lines(bytes).value();
    Lines before; // of the lines that are complete before the cut
    std::size_t line_begin = 0, damage_before = 0;
    bool found = false;
    for (std::size_t const size : sizes) {
      CAPTURE(fixture.name(), size);
      std::string const cut = bytes.substr(0, size), last = cut.substr(cut.rfind('\n') + 1); // npos + 1 is 0
      sk::ImportReport report;
      auto const got = reader.lines(cut, &report);
      ++cuts[fixture.importer->name];
      refused[fixture.importer->name] += got.ok() ? 0U : 1U;
      if (!got) {
        REQUIRE_FALSE(found); // once there is a conversation, more bytes do not hide it
        CHECK(got.error().message.find(fixture.file) != std::string::npos);
        continue;
      }
      REQUIRE(begins(whole, *got));
      found = found || size > line_begin;
      if (!fixture.is_log()) continue;
      if (last.empty() && size > 0) {
        before = *got;
        line_begin = size;
        damage_before = report.damage.size();
      } else if (line_begin > 0 && size > line_begin && !is_object_to_others(last)) {
        REQUIRE(*got == before);
        REQUIRE(report.damage.size() == damage_before + 1);
        CHECK(report.damage.back().kind == sk::DamageKind::torn_tail);
        CHECK(report.damage.back().offset == line_begin);
      }
    }
  }
  for (auto const& one : cuts)
    std::printf("%s: %zu cuts, %zu without a conversation\n", std::string(one.first).c_str(), one.second,
                refused[one.first]);
  CHECK(cuts.size() + 3 == sk::known_importers().size()); // opencode, ATIF and blades have their own tests
}

TEST_CASE("a damaged line of another program's log is located and costs only itself") {
  std::map<std::string_view, std::size_t> lines;
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    if (!fixture.is_log()) continue;
    std::string const bytes = fixture.bytes();
    ForeignReader reader(fixture);
    std::vector<Place> const places = places_of_lines(bytes);
    for (std::size_t i = 0; i < places.size(); ++i) {
      Place const at = places[i];
      std::string const half = bytes.substr(at.begin, (at.end - at.begin) / 2);
      std::string const damage[] = {half, std::string("\xff\xfe\0{", 4), "[" + half.substr(0, 1) + "}]"};
      CAPTURE(fixture.name(), i);
      sk::ImportReport blank, report;
      auto expected = reader.lines(with(bytes, at, ""), &blank);
      auto got = reader.lines(with(bytes, at, damage[i % 3]), &report);
      REQUIRE(got.ok() == expected.ok());
      ++lines[fixture.importer->name];
      if (!got) continue;
      if (i == 0) got->front() = expected->front(); // half a header may still have the id
      REQUIRE(*got == *expected);
      REQUIRE(report.damage.size() == blank.damage.size() + 1);
      CHECK(std::count_if(report.damage.begin(), report.damage.end(),
                          [&](sk::Damage const& one) { return one.offset == at.begin; })
            == 1);
    }
  }
  for (auto const& one : lines)
    std::printf("%s: %zu damaged lines\n", std::string(one.first).c_str(), one.second);
}

TEST_CASE("a damaged line of another program's document costs only the message that it is in") {
  std::size_t lines = 0;
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    if (fixture.is_log()) continue;
    std::string const bytes = fixture.bytes();
    auto const document = nlohmann::ordered_json::parse(bytes);
    REQUIRE(document.dump(2) + '\n' == bytes + (bytes.back() == '\n' ? "" : "\n"));
    ForeignReader reader(fixture);
    reader.options.finished = false; // the title is not part of a message
    std::vector<Place> const places = places_of_lines(bytes);
    std::size_t message = 0;
    bool inside = false;
    for (Place const& place : places) {
      std::string const line = bytes.substr(place.begin, place.end - place.begin);
      bool const opens = line == "    {", closes = line == "    }" || line == "    },";
      inside = (inside || opens) && !closes;
      message += closes ? 1U : 0U;
      if (!inside || opens) continue; // a bracket of a message that is missing may cost its neighbour too
      auto without = document;
      without["messages"].erase(message);
      CAPTURE(fixture.name(), place.begin);
      sk::ImportReport report;
      auto const got = reader.lines(with(bytes, place, "\" \\x"), &report);
      REQUIRE(got.ok());
      CHECK(*got == reader.lines(without.dump(2)).value());
      REQUIRE(report.damage.size() == 1);
      CHECK((report.damage[0].offset >= place.begin && report.damage[0].offset <= place.end + 1));
      ++lines;
    }
  }
  std::printf("%zu damaged lines of documents\n", lines);
  CHECK(lines > 100);
}

TEST_CASE("a line that is too long costs only itself, and a deep one is refused or read whole") {
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    if (!fixture.is_log()) continue;
    CAPTURE(fixture.name());
    std::string const bytes = fixture.bytes();
    ForeignReader reader(fixture);
    reader.options.limits.max_line = 1000;
    std::string blank = bytes;
    std::vector<std::size_t> longer;
    std::vector<Place> const places = places_of_lines(bytes);
    for (auto place = places.rbegin(); place != places.rend(); ++place)
      if (place->end - place->begin > 1000) {
        longer.insert(longer.begin(), place->begin);
        blank = with(blank, *place, "");
      }
    sk::ImportReport report;
    auto const got = reader.lines(bytes, &report), expected = reader.lines(blank);
    REQUIRE(got.ok() == expected.ok());
    if (!got) continue;
    CHECK(*got == *expected);
    std::vector<std::size_t> found;
    for (sk::Damage const& one : report.damage)
      if (one.kind == sk::DamageKind::oversize && fixture.importer->name != "codex")
        found.push_back(one.offset);
    if (fixture.importer->name != "codex") CHECK(found == longer); // a fork reports damage of its base too

    reader.options.limits = {};
    Place const last = places.back();
    std::string const line = bytes.substr(last.begin, last.end - last.begin);
    for (std::size_t const depth : {std::size_t{200}, std::size_t{100'000}}) {
      std::string deep = line;
      deep.insert(deep.find('{') + 1, "\"deep\":" + nested(depth) + ',');
      check_any(fixture, reader, with(bytes, last, deep), true);
      check_any(fixture, reader, with(bytes, last, nested(depth)), false);
    }
  }
}

TEST_CASE("records of another program that are their own ancestors, or share an id, end no reading") {
  std::size_t runs = 0;
  for (ForeignFixture const& fixture : foreign_fixtures()) {
    if (!fixture.is_log()) continue;
    std::string const bytes = fixture.bytes();
    ForeignReader reader(fixture);
    std::vector<Record> const records = records_of(bytes);
    Random random(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      Json const& record = records[i].json;
      std::string const own = text_at(record, "uuid") + text_at(record, "id");
      if (own.empty() || (records.size() > 60 && !random.one_in(2))) continue;
      Record const& other = records[random.below(records.size())];
      std::string const others = text_at(other.json, "uuid") + text_at(other.json, "id");
      CAPTURE(fixture.name(), i, own, others);
      auto const check = [&](Json const& changed) {
        ++runs;
        CHECK(check_any(fixture, reader, with(bytes, records[i].place, changed.dump()), runs % 8 == 0));
      };
      auto const keeps_all = [&](Json const& changed) { // whatever the record's own parent is
        check(changed);
        CHECK(texts_of(reader, with(bytes, records[i].place, changed.dump())) == texts_of(reader, bytes));
      };
      if (record.contains("parentUuid")) { // its own parent, and a circle of two
        Json changed = record;
        changed["parentUuid"] = own;
        keeps_all(changed);
        changed["parentUuid"] = others.empty() ? Json(7) : Json(others);
        keeps_all(changed);
      }
      if (!others.empty() && other.json.contains("type")) { // two records of one id
        Json changed = record;
        changed[record.contains("uuid") ? "uuid" : "id"] = others;
        check(changed);
      }
    }
  }
  std::printf("%zu files with circles and repeated ids\n", runs);
  CHECK(runs > 500);
}
