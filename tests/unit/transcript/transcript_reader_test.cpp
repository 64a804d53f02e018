// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/transcript/file_reader.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::DamageKind;

namespace {

ReadBack read_file_back(std::string const& path, sk::ReadRange const& range = {},
                        sk::ReaderOptions options = {}) {
  auto reader = sk::TranscriptReader::open(path, options).value();
  return read_all([&](sk::ReadRange const& r) { return reader.read(r); }, range);
}

sk::ReadRange newest_first() {
  sk::ReadRange range;
  range.order = sk::ReadRange::newest_first;
  return range;
}

std::vector<DamageKind> kinds(std::vector<sk::Damage> const& damage) {
  std::vector<DamageKind> out;
  for (auto const& d : damage) out.push_back(d.kind);
  return out;
}

bool is_object(std::string const& text) {
  auto const parsed = nlohmann::json::parse(text, nullptr, false);
  return parsed.is_object();
}

// The expected records, found in a simple way: all in memory, one line after the other. NULs, blanks, CR and
// BOM around a line are removed; a remainder without a newline counts if it is a complete object.
struct Model {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> ends;
  Model(std::string const& bytes, std::size_t max_line) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      std::size_t const newline = bytes.find('\n', at);
      std::size_t const stop = newline == std::string::npos ? bytes.size() : newline;
      std::string text = bytes.substr(at, stop - at);
      bool const fits = text.size() <= max_line;
      if (at == 0 && text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
      std::string const around("\0 \t\r", 4);
      auto const first = text.find_first_not_of(around);
      text = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(around) - first + 1);
      if (fits && is_object(text)) {
        lines.push_back(text);
        ends.push_back(newline == std::string::npos ? bytes.size() : newline + 1);
      }
      at = stop + 1;
    }
  }
};

}

TEST_CASE("a transcript reads the same from either end, whatever the page size") {
  std::string const path = data("pi/tool_calls.jsonl");
  std::vector<std::string> const lines = split_lines(read_file(path));
  auto range = GENERATE(sk::ReadRange::oldest_first, sk::ReadRange::newest_first);
  for (std::size_t const records : {1U, 2U, 5U, 1000U}) {
    for (std::size_t const bytes : {1U, 700U, 5000U, 1U << 20}) {
      sk::ReadRange r;
      r.order = range;
      r.max_records = records;
      r.max_bytes = bytes;
      ReadBack got = read_file_back(path, r);
      if (range == sk::ReadRange::newest_first) std::reverse(got.lines.begin(), got.lines.end());
      CAPTURE(records, bytes, range);
      CHECK(got.lines == lines);
      CHECK(got.damage.empty());
      CHECK(got.log_end == read_file(path).size());
    }
  }
}

TEST_CASE("a page keeps to its bounds but gives at least one record") {
  auto reader = sk::TranscriptReader::open(data("pi/tool_calls.jsonl")).value();
  sk::ReadRange range;
  range.max_records = 3;
  sk::RecordPage page = reader.read(range).value();
  CHECK(page.items().size() == 3);
  range.max_records = 100;
  range.max_bytes = 1;
  page = reader.read(range).value();
  CHECK(page.items().size() == 1);
  range.max_bytes = 1000;
  std::size_t total = 0;
  page = reader.read(range).value();
  for (auto const& item : page.items()) total += item.line.size();
  CHECK(total <= 1000);
}

