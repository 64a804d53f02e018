// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <sessionkit/detail/dialects/dialect_detection.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using sk::detail::DialectSearch;

namespace {

std::string const only_id = R"({"type":"session","id":"abc","key":"main:cli:user"})";
std::string const flat_header = R"({"type":"session","id":"abc","key":"k","created":"2025-01-01T00:00:00Z"})";
std::string const panel_header =
    R"({"type":"session","version":1,"id":"a","agentId":"m","createdAt":1735689600000})";
std::string const native_header =
    R"({"type":"session","version":3,"id":"a","timestamp":"2025-01-01T00:00:00.000Z"})";
std::string const both_marks =
    R"({"type":"session","id":"a","timestamp":"2025-01-01T00:00:00Z","created":"2025-01-01T00:00:00Z"})";
std::string const flat_line = R"({"type":"user","content":"hello","ts":"2025-01-01T00:00:01Z"})";
std::string const timeless_flat_line = R"({"type":"user","content":"hello"})";
std::string const later_flat_line = R"({"type":"user","content":"hello","ts":1735689601.5})";
std::string const panel_line =
    R"({"type":"message","message":{"role":"user","content":"hi"},"timestamp":1735689600000})";
std::string const native_line = R"({"type":"message","id":"m1","parentId":null,"message":{"role":"user"}})";
std::string const first_native_line =
    R"({"type":"message","timestamp":"2025-01-01T00:00:00.000Z","message":{"role":"user"}})";
std::string const bare_line = R"({"role":"user","content":"hello"})";
std::string const note = R"({"type":"note"})";
std::string const torn = R"({"type":"user","content":"hel)";

struct Found {
  std::string_view dialect;
  bool decided, known;
};

Found find(std::vector<std::string> const& lines, sk::Dialect const* fallback = nullptr) {
  DialectSearch search(fallback);
  for (std::string const& line : lines)
    if (search.look(line)) break;
  return {search.dialect().name, search.is_decided(), search.is_known()};
}

}

TEST_CASE("the first whole line that one program alone writes decides the dialect") {
  struct Case {
    std::vector<std::string> lines;
    char const* dialect;
  };
  std::vector<Case> const cases{{{flat_header, note}, "flat"},
                                {{panel_header, note}, "panel"},
                                {{native_header, note}, "native"},
                                {{flat_line}, "flat"},
                                {{later_flat_line}, "flat_v2"},
                                {{panel_line}, "panel"},
                                {{native_line}, "native"},
                                {{first_native_line}, "native"},
                                {{only_id, flat_line}, "flat"},
                                {{only_id, later_flat_line}, "flat_v2"},
                                {{only_id, panel_line}, "panel"},
                                {{only_id, native_line}, "native"},
                                {{only_id, first_native_line}, "native"},
                                {{both_marks, flat_line}, "flat"},
                                {{both_marks, native_line}, "native"},
                                {{note, note, flat_line}, "flat"},
                                {{torn, later_flat_line}, "flat_v2"},
                                {{timeless_flat_line, later_flat_line}, "flat_v2"},
                                {{only_id, note, flat_header}, "flat"}};
  for (Case const& one : cases) {
    CAPTURE(one.lines);
    Found const found = find(one.lines, &sk::native_dialect());
    CHECK(sk::find_dialect(found.dialect) == sk::find_dialect(one.dialect));
    CHECK(found.decided);
    CHECK(found.known);
  }
}

TEST_CASE("a header of several programs leaves the dialect to the store") {
  for (sk::Dialect const* const fallback : {&sk::flat_dialect(), &sk::panel_dialect(), &sk::native_dialect()})
    for (std::string const& header : {only_id, both_marks, std::string(R"({"type":"session"})")}) {
      CAPTURE(header, fallback->name);
      Found const found = find({header}, fallback);
      CHECK(found.dialect == fallback->name);
      CHECK_FALSE(found.decided);
      CHECK(found.known);
    }
  CHECK(find({only_id}).dialect == "native");
  CHECK(find({timeless_flat_line}, &sk::native_dialect()).dialect == "flat"); // only claw0 writes such a line
}

TEST_CASE("bare messages suggest a dialect, and lines of one program alone decide against them") {
  Found const bare = find({note, bare_line, bare_line}, &sk::native_dialect());
  CHECK(bare.dialect == "bare");
  CHECK((bare.known && !bare.decided));
  for (auto const& [line, dialect] :
       {std::pair(flat_line, "flat"), std::pair(panel_line, "panel"), std::pair(native_line, "native")})
    CHECK(find({bare_line, line}).dialect == dialect);
  // Its program writes no header, and loads nothing of a file that has one.
  CHECK_FALSE(find({only_id, bare_line}).known);
  CHECK(find({only_id, bare_line}).dialect == "native");
  CHECK(find({native_header, bare_line}).dialect == "native");
}

TEST_CASE("a log of lines that nobody knows is in no known dialect") {
  CHECK(find({}).known);
  CHECK_FALSE(find({note}).known);
  CHECK_FALSE(find({only_id, note}).known);
  CHECK_FALSE(
      find({R"({"type":"user","message":{"role":"user","content":"hi"},"uuid":"1","timestamp":"2025"})"})
          .known);
}

TEST_CASE("a search reads a megabyte and sixteen lines before it gives up") {
  DialectSearch search;
  for (int i = 0; i < 15; ++i) search.look(note);
  CHECK_FALSE(search.is_enough(std::uint64_t{1} << 30));
  search.look(note);
  CHECK_FALSE(search.is_enough((std::uint64_t{1} << 20) - 1));
  CHECK(search.is_enough(std::uint64_t{1} << 20));
  search.look(flat_line);
  CHECK(search.is_enough(0));
}
