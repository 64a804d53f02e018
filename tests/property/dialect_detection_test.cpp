// SPDX-License-Identifier: MIT
// Real sessions with one bit of the first line changed, and with one byte of the first three lines changed:
// every entry on another line is read as before, in the dialect of before, and what is appended is in that
// dialect.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/hostile_log.hpp"
#include "support/long_form.hpp"
#include "support/one_file.hpp"

#include <sessionkit/sessionkit.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

namespace fs = std::filesystem;

struct Fixture {
  std::string name, bytes;
};

void take_files(std::string const& below, std::vector<Fixture>& all) {
  std::vector<std::string> paths;
  for (fs::directory_entry const& entry : fs::recursive_directory_iterator(data(below)))
    if (entry.path().extension() == ".jsonl") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (std::string const& path : paths) all.push_back({path.substr(data("").size()), read_file(path)});
}

void take_go_lines(std::string const& file, std::vector<Fixture>& all) {
  Json const known = Json::parse(read_file(data(file)));
  for (Json const& one : known.at("cases")) {
    if (!one.contains("out") || !one.at("out").contains("jsonl")) continue;
    std::string bytes;
    for (Json const& line : one.at("out").at("jsonl")) bytes += line.get<std::string>() + '\n';
    all.push_back({file + ", " + one.at("name").get<std::string>(), std::move(bytes)});
  }
}

std::vector<Fixture> const& fixtures() {
  static std::vector<Fixture> const all = [] {
    std::vector<Fixture> found;
    for (char const* const below : {"pi", "flat", "flat-v2", "bare", "moving"}) take_files(below, found);
    for (char const* const file : {"go-systems/aipanel.json", "go-systems/zyhive.json"})
      take_go_lines(file, found);
    return found;
  }();
  return all;
}

struct Read {
  std::string dialect;
  std::multiset<std::string> entries; ///< lines that are entries of a known type, the header left out
};

Read read(OneFile& file) {
  sk::detail::FileReader log(file, 3, "t.jsonl", {});
  Read out;
  sk::ReadRange range;
  for (bool more = true; more;) {
    sk::RecordPage const page = log.read(range).value();
    out.dialect = page.dialect;
    for (auto const& item : page.items()) {
      auto const entry = sk::decode(page, item);
      if (entry.ok() && !entry->as<sk::Unknown>() && !entry->as<sk::Header>()) out.entries.emplace(item.line);
    }
    more = page.more;
    range.from = page.next;
  }
  return out;
}

/// Where the first lines end, each with its line end.
std::vector<std::size_t> first_ends(std::string const& bytes, std::size_t lines) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; ends.size() < lines && at < bytes.size(); at = ends.back())
    ends.push_back(std::min(bytes.find('\n', at), bytes.size() - 1) + 1);
  return ends;
}

struct Counts {
  std::size_t changed = 0, appended = 0, refused = 0;
};

class Changes {
 public:
  explicit Changes(Fixture const& fixture) : fixture_(fixture) {
    OneFile file(fixture.bytes);
    before_ = read(file);
  }

  /// Has the file entries in two lines at least? Else a change may leave none.
  bool shows_its_dialect() const { return before_.entries.size() >= 2; }

  void check(std::size_t at, char changed) {
    if (fixture_.bytes[at] == changed) return;
    std::string bytes = fixture_.bytes;
    bytes[at] = changed;
    OneFile file(bytes);
    Read const now = read(file);
    ++counts.changed;
    bool const same = now.dialect == before_.dialect && misses(now, at) == 0;
    if (!same) {
      CAPTURE(fixture_.name, at, bytes.substr(0, 600));
      CHECK(now.dialect == before_.dialect);
      REQUIRE(misses(now, at) == 0);
    }
    if (counts.changed % 16 == 0) check_append(bytes);
  }

  Counts counts;

 private:
  // How many entries are not read, of those whose line was not changed.
  std::size_t misses(Read const& now, std::size_t at) const {
    std::string const& bytes = fixture_.bytes;
    std::size_t const begin = at == 0 ? 0 : bytes.rfind('\n', at - 1) + 1;
    std::size_t const end = std::min(bytes.find('\n', at), bytes.size());
    std::string const own = bytes.substr(begin, end - begin);
    std::string const next =
        bytes[at] == '\n' ? bytes.substr(end + 1, bytes.find('\n', end + 1) - end - 1) : "";
    std::size_t missed = 0;
    for (std::string const& line : before_.entries)
      if (own.find(line) == own.npos && next.find(line) == next.npos && now.entries.count(line) == 0)
        ++missed;
    return missed;
  }

  void check_append(std::string const& bytes) {
    OneFile file(bytes);
    auto store = sk::detail::open_transcript(file, "t.jsonl", {}).value();
    auto session = sk::Session::open(store, *sk::transcript_session(*store)).value();
    if (!session.append(sk::user("one more")).ok()) {
      ++counts.refused;
      REQUIRE(file.bytes == bytes);
      return;
    }
    ++counts.appended;
    REQUIRE(file.bytes.compare(0, bytes.size(), bytes) == 0);
    Read const now = read(file);
    CAPTURE(fixture_.name, file.bytes);
    CHECK(now.dialect == before_.dialect);
    std::string const line = file.bytes.substr(file.bytes.rfind('\n', file.bytes.size() - 2) + 1);
    CHECK(now.entries.count(line.substr(0, line.size() - 1)) == 1);
  }

  Fixture const& fixture_;
  Read before_;
};

}

TEST_CASE("one changed bit of a first line hides no entry and changes no dialect") {
  Counts all;
  std::size_t files = 0;
  for (Fixture const& fixture : fixtures()) {
    Changes changes(fixture);
    if (!changes.shows_its_dialect()) continue;
    ++files;
    std::size_t const end = first_ends(fixture.bytes, 1).front();
    for (std::size_t at = 0; at < end; at += sessionkit_test::sanitizer_share)
      for (unsigned bit = 0; bit < 8; ++bit)
        changes.check(at, static_cast<char>(static_cast<unsigned char>(fixture.bytes[at]) ^ (1U << bit)));
    all.changed += changes.counts.changed, all.appended += changes.counts.appended;
    all.refused += changes.counts.refused;
  }
  CHECK(files > 30);
  CHECK(all.appended > 0);
  std::printf(
      "%zu files, %zu bits of their first lines changed: 0 entries hidden; %zu appends, %zu refused\n", files,
      all.changed, all.appended, all.refused);
}

TEST_CASE("one changed byte of the first three lines hides no entry and changes no dialect") {
  Counts all;
  for (Fixture const& fixture : fixtures()) {
    Changes changes(fixture);
    if (!changes.shows_its_dialect()) continue;
    std::size_t const end =
        std::min<std::size_t>(first_ends(fixture.bytes, 3).back(), 4096); // of one picture
    for (std::size_t at = 0; at < end; at += sessionkit_test::sanitizer_share)
      for (char const to : {'\0', ' ', '"', '}', 'x', '\n', '\x80'}) changes.check(at, to);
    all.changed += changes.counts.changed, all.appended += changes.counts.appended;
    all.refused += changes.counts.refused;
  }
  CHECK(all.appended > 0);
  std::printf("%zu bytes of first lines changed: 0 entries hidden; %zu appends, %zu refused\n", all.changed,
              all.appended, all.refused);
}