TEST_CASE("random damage gives the records the simple reader finds, from both ends, for any window") {
  TempDir dir;
  unsigned const seed = 20251104;
  CAPTURE(seed);
  std::mt19937 random(seed);
  auto const below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    std::string bytes;
    std::size_t const count = below(30);
    if (below(8) == 0) bytes += "\xEF\xBB\xBF";
    for (std::size_t i = 0; i < count; ++i) {
      std::string const id = std::to_string(i);
      switch (below(12)) {
      case 0: bytes += "not json at all\n"; break;
      case 1:
        bytes +=
            std::string(below(40), '\0') + message_line(id, "", "x") + std::string(below(3), '\0') + "\n";
        break;
      case 2: bytes += message_line(id, "", "x") + "\r\n"; break;
      case 3: bytes += "\n\r\n  \n"; break;
      case 4: bytes += "[1,2]\n"; break;
      case 5: bytes += "{\"type\":\"mess\n"; break;
      case 6: bytes += message_line(id, "", std::string(below(3000), 'y')) + "\n"; break;
      case 7: bytes += std::string(200 + below(200), 'z') + "\n"; break;
      default: bytes += message_line(id, "", std::string(below(60), 'a')) + "\n";
      }
    }
    if (below(2) == 0 && !bytes.empty())
      bytes.resize(bytes.size() - below(std::min<std::size_t>(bytes.size(), 80)));
    std::string const path = dir / "t.jsonl";
    write_file(path, bytes);
    std::size_t const max_line = below(3) == 0 ? 260 : 1U << 20;
    Model const model(bytes, max_line);
    CAPTURE(round, max_line);

    sk::detail::ReadWindows windows;
    windows.smallest = windows.first = 16 + below(300);
    windows.largest = windows.first * 4;
    int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
      sk::detail::FileReader log(sk::detail::system_file_ops(), fd, path, sk::ReaderOptions{max_line},
                                 windows);
      sk::ReadRange range;
      range.order = order;
      range.max_records = 1 + below(8);
      range.max_bytes = 1 + below(2000);
      ReadBack got = read_all([&](sk::ReadRange const& r) { return log.read(r); }, range);
      if (order == sk::ReadRange::newest_first) {
        std::reverse(got.lines.begin(), got.lines.end());
        std::reverse(got.ends.begin(), got.ends.end());
      }
      REQUIRE(got.lines == model.lines);
      REQUIRE(got.ends == model.ends);
      REQUIRE(got.log_end == (model.ends.empty() ? 0 : model.ends.back()));
    }
    ::close(fd);
  }
}

TEST_CASE("records after a position are those at which a reader continues") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const a = header_line(), b = message_line("b", "", "1"), c = message_line("c", "b", "2");
  write_file(path, a + "\n" + b); // b lacks its newline
  auto reader = sk::TranscriptReader::open(path).value();
  sk::RecordPage const first = reader.read({}).value();
  REQUIRE(first.items().size() == 2);
  CHECK(first.items()[1].end.value() == a.size() + 1 + b.size());
  CHECK(first.log_end == first.items()[1].end);
  write_file(path, a + "\n" + b + "\n" + c + "\n"); // a writer adds the newline and one more line
  sk::ReadRange on;
  on.from = first.next;
  sk::RecordPage const second = reader.read(on).value();
  REQUIRE(second.items().size() == 1);
  CHECK(second.items()[0].id == "c");
  sk::ReadRange back = newest_first();
  back.from = first.log_end;
  sk::RecordPage const before = reader.read(back).value();
  REQUIRE(before.items().size() == 2);
  CHECK(before.items()[0].id == "b");
  CHECK(before.items()[1].type == "session");
  CHECK_FALSE(before.more);
}

TEST_CASE("a torn tail is not reported as a record, at every byte of a session") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const whole = read_file(data("pi/tool_calls.jsonl"));
  std::vector<std::string> const lines = split_lines(whole);
  int wrong = 0;
  std::ofstream file(path, std::ios::binary);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    if (cut > 0) file.put(whole[cut - 1]).flush();
    std::size_t complete = 0, used = 0; // existing lines, with or without their newline
    while (complete < lines.size() && used + lines[complete].size() <= cut)
      used += lines[complete++].size() + 1;
    ReadBack const forward = read_file_back(path);
    ReadBack const backward = read_file_back(path, newest_first());
    bool const torn = cut > used;
    if (forward.lines.size() != complete || backward.lines.size() != complete
        || !std::equal(forward.lines.begin(), forward.lines.end(), lines.begin())
        || (torn ? kinds(forward.damage) != std::vector<DamageKind>{DamageKind::torn_tail}
                 : !forward.damage.empty())
        || (torn && forward.damage[0].offset != used))
      ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("each kind of bad line is skipped, located and named") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const good = message_line("a", "", "x");
  std::string const nuls(64, '\0');
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "{\"a\":";
  std::string const bytes = header_line() + "\n" + "garbage\n" + "[1]\n" + deep + "\n" + nuls + good + "\n"
                            + nuls + "\n" + message_line("long", "", std::string(9000, 'x')) + "\n"
                            + message_line("b", "a", "y") + "\n" + "{\"type\":\"me";
  write_file(path, bytes);
  sk::ReaderOptions options;
  options.max_line = 8000;
  ReadBack const got = read_file_back(path, {}, options);
  CHECK(got.ids == std::vector<std::string>{"s1", "a", "b"});
  std::vector<DamageKind> const expected{
      DamageKind::bad_json, DamageKind::not_an_object, DamageKind::too_deep, DamageKind::nul_run,
      DamageKind::nul_run,  DamageKind::oversize,      DamageKind::torn_tail};
  REQUIRE(kinds(got.damage) == expected);
  for (auto const& damage : got.damage) {
    CHECK(damage.offset + damage.length <= bytes.size());
    CHECK_FALSE(damage.what.empty());
  }
  CHECK(bytes.substr(got.damage[0].offset, got.damage[0].length) == "garbage");
  CHECK(bytes.substr(got.damage[1].offset, got.damage[1].length) == "[1]");
  CHECK(bytes.substr(got.damage[2].offset, got.damage[2].length) == deep);
  CHECK(bytes.substr(got.damage[3].offset, got.damage[3].length) == nuls);
  CHECK(bytes.substr(got.damage[6].offset) == "{\"type\":\"me");
  ReadBack back = read_file_back(path, newest_first(), options);
  std::vector<DamageKind> reversed = kinds(back.damage);
  std::reverse(reversed.begin(), reversed.end());
  CHECK(reversed == expected);
}

