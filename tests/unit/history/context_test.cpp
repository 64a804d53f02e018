// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"
#include "support/random.hpp"

#include <sessionkit/context.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace sessionkit_test;
using Ids = std::vector<std::string>;

namespace {

sk::Context context_of(std::vector<std::string> const& lines, std::string const& leaf = {}) {
  auto store = store_of("s", lines);
  return sk::load_context(*store, sid("s"), sk::EntryId(leaf)).value();
}

}

TEST_CASE("a context follows parents from the last entry to the first") {
  auto const context = context_of(
      {log_header("s"), message_line("a", "", "user", "1"), message_line("b", "a", "assistant", "2"),
       message_line("x", "a", "assistant", "other branch"), message_line("c", "b", "user", "3")});
  CHECK(ids_of(context.entries) == Ids{"a", "b", "c"});
  CHECK(context.leaf.str() == "c");
  CHECK_FALSE(context.compaction);
  CHECK(context.damage.empty());
}

TEST_CASE("a context can be read at any leaf, and an unknown leaf is not_found") {
  std::vector<std::string> const lines{log_header("s"), message_line("a", "", "user", "1"),
                                       message_line("b", "a", "assistant", "2"),
                                       message_line("c", "a", "assistant", "3")};
  CHECK(ids_of(context_of(lines, "b").entries) == Ids{"a", "b"});
  auto store = store_of("s", lines);
  auto const unknown = sk::load_context(*store, sid("s"), sk::EntryId("zz"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == sk::Errc::not_found);
  CHECK(sk::load_context(*store, sid("other")).error().code == sk::Errc::not_found);
}

TEST_CASE("a context begins at the last compaction's first kept entry and names the entries after it") {
  auto const context =
      context_of({log_header("s"), message_line("a", "", "user", "1"),
                  message_line("b", "a", "assistant", "2"), message_line("c", "b", "user", "3"),
                  compaction_line("k", "c", "sum", "b"), message_line("d", "k", "assistant", "4")});
  CHECK(ids_of(context.entries) == Ids{"b", "c", "d"});
  REQUIRE(context.compaction);
  CHECK(context.compaction->as<sk::Compaction>()->summary == "sum");
  CHECK(context.after_compaction == 2);
}

TEST_CASE("an older compaction in the kept range stays an entry and does not end the walk") {
  auto const context =
      context_of({log_header("s"), message_line("a", "", "user", "1"), compaction_line("k1", "a", "one", "a"),
                  message_line("b", "k1", "user", "2"), compaction_line("k2", "b", "two", "a")});
  CHECK(ids_of(context.entries) == Ids{"a", "k1", "b"});
  CHECK(context.compaction->id.str() == "k2");
  CHECK(context.after_compaction == 3);
}

TEST_CASE("a first kept entry that is not on the path keeps only the entries after the compaction") {
  auto const context =
      context_of({log_header("s"), message_line("a", "", "user", "1"),
                  compaction_line("k", "a", "sum", "turn-4"), message_line("b", "k", "user", "2")});
  CHECK(ids_of(context.entries) == Ids{"b"});
}

TEST_CASE("a missing parent is replaced by the entry before it, and reported") {
  auto const context = context_of(
      {log_header("s"), message_line("a", "", "user", "1"), message_line("b", "a", "assistant", "2"),
       message_line("c", "lost", "user", "3"), message_line("d", "c", "assistant", "4")});
  CHECK(ids_of(context.entries) == Ids{"a", "b", "c", "d"});
  REQUIRE(context.damage.size() == 1);
  CHECK(context.damage[0].kind == sk::DamageKind::missing_parent);
}

TEST_CASE("on a damaged path the entries after the damage are kept if the first kept entry was lost") {
  auto const context = context_of(
      {log_header("s"), message_line("a", "", "user", "1"), message_line("b", "lost", "assistant", "2"),
       compaction_line("k", "b", "sum", "lost"), message_line("c", "k", "user", "3")});
  CHECK(ids_of(context.entries) == Ids{"b", "c"});
}

TEST_CASE("cycles, self-parents and parents after their children end, and hide nothing before them") {
  auto const cycle = context_of(
      {log_header("s"), message_line("a", "b", "user", "1"), message_line("b", "a", "assistant", "2")});
  CHECK(ids_of(cycle.entries) == Ids{"a", "b"});
  CHECK(cycle.damage.size() == 1);
  auto const self = context_of(
      {log_header("s"), message_line("a", "", "user", "1"), message_line("b", "b", "assistant", "2")});
  CHECK(ids_of(self.entries) == Ids{"a", "b"});
}

TEST_CASE("a log that another program wrote twice is read once") {
  auto const context =
      context_of({log_header("s"), message_line("a", "", "user", "1"), log_header("s"),
                  message_line("a", "", "user", "1"), message_line("b", "a", "assistant", "2")});
  CHECK(ids_of(context.entries) == Ids{"a", "b"});
}

TEST_CASE("a line with a valid head and a torn body is reported and skipped") {
  std::string torn = message_line("b", "a", "assistant", "2");
  torn.replace(torn.size() - 4, 4, "}"); // stores accept text that looks like an object
  auto const context = context_of(
      {log_header("s"), message_line("a", "", "user", "1"), torn, message_line("c", "b", "user", "3")});
  CHECK(ids_of(context.entries) == Ids{"a", "c"});
  REQUIRE(context.damage.size() == 1);
  CHECK(context.damage[0].kind == sk::DamageKind::bad_json);
}

TEST_CASE("a line torn after its head is not a leaf") {
  std::string torn = message_line("b", "a", "assistant", "2");
  torn.replace(torn.size() - 4, 4, "}"); // stores accept text that looks like an object
  auto const context = context_of({log_header("s"), message_line("a", "", "user", "1"), torn});
  CHECK(context.leaf.str() == "a");
  CHECK(ids_of(context.entries) == Ids{"a"});
  CHECK(context.damage.size() == 1);
}

TEST_CASE("version 1 files name the first kept entry by line number") {
  auto const line = [](std::string const& type, std::string const& rest) {
    return R"({"type":")" + type + R"(","timestamp":"2026-01-01T00:00:00.000Z",)" + rest + "}";
  };
  auto const said = [&](std::string const& text) {
    return line("message", R"("message":{"role":"user","content":")" + text + R"("})");
  };
  auto const context = context_of(
      {R"({"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"})", said("1"),
       said("2"), said("3"),
       line("compaction", R"("summary":"sum","firstKeptEntryIndex":2,"tokensBefore":1)"), said("4")});
  REQUIRE(context.entries.size() == 3);
  CHECK(context.entries[0].as<sk::Message>()->text() == "2");
  CHECK(context.after_compaction == 2);
}

// The model: follow parents in a map of the entries before the child; if there is none, take the
// entry before.
TEST_CASE("random trees with random damage give the same walk as the slow model") {
  Random random(20260101);
  for (int round = 0; round < 2000; ++round) {
    std::size_t const n = 1 + random.below(30);
    std::vector<std::string> lines{log_header("s")};
    std::vector<std::pair<std::string, std::string>> entries; // id, parent
    for (std::size_t i = 0; i < n; ++i) {
      std::string const id = "e" + std::to_string(random.one_in(8) ? random.below(n) : i);
      std::string const parent = i == 0 || random.one_in(25) ? ""
                                 : random.one_in(6)          ? "e" + std::to_string(random.below(n + 5))
                                                             : entries.back().first;
      entries.emplace_back(id, parent);
      lines.push_back(message_line(id, parent, i % 2 ? "assistant" : "user", std::to_string(i)));
    }
    std::vector<std::string> expected;
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(n) - 1; at >= 0;) {
      expected.insert(expected.begin(), std::to_string(at));
      std::string const& parent = entries[static_cast<std::size_t>(at)].second;
      if (parent.empty()) break;
      std::ptrdiff_t before = at - 1;
      while (before >= 0 && entries[static_cast<std::size_t>(before)].first != parent) --before;
      at = before >= 0 ? before : at - 1;
    }
    auto const context = context_of(lines);
    std::vector<std::string> texts;
    for (auto const& entry : context.entries) texts.push_back(entry.as<sk::Message>()->text());
    CAPTURE(round);
    REQUIRE(texts == expected);
  }
}

