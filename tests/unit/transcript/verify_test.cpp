// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/transcript.hpp"

#include <sessionkit/transcript_reader.hpp>

#include <algorithm>
#include <filesystem>
#include <random>

using namespace sessionkit_test;
using sk::DamageKind;

TEST_CASE("verify takes an empty parentId for a root and reports second headers and duplicate keys") {
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string bytes = header_line() + "\n";
  std::vector<std::pair<DamageKind, std::size_t>> expected;
  bytes += R"({"type":"message","id":"a","parentId":"","message":{"role":"user","content":"x"}})"
           "\n";
  expected.emplace_back(DamageKind::second_header, bytes.size());
  bytes += header_line("other") + "\n";
  expected.emplace_back(DamageKind::duplicate_key, bytes.size());
  bytes += R"({"type":"custom","id":"b","parentId":"a","id":"c"})"
           "\n";
  bytes += R"({"type":"custom","id":"d","parentId":"a","data":{"id":1,"type":2,"x":{"id":1}}})"
           "\n";
  write_file(path, bytes);
  std::vector<std::pair<DamageKind, std::size_t>> got;
  auto const found = sk::TranscriptReader::open(path).value().verify().value();
  for (auto const& d : found) got.emplace_back(d.kind, d.offset);
  CHECK(got == expected);
  CHECK_FALSE(sk::is_damage(DamageKind::second_header));
  CHECK(std::string(sk::to_string(DamageKind::duplicate_key)) == "duplicate_key");
}

namespace {

/// The lines of unknown types, found by decoding each.
sk::UnknownLines decoded_unknown_lines(std::string const& path) {
  auto reader = sk::TranscriptReader::open(path).value();
  sk::UnknownLines found;
  sk::ReadRange range;
  for (bool more = true; more;) {
    auto const page = reader.read(range).value();
    for (auto const& item : page.items()) {
      auto const entry = sk::decode(page, item);
      if (!entry || entry->as<sk::Unknown>() == nullptr) continue;
      ++found.count;
      std::string const type(item.type.substr(0, 64));
      if (found.types.size() < 8
          && std::find(found.types.begin(), found.types.end(), type) == found.types.end())
        found.types.push_back(type);
    }
    more = page.more;
    range.from = page.next;
  }
  return found;
}

void check_unknown_lines(std::string const& path, std::uint64_t& lines) {
  INFO(path);
  auto const expected = decoded_unknown_lines(path);
  sk::UnknownLines found;
  sk::TranscriptReader::open(path).value().verify({}, &found).value();
  CHECK(found.count == expected.count);
  CHECK(found.types == expected.types);
  lines += found.count;
}

}

TEST_CASE("verify counts the lines of unknown types as decoding each of them would") {
  std::uint64_t lines = 0;
  for (auto const& file : std::filesystem::recursive_directory_iterator(data("")))
    if (file.path().extension() == ".jsonl") check_unknown_lines(file.path().string(), lines);
  CHECK(lines > 500); // files of other programs are among them
  TempDir dir;
  std::string bytes = header_line() + "\n";
  std::vector<std::string> const roles = {R"("user")", R"("ghost")", R"("gh\u006fst")", "7",
                                          '"' + std::string(100, 'r') + '"'};
  for (auto const& role : roles)
    for (std::string const type : {"message", "ghost", "ghost"})
      bytes += R"({"type":")" + type + R"(","id":"i)" + std::to_string(bytes.size())
               + R"(","message":{"content":"x","role":)" + role + "}}\n";
  for (int i = 0; i < 100; ++i) // more than are remembered
    bytes += R"({"type":"t)" + std::to_string(i) + R"(","id":"j)" + std::to_string(i) + "\"}\n";
  bytes += R"({"id":"k"})"
           "\n"
           + message_line("l", "k", "y") + "\n";
  write_file(dir / "t.jsonl", bytes);
  lines = 0;
  check_unknown_lines(dir / "t.jsonl", lines);
  CHECK(lines == 10 + 4 + 100 + 1);
}

