// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/faulty_file_ops.hpp"
#include "support/file_store.hpp"
#include "support/transcript.hpp"

#include <sessionkit/detail/file_store/file_store.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/search.hpp>
#include <sessionkit/session.hpp>

#include <fstream>

using namespace sessionkit_test;

namespace {

/// Sessions in files, written line by line.
struct Logs {
  TempDir dir;
  void write(std::string const& id, std::vector<std::string> const& lines,
             std::string const& tail = "") const {
    std::string bytes = header_line(id) + '\n';
    for (std::string const& line : lines) bytes += line + '\n';
    write_file(dir / (id + ".jsonl"), bytes + tail);
  }
  std::shared_ptr<sk::SessionStore> open() const { return open_store(dir.path()); }
};

sk::SearchPage find(sk::SessionStore& store, std::vector<std::string> const& ids,
                    sk::SearchQuery const& query) {
  std::vector<sk::SessionId> sessions;
  for (auto const& id : ids) sessions.push_back(id_of(id));
  return sk::search(store, sessions, query).value();
}

Ids entries_of(sk::SearchPage const& page) {
  Ids ids;
  for (auto const& hit : page.hits) ids.push_back(hit.entry.id.str());
  return ids;
}

Ids found(sk::SessionStore& store, sk::SearchQuery const& query) {
  return entries_of(find(store, {"s1"}, query));
}

/// An entry of the native dialect; `members` are those after its time.
std::string entry_line(std::string const& id, std::string const& type, std::string const& members,
                       std::string const& time = "2025-11-04T08:00:01.000Z") {
  return R"({"type":")" + type + R"(","id":")" + id + R"(","parentId":null,"timestamp":")" + time + "\","
         + members + "}";
}
std::string said(std::string const& id, std::string const& message,
                 std::string const& time = "2025-11-04T08:00:01.000Z") {
  return entry_line(id, "message", "\"message\":{" + message + "}", time);
}

std::string const call =
    R"("role":"assistant","content":[{"type":"thinking","thinking":"I wonder"},{"type":"text","text":"Looking."},)"
    R"({"type":"toolCall","id":"c1","name":"read","arguments":{"path":"src/csv.ts"}}])";
std::string const result =
    R"("role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"velvet"},)"
    R"({"type":"text","text":"candle"}],"isError":false)";
std::string const ran = R"("role":"bashExecution","command":"ls","output":"a.txt","exitCode":3)";

}

TEST_CASE("a search finds each text of an entry, and no other member of its line") {
  Logs logs;
  logs.write("s1",
             {said("a", call), said("b", result), said("c", ran),
              entry_line("d", "compaction", R"("summary":"what came before","firstKeptEntryId":"a")"),
              entry_line("e", "session_info", R"("name":"  A title  ")"),
              entry_line("f", "label", R"("targetId":"a","label":"a mark")"),
              entry_line("g", "model_change", R"("provider":"anthropic","modelId":"opus")"),
              entry_line("h", "custom", R"("customType":"a.kind","data":{"x":"hidden"})"),
              entry_line("i", "custom_message", R"("customType":"n","content":"a note","display":true)"),
              said("j", R"("role":"compactionSummary","summary":"of old")")});
  auto const store = logs.open();
  std::vector<std::pair<std::string, Ids>> const expected{{"Looking.", {"a"}},   {"read {\"path\"", {"a"}},
                                                          {"src/csv", {"a"}},    {"velvet", {"b"}},
                                                          {"candle", {"b"}},     {"velvetcandle", {}},
                                                          {"wonder", {}},        {"toolCallId", {}},
                                                          {"Ran `ls`", {"c"}},   {"exited with", {"c"}},
                                                          {"code 3", {"c"}},     {"came before", {"d"}},
                                                          {"A title", {"e"}},    {" A title", {}},
                                                          {"a mark", {"f"}},     {"anthropic/opus", {"g"}},
                                                          {"a.kind", {"h"}},     {"hidden", {}},
                                                          {"a note", {"i"}},     {"was compacted", {"j"}},
                                                          {"</summary>", {"j"}}, {"(no output)", {}},
                                                          {"read ", {"a"}},      {"summary", {"j"}}};
  for (auto const& [text, ids] : expected) {
    CAPTURE(text);
    CHECK(found(*store, {text}) == ids);
  }
  sk::SearchQuery thinking{"wonder"};
  thinking.thinking = true;
  CHECK(found(*store, thinking) == Ids{"a"});
}