TEST_CASE("the positions of a path are where its entries end, oldest first") {
  auto store = store_of("s", {log_header("s"), message_line("a", "", "user", "1"),
                              message_line("b", "a", "assistant", "2"),
                              message_line("x", "a", "user", "other"), message_line("c", "b", "user", "3")});
  std::map<sk::Position, std::string> ids;
  auto const page = store->read(sid("s"), {}).value();
  for (auto const& item : page.items()) ids[item.end] = std::string(item.id);
  auto const named = [&](std::string const& leaf) {
    Ids path;
    for (auto const place : sk::path_positions(*store, sid("s"), sk::EntryId(leaf)).value())
      path.push_back(ids.at(place));
    return path;
  };
  CHECK(named("") == Ids{"a", "b", "c"});
  CHECK(named("x") == Ids{"a", "x"});
  CHECK(sk::path_positions(*store, sid("s"), sk::EntryId("zz")).error().code == sk::Errc::not_found);
}

TEST_CASE("a context keeps the lines of its entries on request") {
  std::vector<std::string> const lines{log_header("s"), message_line("a", "", "user", "1")};
  auto store = store_of("s", lines);
  CHECK(sk::load_log(*store, sid("s")).value().lines.empty());
  CHECK(sk::load_log(*store, sid("s"), sk::LogLines::kept).value().lines == lines);
}