namespace {

std::string one_of(std::vector<std::string> const& choices, std::mt19937& random) {
  return choices[random() % choices.size()];
}

/// A line whose members have values of any kind, right or wrong.
std::string any_line(std::mt19937& random) {
  static std::vector<std::string> const types = {"",
                                                 R"("type":"message",)",
                                                 R"("type":"user",)",
                                                 R"("type":"assistant",)",
                                                 R"("type":"tool_use",)",
                                                 R"("type":"tool_result",)",
                                                 R"("type":"compaction",)",
                                                 R"("type":"custom",)",
                                                 R"("type":"label",)",
                                                 R"("type":"ghost",)"};
  static std::vector<std::string> const roles = {"",
                                                 R"("role":"user",)",
                                                 R"("role":"assistant",)",
                                                 R"("role":"toolResult",)",
                                                 R"("role":"ghost",)",
                                                 R"("role":1,)"};
  static std::vector<std::string> const contents = {"",
                                                    R"("content":"x",)",
                                                    R"("content":[],)",
                                                    R"("content":[{"type":"text","text":"x"}],)",
                                                    R"("content":{},)",
                                                    R"("content":7,)"};
  static std::vector<std::string> const times = {"", R"("ts":1708300001,)", R"("timestamp":1708300001000,)",
                                                 R"("timestamp":"2026-01-01T00:00:00.000Z",)",
                                                 R"("timestamp":"then",)"};
  auto const message = [&] {
    std::string members = one_of(roles, random) + one_of(contents, random);
    if (!members.empty()) members.pop_back();
    return "\"message\":{" + members + "},";
  };
  std::vector<std::string> const messages = {"", R"("message":"x",)", message(), message(), message()};
  return "{" + one_of(types, random) + one_of(roles, random) + one_of(contents, random)
         + one_of(times, random) + one_of(messages, random) + R"("summary":"x"})";
}

/// A line of the `bare` form; others would show that the file is of another dialect.
std::string bare_line(std::mt19937& random) {
  return one_of({R"({"role":"user","content":"x"})", R"({"role":"user","content":["x"]})",
                 R"({"role":"assistant","content":7})", R"({"role":"assistant","content":"y"})",
                 R"({"role":"ghost","content":"x"})", R"({"role":"user"})"},
                random);
}

}

TEST_CASE("verify counts the lines of unknown types in every dialect, also if values are of wrong kinds") {
  struct Lines {
    std::string dialect, first;
    std::string (*next)(std::mt19937&);
  };
  Lines const all[] = {{"native", header_line(), any_line},
                       {"panel",
                        R"({"type":"session","version":3,"id":"a","agentId":"b","createdAt":1708300001000})",
                        any_line},
                       {"flat", R"({"type":"session","id":"a","created":"2026-01-01T00:00:00"})", any_line},
                       {"bare", R"({"role":"user","content":"x"})", bare_line}};
  TempDir dir;
  std::mt19937 random(20);
  for (Lines const& lines : all) {
    CAPTURE(lines.dialect);
    std::uint64_t unknown = 0;
    for (int round = 0; round < 40; ++round) {
      std::string bytes = lines.first + "\n";
      for (int i = 0; i < 60; ++i) bytes += lines.next(random) + "\n";
      write_file(dir / "any.jsonl", bytes);
      REQUIRE(lines.dialect == sk::TranscriptReader::open(dir / "any.jsonl").value().dialect().name);
      check_unknown_lines(dir / "any.jsonl", unknown);
    }
    CHECK(unknown > 500);
  }
}

TEST_CASE("verify finds every kind of damage and nothing in an undamaged file") {
  CHECK(sk::TranscriptReader::open(data("pi/tool_calls.jsonl")).value().verify().value().empty());
  TempDir dir;
  std::string const path = dir / "t.jsonl";
  std::string bytes = message_line("a", "", "first is no header") + "\n";
  std::vector<std::pair<DamageKind, std::size_t>> expected{{DamageKind::missing_header, 0}};
  auto const add = [&](std::string const& line, std::initializer_list<DamageKind> found) {
    for (DamageKind const kind : found) expected.emplace_back(kind, bytes.size());
    bytes += line + "\n";
  };
  add(message_line("b", "later", "x"), {DamageKind::parent_cycle});
  add(message_line("c", "nobody", "x"), {DamageKind::missing_parent});
  add(message_line("b", "a", "again"), {DamageKind::duplicate_id});
  add(R"({"type":"compaction","id":"d","parentId":"c","timestamp":"2025-11-04T08:00:01.000Z","summary":"s",)"
      R"("firstKeptEntryId":"gone","tokensBefore":1})",
      {DamageKind::missing_first_kept});
  add(message_line("later", "d", "x"), {});
  add(R"({"type":"compaction","id":"own","parentId":"d","timestamp":"2025-11-04T08:00:01.000Z","summary":"s",)"
      R"("firstKeptEntryId":"own","tokensBefore":1})",
      {}); // nothing is kept
  add("{\"type\":\"message\",\"id\":\"e\",\"parentId\":null,\"x\":tru}", {DamageKind::bad_json});
  add(R"({"type":"custom","id":"k","parentId":null,"crc":"00000000"})", {DamageKind::checksum});
  add(message_line("f", "a", "\xff"), {DamageKind::invalid_utf8});
  add(message_line("g", "a", "x") + "\r", {DamageKind::carriage_return});
  add(message_line("h", "a", "x") + "\r", {});
  expected.emplace_back(DamageKind::no_final_newline, bytes.size());
  bytes += message_line("i", "a", "x");
  write_file(path, bytes);
  std::uint64_t done = 0, all = 0;
  auto const found = sk::TranscriptReader::open(path)
                         .value()
                         .verify([&](std::uint64_t d, std::uint64_t a) { done = d, all = a; })
                         .value();
  std::vector<std::pair<DamageKind, std::size_t>> got;
  for (auto const& d : found) got.emplace_back(d.kind, d.offset);
  CHECK(got == expected);
  CHECK(done == bytes.size());
  CHECK(all == bytes.size());
}