TEST_CASE("lost pages that contain a newline hide neither the line before nor the line after") {
  TempDir dir;
  std::string const torn = message_line("torn", "", std::string(50, 'x')), nuls(512, '\0'),
                    good = message_line("good", "", "1");
  for (std::string const& line : {torn.substr(0, 120) + nuls + good, // its head is complete
                                  good + nuls + torn.substr(60)}) {
    write_file(dir / "t", header_line() + "\n" + line + "\n");
    auto reader = sk::TranscriptReader::open(dir / "t").value();
    ReadBack const got = read_all([&](sk::ReadRange const& r) { return reader.read(r); });
    REQUIRE(got.lines.size() == 2);
    CHECK(got.lines[1] == good);
    CHECK(got.ids[1] == "good");
    CHECK(got.ends[1] == header_line().size() + line.size() + 2);
    REQUIRE(got.damage.size() == 1);
    CHECK(got.damage[0].kind == sk::DamageKind::nul_run);
    CHECK(got.damage[0].length == line.size() - good.size());
  }
}

TEST_CASE("a complete line after torn bytes and NULs is found") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const good = message_line("a", "", "x");
  write_file(path, header_line() + "\n{\"type\":\"mess" + std::string(100, '\0') + good + "\n");
  ReadBack const got = read_file_back(path);
  CHECK(got.lines == std::vector<std::string>{header_line(), good});
  CHECK(kinds(got.damage) == std::vector<DamageKind>{DamageKind::nul_run});
}

TEST_CASE("Unicode line separators and carriage returns inside do not end a line") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const line = message_line("a", "", "one\xE2\x80\xA8two\xE2\x80\xA9three\xC2\x85");
  write_file(path, "\xEF\xBB\xBF" + header_line() + "\r\n\r\n" + line + "\r\r\n");
  ReadBack const got = read_file_back(path);
  CHECK(got.lines == std::vector<std::string>{header_line(), line});
  CHECK(got.damage.empty());
}

TEST_CASE(
    "a line without an id is identified by the offset after its last byte, with and without its newline") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string const a = R"({"type":"session","timestamp":"2025-11-04T08:00:00.000Z"})",
                    b = R"({"type":"message"})";
  std::string const name = "@" + std::to_string(a.size() + 1 + b.size());
  for (char const* end : {"", "\n", "\r\n"}) {
    write_file(path, a + "\n" + b + end);
    CHECK(read_file_back(path).ids == std::vector<std::string>{"@" + std::to_string(a.size()), name});
    CHECK(read_file_back(path, newest_first()).ids
          == std::vector<std::string>{name, "@" + std::to_string(a.size())});
  }
}

TEST_CASE("ids with escapes are views of their unescaped text") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, R"({"type":"mess\u0061ge","id":"a\"b","parentId":"c\\d"})"
                   "\n");
  auto reader = sk::TranscriptReader::open(path).value();
  sk::RecordPage const page = reader.read({}).value();
  REQUIRE(page.items().size() == 1);
  CHECK(page.items()[0].type == "message");
  CHECK(page.items()[0].id == "a\"b");
  CHECK(page.items()[0].parent == "c\\d");
}

TEST_CASE("an empty file is an empty log, and is read again when it has grown") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  write_file(path, "");
  auto reader = sk::TranscriptReader::open(path).value();
  CHECK(reader.dialect().name == "native");
  sk::RecordPage const empty = reader.read(newest_first()).value();
  CHECK(empty.items().empty());
  CHECK_FALSE(empty.more);
  CHECK(empty.log_end == sk::Position{});
  write_file(path, header_line() + "\n");
  sk::RecordPage const one = reader.read({}).value();
  CHECK(one.items().size() == 1);
}