TEST_CASE("a text is found however its line spells it") {
  Logs logs;
  logs.write("s1",
             {message_line("a", "", R"(src\/csv.ts)"), message_line("b", "", "src/csv.ts"),
              message_line("c", "", R"(src\u002fcsv\u002ets)"),
              message_line("d", "", R"(SRC\u002fCsv.TS ÉCOLE)"),
              message_line("e", "", R"(\u00e9cole \u65e5\u672c)"), message_line("f", "", "école 日本"),
              message_line("g", "", R"(a\u0000b \ud83d\ude00)"), message_line("h", "", "SRC/CSV.TS ÉCOLE")});
  auto const store = logs.open();
  CHECK(found(*store, {"src/csv.ts"}) == Ids{"a", "b", "c"});
  CHECK(found(*store, {"csv.ts"}) == Ids{"a", "b", "c"});
  CHECK(found(*store, {"école"}) == Ids{"e", "f"});
  CHECK(found(*store, {"日本"}) == Ids{"e", "f"});
  CHECK(found(*store, {std::string("a\0b", 3)}) == Ids{"g"});
  CHECK(found(*store, {"😀"}) == Ids{"g"});
  sk::SearchQuery query{"Src/CSV.ts"};
  query.ignore_case = true;
  CHECK(found(*store, query) == Ids{"a", "b", "c", "d", "h"});
  query.text = "École";
  CHECK(found(*store, query) == Ids{"d", "e", "f", "h"});
}

TEST_CASE("the filters of a search are the role, the tool, the path, the time and the key") {
  TempDir dir;
  auto const store = open_store(dir.path());
  sk::NewSession wanted;
  wanted.key = "main:cli:ada";
  auto session = sk::Session::create(store, wanted).value();
  auto const at = [](std::int64_t ms) {
    sk::AppendOptions options;
    options.time = sk::from_unix_ms(ms);
    return options;
  };
  auto const first = session.append(sk::user("needle one"), at(1000)).value();
  sk::ToolUse const use{"c1", "grep", sk::RawJson::from(R"({"pattern":"needle"})")};
  auto const second = session.append(sk::assistant("a needle", use), at(2000)).value();
  auto const third = session.append(sk::tool_result(use, "needle.txt"), at(3000)).value();
  REQUIRE(session.rewind(first));
  auto const other = session.append(sk::assistant("no needle"), at(4000)).value();
  auto const ids = [&](sk::SearchQuery const& query) {
    return entries_of(sk::search(*store, {session.id()}, query).value());
  };
  sk::SearchQuery const all{"needle"};
  CHECK(ids(all) == Ids{first.str(), second.str(), third.str(), other.str()});
  sk::SearchQuery query = all;
  query.role = sk::Role::assistant;
  CHECK(ids(query) == Ids{second.str(), other.str()});
  query = all;
  query.tool = "grep";
  CHECK(ids(query) == Ids{second.str(), third.str()});
  query.tool = "read";
  CHECK(ids(query).empty());
  query = all;
  query.leaf = third;
  CHECK(ids(query) == Ids{first.str(), second.str(), third.str()});
  query.leaf = sk::EntryId();
  CHECK(ids(query) == Ids{first.str(), other.str()});
  query.leaf = sk::EntryId("nowhere");
  CHECK(ids(query).empty());
  query = all;
  query.since = sk::from_unix_ms(2000);
  query.until = sk::from_unix_ms(4000);
  CHECK(ids(query) == Ids{second.str(), third.str()});
  query = all;
  query.key = "main:cli:ada";
  CHECK(ids(query).size() == 4);
  query.key = "";
  CHECK(ids(query).empty());
}

TEST_CASE("a hit shows complete characters before and after the match, as the entry spells it") {
  Logs logs;
  logs.write("s1",
             {message_line("a", "", R"(日本語日本語\n\tNEEDLE\r\n😀😀)"), message_line("b", "", "NEEDLE")});
  auto const store = logs.open();
  sk::SearchQuery query{"needle"};
  query.ignore_case = true;
  query.before = 7;
  query.after = 4;
  auto const page = find(*store, {"s1"}, query);
  REQUIRE(page.hits.size() == 2);
  auto const& hit = page.hits[0];
  CHECK(hit.before == "本語\n\t");
  CHECK(hit.match == "NEEDLE");
  CHECK(hit.after == "\r\n😀");
  CHECK((hit.cut_before && hit.cut_after));
  CHECK(hit.type == "message");
  CHECK(hit.session == id_of("s1"));
  CHECK((!page.hits[1].cut_before && !page.hits[1].cut_after));
}