TEST_CASE("leaves are the entries without children, in log order") {
  auto store = store_of("s", {log_header("s"), message_line("a", "", "user", "1"),
                              message_line("b", "a", "assistant", "2"),
                              message_line("c", "a", "assistant", "3"), message_line("d", "c", "user", "4")});
  auto const leaves = sk::leaves_of(sk::load_log(*store, sid("s")).value());
  REQUIRE(leaves.size() == 2);
  CHECK(leaves[0].str() == "b");
  CHECK(leaves[1].str() == "d");
}

TEST_CASE("an entry is a leaf if no path of a reader continues from it, with lost and late parents too") {
  Random random(1);
  std::size_t lost = 0, late = 0, twice = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines{log_header("s")};
    std::size_t const count = 1 + random.below(8);
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) {
      std::string const id = "e" + std::to_string(random.one_in(8) ? random.below(count) : i);
      std::string const parent = random.one_in(6) ? "gone" : "e" + std::to_string(random.below(count));
      bool const root = i == 0 || random.one_in(8);
      lines.push_back(message_line(id, root ? "" : parent, "user", std::to_string(i)));
      lost += parent == "gone" ? 1U : 0U;
      twice += std::count(ids.begin(), ids.end(), id) > 0 ? 1U : 0U;
      late += !root && std::count(ids.begin(), ids.end(), parent) == 0 ? 1U : 0U;
      ids.push_back(id);
    }
    auto const store = store_of("s", lines);
    sk::Log const log = sk::load_log(*store, sid("s")).value();
    std::vector<std::size_t> const parents = sk::parents_of(log.entries);
    std::set<std::string> inner;
    for (std::size_t i = 1; i < log.entries.size(); ++i) {
      bool const last_of_name =
          std::none_of(log.entries.begin() + static_cast<std::ptrdiff_t>(i) + 1, log.entries.end(),
                       [&](sk::Entry const& other) { return other.id == log.entries[i].id; });
      if (parents[i] != sk::no_parent) inner.insert(log.entries[parents[i]].id.str());
      if (!last_of_name) continue; // a reader that is asked for the name takes the last one
      std::vector<std::string> walked, expected;
      for (sk::Entry const& entry : sk::load_path(*store, sid("s"), log.entries[i].id).value())
        walked.push_back(entry.as<sk::Message>()->text());
      for (std::size_t at = i; at != sk::no_parent; at = parents[at])
        expected.insert(expected.begin(), log.entries[at].as<sk::Message>()->text());
      CAPTURE(round, i, lines);
      REQUIRE(walked == expected);
    }
    std::set<std::string> ends, all(ids.begin(), ids.end());
    for (sk::EntryId const& leaf : sk::leaves_of(log)) CHECK(ends.insert(leaf.str()).second);
    for (std::string const& id : all) CHECK((ends.count(id) > 0) == (inner.count(id) == 0));
  }
  CHECK((lost > 100 && late > 100 && twice > 50));
}

TEST_CASE("of many lines without a type only the last thousand are in a context, the others are counted") {
  std::vector<std::string> lines{log_header("s"), message_line("a", "", "user", "1")};
  lines.insert(lines.end(), 2500, "{}");
  auto const context = context_of(lines);
  CHECK(context.entries.size() == 1001);
  CHECK(context.unlisted == 1500);
  CHECK(context.entries.front().id.str() == "a");
  lines.resize(900);
  CHECK(context_of(lines).unlisted == 0);
}