TEST_CASE("only regular files are read, and a pipe's writer is not waited for") {
  TempDir dir;
  CHECK(sk::TranscriptReader::open(dir / "none").error().code == sk::Errc::not_found);
  CHECK(sk::TranscriptReader::open(dir.path()).error().code == sk::Errc::unsafe_path);
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);
  CHECK(sk::TranscriptReader::open(dir / "fifo").error().code == sk::Errc::unsafe_path);
  CHECK(sk::TranscriptReader::open("/dev/zero").error().code == sk::Errc::unsafe_path);
  write_file(dir / "real", header_line() + "\n");
  REQUIRE(::symlink("real", (dir / "link").c_str()) == 0);
  CHECK(sk::TranscriptReader::open(dir / "link").ok()); // the caller named it
}

TEST_CASE("reading the tail reads only the tail, however long the file") {
  TempDir dir;
  std::string bytes = header_line() + "\n";
  for (int i = 0; bytes.size() < (std::size_t{12} << 20); ++i)
    bytes += message_line(std::to_string(i), std::to_string(i - 1), std::string(2000, 'x')) + "\n";
  write_file(dir / "t", bytes);
  FaultyFileOps ops;
  int const fd = ::open((dir / "t").c_str(), O_RDONLY | O_CLOEXEC);
  sk::detail::FileReader log(ops, fd, "t", {});
  sk::ReadRange range = newest_first();
  range.max_records = 100'000;
  for (std::size_t const tail : {std::size_t{256} << 10, std::size_t{1} << 20}) {
    ops.reset();
    range.max_bytes = tail;
    sk::RecordPage const page = log.read(range).value();
    CHECK(page.items().size() > tail / 2400);
    CHECK(ops.bytes_read <= tail + 4200); // and the beginning, once, for the dialect
  }
  ops.reset();
  range.max_bytes = std::size_t{8} << 20;
  range.max_records = 10; // few records need few bytes
  sk::RecordPage const few = log.read(range).value();
  CHECK(few.items().size() == 10);
  CHECK(ops.bytes_read <= (std::size_t{256} << 10) + 4200);
  ::close(fd);
}

TEST_CASE("a line over the cap is skipped without being kept in memory") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  int const fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  std::string const head = header_line() + "\n{\"a\":\"", tail = "\"}\n" + message_line("z", "", "x") + "\n";
  off_t const hole = off_t{1} << 30; // one line of a gibibyte, mostly a hole
  REQUIRE(::pwrite(fd, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()));
  REQUIRE(::pwrite(fd, tail.data(), tail.size(), hole) == static_cast<ssize_t>(tail.size()));
  FaultyFileOps ops;
  sk::detail::FileReader log(ops, fd, path, {});
  for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
    ops.reset();
    sk::ReadRange range;
    range.order = order;
    ReadBack const got = read_all([&](sk::ReadRange const& r) { return log.read(r); }, range);
    CHECK(got.ids.size() == 2);
    REQUIRE(kinds(got.damage) == std::vector<DamageKind>{DamageKind::oversize});
    CHECK(got.damage[0].offset == header_line().size() + 1);
    CHECK(ops.largest_read <= std::size_t{4} << 20); // never more than a window at once
  }
  ::close(fd);
}

TEST_CASE("many bad lines do not make a page large") {
  TempDir dir;
  std::string bytes = header_line() + "\n";
  for (int i = 0; i < 200'000; ++i) bytes += "x\n";
  bytes += message_line("a", "", "y") + "\n";
  write_file(dir / "t", bytes);
  for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
    sk::ReadRange range;
    range.order = order;
    ReadBack const got = read_file_back(dir / "t", range);
    CHECK(got.ids.size() == 2);
    CHECK(got.damage.size() <= 1001 * got.pages);
    std::uint64_t covered = 0;
    for (auto const& d : got.damage) covered += d.length;
    CHECK(covered >= 200'000); // nothing goes unreported
  }
}

TEST_CASE("a page of short lines has a bounded number of records") {
  TempDir dir;
  std::string bytes = header_line("s") + "\n";
  for (int i = 0; i < 40000; ++i) bytes += "{}\n";
  write_file(dir / "t", bytes);
  auto reader = sk::TranscriptReader::open(dir / "t").value();
  sk::ReadRange range;
  range.max_records = std::numeric_limits<std::size_t>::max();
  for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
    range.order = order;
    range.from.reset();
    std::size_t records = 0;
    for (bool more = true; more;) {
      auto const page = reader.read(range).value();
      CHECK(page.items().size() <= 32768);
      records += page.items().size();
      more = page.more;
      range.from = page.next;
    }
    CHECK(records == 40001);
  }
}