TEST_CASE("pages of hits continue where the page before ended, and damage counts once") {
  Logs logs;
  logs.write("s1", {message_line("a", "", "needle"), "damage", message_line("b", "", "needle")}, "{\"torn");
  logs.write("s2", {message_line("c", "", "hay")});
  logs.write("s3", {message_line("d", "", "needle"), message_line("e", "", "needle needle")});
  auto const store = logs.open();
  for (std::size_t limit = 1; limit < 6; ++limit) {
    sk::SearchQuery query{"needle"};
    query.limit = limit;
    Ids ids;
    std::uint64_t damaged = 0;
    do {
      auto const page = find(*store, {"s1", "s2", "s3"}, query);
      CHECK(page.hits.size() <= limit);
      for (auto const& id : entries_of(page)) ids.push_back(id);
      damaged += page.damaged;
      query.cursor = page.next;
    } while (!query.cursor.empty());
    CHECK(ids == Ids{"a", "b", "d", "e"});
    CHECK(damaged == 2);
  }
  sk::SearchQuery none{"needle"};
  none.limit = 0;
  CHECK((find(*store, {"s1"}, none).hits.empty() && find(*store, {"s1"}, none).next.empty()));
}

TEST_CASE("a search refuses an empty text and a cursor of another search") {
  Logs logs;
  logs.write("s1", {});
  auto const store = logs.open();
  CHECK(sk::search(*store, {id_of("s1")}, {""}).error().code == sk::Errc::invalid_argument);
  for (auto const* cursor : {"1@0", "0", "@", "x@1", "0@", "0@1x", "-1@0"}) {
    CAPTURE(cursor);
    sk::SearchQuery query{"a"};
    query.cursor = cursor;
    CHECK(sk::search(*store, {id_of("s1")}, query).error().code == sk::Errc::invalid_argument);
  }
}

TEST_CASE("a session that cannot be searched is reported and hides no other") {
  Logs logs;
  logs.write("s1", {message_line("a", "", "needle")});
  auto const store = logs.open();
  auto const page = find(*store, {"gone", "s1"}, {"needle"});
  CHECK(entries_of(page) == Ids{"a"});
  REQUIRE(page.failures.size() == 1);
  CHECK(page.failures[0].session == id_of("gone"));
  CHECK(page.failures[0].error.code == sk::Errc::not_found);
}

TEST_CASE("entries that share a line or stand beside lost bytes are found") {
  Logs logs;
  std::string const nuls(600, '\0');
  logs.write("s1", {message_line("a", "", "hay") + message_line("b", "", "needle"),
                    nuls + message_line("c", "", "needle"), message_line("d", "", "hay") + nuls,
                    message_line("e", "", "needle") + "\r"});
  auto const store = logs.open();
  auto const page = find(*store, {"s1"}, {"needle"});
  CHECK(entries_of(page) == Ids{"b", "c", "e"});
  CHECK(page.damaged == 2); // the two runs of NULs
}

TEST_CASE("a search reads each byte of a log once, and keeps only lines that may have the text") {
  Logs logs;
  std::vector<std::string> lines;
  for (int i = 0; i < 4000; ++i)
    lines.push_back(
        message_line("m" + std::to_string(i), "", std::string(500, 'x') + (i % 400 == 0 ? "needle" : "")));
  logs.write("s1", lines);
  auto const size = read_file(logs.dir / "s1.jsonl").size();
  FaultyFileOps ops;
  auto const store = sk::detail::open_file_store(ops, logs.dir.path(), {}).value();
  REQUIRE(store->info(id_of("s1")));
  ops.reset();
  sk::SearchQuery query{"needle"};
  CHECK(find(*store, {"s1"}, query).hits.size() == 10);
  CHECK(ops.bytes_read < size + size / 10);
  CHECK(ops.largest_read <= (std::uint64_t{64} << 10));
}

TEST_CASE("letters of equal length are folded, and others are kept") {
  CHECK(sk::fold_case("Straße ÀÖØÞß×÷ ŁŽĦ ΑΩ ЁЖЯ 題 😀 İ ı ĸ") == "straße àöøþß×÷ łžħ αω ёжя 題 😀 İ ı ĸ");
  CHECK(sk::fold_case("\xC3") == "\xC3");
  CHECK(sk::fold_case("a\xED\xA0\x80Z\xFF") == "a\xED\xA0\x80z\xFF");
}
