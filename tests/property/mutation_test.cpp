// SPDX-License-Identifier: MIT
// Real sessions, torn at every byte and damaged at random: nothing crashes, every complete line is
// read, and the requests to providers are valid. The expected entry of a line is found without the library's
// scanner. SESSIONKIT_MUTATIONS in the environment asks for another number of damaged logs than 50,000.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/hostile_log.hpp"
#include "support/long_form.hpp"
#include "support/physical_lines.hpp"
#include "support/random.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

struct Fixture {
  std::string name, bytes;
};

std::string go_lines(std::string const& name) {
  Json const all = Json::parse(read_file(data("go-systems/aipanel.json")));
  std::string bytes;
  for (Json const& known : all.at("cases"))
    if (known.at("name") == name)
      for (Json const& line : known.at("out").at("jsonl")) bytes += line.get<std::string>() + '\n';
  return bytes;
}

std::vector<Fixture> const& fixtures() {
  static std::vector<Fixture> const all = [] {
    std::string const compacted = go_lines("compaction-line");
    return std::vector<Fixture>{
        {"native, version 3", read_file(data("pi/custom_entries.jsonl"))},
        {"native, version 1", read_file(data("pi/legacy_v1.jsonl"))},
        {"flat", read_file(data("flat/12-out-of-order-and-duplicates/transcript.jsonl"))},
        {"panel", go_lines("split-results") + compacted.substr(compacted.find('\n') + 1)}};
  }();
  return all;
}

struct Read {
  std::vector<std::string> lines; ///< of entries that could be decoded
  sk::Context context;
};

// The library's two readings of a file: all of it forwards, and the path backwards.
Read read(OneFile& file) {
  auto store = sk::detail::open_transcript(file, "t.jsonl", {}).value();
  auto const listed = store->list({}).value().sessions;
  sk::SessionId const id = listed.empty() ? sk::SessionId::parse("t").value() : listed.front().id;
  Read out;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = store->read(id, range).value();
    for (auto const& item : page.items())
      if (sk::decode(page, item).ok()) out.lines.emplace_back(item.line);
    more = page.more;
    range.from = page.next;
  }
  out.context = sk::load_context(*store, id).value();
  return out;
}

/// Is each of `few` among `many`, in order?
bool holds_in_order(std::vector<std::string> const& many, std::vector<std::string> const& few) {
  auto at = many.begin();
  for (std::string const& wanted : few) {
    at = std::find(at, many.end(), wanted);
    if (at == many.end()) return false;
    ++at;
  }
  return true;
}

