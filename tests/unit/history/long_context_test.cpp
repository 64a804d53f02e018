// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/history/long_context.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace sessionkit_test;
using Ids = std::vector<std::string>;

namespace {

constexpr std::size_t two_lines = 200; // bytes: less than three of the lines below

/// A log of one path, whose entries are "a0" to "a9".
std::vector<std::string> ten_lines() {
  std::vector<std::string> lines{log_header("s")};
  std::string parent;
  for (int i = 0; i < 10; ++i) {
    std::string const id = "a" + std::to_string(i);
    lines.push_back(message_line(id, parent, i % 2 == 0 ? "user" : "assistant", "said " + id));
    parent = id;
  }
  return lines;
}

struct InParts {
  sk::detail::LongContext context;
  Ids older = {};
  bool whole = false;
};

InParts read_in_parts(std::vector<std::string> const& lines, std::size_t limit,
                      std::string const& leaf = {}) {
  auto store = store_of("s", lines);
  InParts made{sk::detail::load_newest(*store, sid("s"), sk::EntryId(leaf), limit).value()};
  auto const visit = [&](std::vector<sk::Entry> entries) {
    for (std::string& id : ids_of(entries)) made.older.push_back(std::move(id));
    return true;
  };
  made.whole = sk::detail::read_older(*store, sid("s"), made.context, visit).value();
  return made;
}

}

TEST_CASE("of a long context only the newest entries are decoded first") {
  InParts const made = read_in_parts(ten_lines(), two_lines);
  Ids const newest = ids_of(made.context.newest.entries);
  REQUIRE(newest.size() + made.older.size() == 10);
  CHECK((newest.size() == 2 || newest.size() == 3));
  CHECK(newest.back() == "a9");
  CHECK(made.older.front() == "a0");
  CHECK(made.context.newest.leaf.str() == "a9");
  CHECK(made.context.older_bytes > 6 * message_line("a0", "", "user", "said a0").size());
  CHECK(made.whole);
}

TEST_CASE("a context that is not longer than the limit is decoded at once") {
  InParts const made = read_in_parts(ten_lines(), 100'000);
  CHECK(ids_of(made.context.newest.entries).size() == 10);
  CHECK(made.older.empty());
  CHECK(made.context.older_bytes == 0);
}

TEST_CASE("the older entries are those of the path, and not those of another branch") {
  std::vector<std::string> lines = ten_lines();
  lines.insert(lines.begin() + 3, message_line("x", "a0", "assistant", "another branch"));
  InParts const made = read_in_parts(lines, two_lines);
  CHECK(made.older.size() + made.context.newest.entries.size() == 10);
  CHECK(std::find(made.older.begin(), made.older.end(), "x") == made.older.end());
  InParts const back = read_in_parts(lines, two_lines, "a6");
  CHECK(back.older.size() + back.context.newest.entries.size() == 7);
}

TEST_CASE("a context with a compaction is decoded at once, however old the compaction is") {
  std::vector<std::string> lines{log_header("s"), message_line("b", "", "user", "before"),
                                 compaction_line("k", "b", "the summary", "b")};
  std::vector<std::string> rest = ten_lines();
  rest.erase(rest.begin());
  rest.front() = message_line("a0", "k", "user", "said a0");
  std::move(rest.begin(), rest.end(), std::back_inserter(lines));
  InParts const made = read_in_parts(lines, two_lines);
  CHECK(made.older.empty());
  CHECK(ids_of(made.context.newest.entries).size() == 11);
  CHECK(made.context.newest.compaction);
}

TEST_CASE("a damaged context is decoded at once, with its damage") {
  std::vector<std::string> lines = ten_lines();
  lines[3] = message_line("a2", "zz", "user", "its parent is missing");
  InParts const made = read_in_parts(lines, two_lines);
  CHECK(made.older.empty());
  CHECK(made.context.newest.damage.size() == 1);
}

TEST_CASE("what only a context as a whole can judge is not read in parts") {
  std::vector<std::string> lines = ten_lines();
  lines[2].replace(lines[2].find("said"), 4, "sa\xff\\"); // an older line that is no JSON inside
  InParts const made = read_in_parts(lines, two_lines);
  CHECK_FALSE(made.whole);
}

TEST_CASE("a log that became shorter after its newest entries were read is not read in parts") {
  auto const longer = store_of("s", ten_lines());
  std::vector<std::string> lines = ten_lines();
  lines.resize(3);
  auto const shorter = store_of("s", lines);
  auto const newest = sk::detail::load_newest(*longer, sid("s"), {}, two_lines).value();
  CHECK_FALSE(sk::detail::read_older(*shorter, sid("s"), newest, [](auto) { return true; }).value());
}

TEST_CASE("a visitor that answers false ends the reading") {
  auto const store = store_of("s", ten_lines());
  auto const newest = sk::detail::load_newest(*store, sid("s"), {}, two_lines).value();
  CHECK_FALSE(sk::detail::read_older(*store, sid("s"), newest, [](auto) { return false; }).value());
}
