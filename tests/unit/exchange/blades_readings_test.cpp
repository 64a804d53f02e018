// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/random.hpp"

#include <sessionkit/detail/exchange/blades_readings.hpp>

#include <algorithm>

namespace sk = sessionkit;
using namespace sessionkit_test;
using sk::Position;
using sk::ReadRange;
using sk::detail::BladesReading;
using sk::detail::BladesReadings;
using sk::detail::FileStatus;

namespace {

sk::SessionId id_of(std::size_t n) { return sk::SessionId::parse("s" + std::to_string(n)).value(); }

FileStatus version(std::uint64_t inode, std::uint64_t size = 10, std::int64_t modified = 5) {
  FileStatus status;
  status.inode = inode;
  status.size = size;
  status.modified_ns = modified;
  return status;
}

std::shared_ptr<BladesReading const> reading(FileStatus const& of, bool settled) {
  auto made = std::make_shared<BladesReading>();
  made->version = of;
  made->settled = settled;
  return made;
}

ReadRange from(std::uint64_t position) {
  ReadRange range;
  range.from = Position{position};
  return range;
}

}

TEST_CASE("a page of a document has the records that a plain search finds, in both directions") {
  Random random(1);
  sk::RecordPage whole;
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  std::uint64_t end = 0;
  for (int i = 0; i < 30; ++i) {
    lines.emplace_back(end += 1 + random.below(3), std::string(1 + random.below(20), 'x'));
    sk::RecordView record;
    record.line = lines.back().second;
    whole.add(Position{end}, record);
  }
  whole.log_end = Position{end + 1};
  whole.damage.push_back({7, 1, sk::DamageKind::not_an_object, "x"});
  for (int i = 0; i < 3000; ++i) {
    ReadRange range;
    bool const backwards = random.one_in(2);
    range.order = backwards ? ReadRange::newest_first : ReadRange::oldest_first;
    if (!random.one_in(5)) range.from = Position{random.below(end + 3)};
    range.max_records = 1 + random.below(6);
    range.max_bytes = random.below(60);
    std::vector<std::uint64_t> selected, expected;
    for (auto const& [place, line] : lines)
      if (!range.from || (backwards ? place <= range.from->value() : place > range.from->value()))
        selected.push_back(place);
    if (backwards) std::reverse(selected.begin(), selected.end());
    std::size_t bytes = 0;
    for (std::uint64_t const place : selected) {
      std::size_t const size = std::find_if(lines.begin(), lines.end(), [&](auto const& line) {
                                 return line.first == place;
                               })->second.size();
      if (!expected.empty() && (expected.size() == range.max_records || bytes + size > range.max_bytes))
        break;
      expected.push_back(place);
      bytes += size;
    }
    sk::RecordPage const page = sk::detail::records_of_page(whole, range);
    std::vector<std::uint64_t> found;
    for (auto const& item : page.items()) found.push_back(item.end.value());
    REQUIRE(found == expected);
    REQUIRE(page.more == (expected.size() < selected.size()));
    REQUIRE(page.log_end == whole.log_end);
    REQUIRE(page.damage.size() == (range.from ? 0U : 1U));
    if (page.more && !backwards) REQUIRE(page.next == Position{expected.back()});
    if (page.more && backwards) REQUIRE(page.next < Position{expected.back()});
    if (!page.more && !backwards) REQUIRE(page.next == whole.log_end);
  }
}

TEST_CASE("a document is kept for the next page while its file is the same") {
  BladesReadings readings;
  auto const kept = reading(version(1), true);
  CHECK(readings.find(id_of(1), {}, version(1)) == nullptr);
  readings.keep(id_of(1), kept);
  CHECK(readings.find(id_of(1), {}, version(1)) == kept);
  CHECK(readings.find(id_of(1), from(3), version(1)) == kept);
  CHECK(readings.find(id_of(2), {}, version(1)) == nullptr);
  for (FileStatus const& other : {version(2), version(1, 11), version(1, 10, 6)}) {
    readings.keep(id_of(1), kept);
    CHECK(readings.find(id_of(1), from(3), other) == nullptr);
    CHECK(readings.find(id_of(1), from(3), version(1)) == nullptr); // it is not kept any more
  }
  readings.keep(id_of(1), kept);
  readings.drop(id_of(1));
  CHECK(readings.find(id_of(1), {}, version(1)) == nullptr);
}

TEST_CASE("a document that may have changed without a trace is used only to continue") {
  BladesReadings readings;
  auto const young = reading(version(1), false);
  ReadRange backwards;
  backwards.order = ReadRange::newest_first;
  for (ReadRange const& begins : {ReadRange{}, from(0), backwards}) {
    readings.keep(id_of(1), young);
    CHECK(readings.find(id_of(1), from(3), version(1)) == young);
    CHECK(readings.find(id_of(1), begins, version(1)) == nullptr);
  }
}

TEST_CASE("few documents are kept, and few bytes, but always the last one") {
  BladesReadings readings;
  for (std::size_t i = 0; i < BladesReadings::most; ++i) readings.keep(id_of(i), reading(version(i), true));
  CHECK(readings.find(id_of(0), {}, version(0)) != nullptr); // now 1 is the one used longest ago
  readings.keep(id_of(100), reading(version(100), true));
  CHECK(readings.find(id_of(1), {}, version(1)) == nullptr);
  CHECK(readings.find(id_of(0), {}, version(0)) != nullptr);
  CHECK(readings.find(id_of(2), {}, version(2)) != nullptr);

  readings.keep(id_of(200), reading(version(200, BladesReadings::most_bytes + 1), true));
  CHECK(readings.find(id_of(200), {}, version(200, BladesReadings::most_bytes + 1)) != nullptr);
  CHECK(readings.find(id_of(0), {}, version(0)) == nullptr);
}