std::string shown(std::string const& bytes) {
  return Json(bytes).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Everything that must hold for a file, whatever was done to it.
void check_damaged(std::string const& bytes) {
  OneFile file(bytes);
  Read const got = read(file);
  std::vector<std::string> const whole = whole_lines(bytes);
  bool const all_there = holds_in_order(got.lines, whole);
  Faults const faults = refusals(got.context);
  bool bad = !all_there || !faults.empty();
  for (std::string const& line : got.lines)
    bad = bad || !is_object_to_others(line) || bytes.find(line) == std::string::npos;
  if (!bad && got.lines.size() == whole.size()) return;
  CAPTURE(shown(bytes), got.lines, whole, faults);
  CHECK(all_there);
  CHECK(faults == Faults{});
  for (std::string const& line : got.lines) { // no line is invented
    CHECK(is_object_to_others(line));
    CHECK(bytes.find(line) != std::string::npos);
  }
  REQUIRE_FALSE(bad);
}

// Two more messages, through the public interface, and all of it is kept.
void check_continued(std::string const& bytes) {
  OneFile file(bytes);
  auto store = sk::detail::open_transcript(file, "t.jsonl", {}).value();
  auto const listed = store->list({}).value().sessions;
  REQUIRE_FALSE(listed.empty());
  auto session = sk::Session::open(store, listed.front().id).value();
  REQUIRE(session.append(sk::user("first of two")).ok());
  REQUIRE(session.append(sk::user("second of two")).ok());
  Read const got = read(file);
  REQUIRE(file.bytes.compare(0, bytes.size(), bytes) == 0);
  REQUIRE(holds_in_order(got.lines, whole_lines(file.bytes)));
  REQUIRE(refusals(got.context) == Faults{});
  REQUIRE_FALSE(got.context.entries.empty());
  auto const* last = got.context.entries.back().as<sk::Message>();
  REQUIRE(last != nullptr);
  CHECK(last->text() == "second of two");
}

// ---- damage

class Damager {
 public:
  explicit Damager(std::uint64_t seed) : random_(seed) {}

  std::string damaged(std::string bytes) {
    for (std::size_t n = random_.one_in(2) ? 1 : 1 + random_.below(4); n > 0 && !bytes.empty(); --n)
      one(bytes);
    return bytes;
  }

 private:
  void one(std::string& bytes) {
    std::size_t const at = random_.below(bytes.size());
    switch (random_.below(14)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8))); break;
    case 1: bytes[at] = static_cast<char>(~bytes[at]); break;
    case 2: bytes[at] = random_.one_of("\"\\{}[]:,\n\0 0-e"); break;
    case 3: bytes.insert(at, 1, random_.byte()); break;
    case 4: bytes.insert(at, 1, random_.one_of("\"\\{}[]:,\n")); break;
    case 5: bytes.erase(at, 1 + random_.below(random_.one_in(4) ? 400 : 4)); break;
    case 6: bytes.resize(at); break;
    case 7: fill(bytes, at, std::size_t{1} << random_.below(10), '\0'); break;
    case 8: bytes.append(1 + random_.below(600), '\0'); break;
    case 9: bytes.insert(0, "\xEF\xBB\xBF"); break;
    case 10: line_ends(bytes); break;
    case 11: join(bytes, at); break;
    case 12: copy(bytes, at); break;
    default: swap_lines(bytes); break;
    }
  }
  static void fill(std::string& bytes, std::size_t at, std::size_t count, char with) {
    at -= at % count; // like blocks of a disk
    for (std::size_t i = at; i < std::min(at + count, bytes.size()); ++i) bytes[i] = with;
  }
  static void line_ends(std::string& bytes) {
    std::string out;
    for (char const c : bytes) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    bytes = out;
  }
  static void join(std::string& bytes, std::size_t at) {
    std::size_t const end = bytes.find('\n', at);
    if (end != std::string::npos) bytes.erase(end, 1);
  }
  void copy(std::string& bytes, std::size_t at) {
    std::string const piece = bytes.substr(random_.below(bytes.size()), 1 + random_.below(300));
    bytes.insert(at, piece);
  }
  void swap_lines(std::string& bytes) {
    std::vector<std::string> lines = split_lines(bytes);
    std::swap(lines[random_.below(lines.size())], lines[random_.below(lines.size())]);
    bytes.clear();
    for (std::string const& line : lines) bytes += line + '\n';
  }

  Random random_;
};

// A part of the damaged logs, so that the parts can run beside each other.
void damage_logs(std::size_t part, std::size_t parts) {
  std::size_t const count = cases(12'000, 50'000) / parts;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const seed = part * 10'000'000 + i;
    constexpr std::array<std::size_t, 12> turns{0, 2, 3, 2, 3, 2,
                                                3, 1, 2, 3, 2, 3}; // the large ones less often
    Fixture const& fixture = fixtures()[turns[i % turns.size()]];
    CAPTURE(fixture.name, seed);
    std::string const bytes = Damager(seed).damaged(fixture.bytes);
    check_damaged(bytes);
    if (i % 64 != 0) continue;
    OneFile file(bytes);
    Journey journey;
    journey.go(file);
    REQUIRE(file.bytes.compare(0, bytes.size(), bytes) == 0);
  }
  std::printf("seeds from %zu, %zu damaged logs\n", part * 10'000'000, count);
}

}

TEST_CASE("the fixtures are complete and of three dialects") {
  std::vector<std::string> dialects;
  for (Fixture const& fixture : fixtures()) {
    CAPTURE(fixture.name);
    OneFile file(fixture.bytes);
    Read const got = read(file);
    CHECK(got.lines == split_lines(fixture.bytes));
    CHECK_FALSE(got.context.entries.empty());
    dialects.emplace_back(got.context.dialect);
  }
  CHECK(dialects == std::vector<std::string>{"native", "native", "flat", "panel"});
}

TEST_CASE("torn at every byte, a log gives its complete lines and a valid history") {
  for (Fixture const& fixture : fixtures())
    for (std::size_t size = 0; size <= fixture.bytes.size(); ++size) {
      CAPTURE(fixture.name, size);
      check_damaged(fixture.bytes.substr(0, size));
    }
}

TEST_CASE("torn anywhere, a log can be continued") {
  for (Fixture const& fixture : fixtures())
    for (std::size_t size = fixture.bytes.find('\n') + 1; size <= fixture.bytes.size(); size += 3) {
      CAPTURE(fixture.name, size);
      check_continued(fixture.bytes.substr(0, size));
    }
}

TEST_CASE("damaged at random, a log gives its complete lines and a valid history, first half") {
  damage_logs(0, 2);
}
TEST_CASE("damaged at random, a log gives its complete lines and a valid history, second half") {
  damage_logs(1, 2);
}
