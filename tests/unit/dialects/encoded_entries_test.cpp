// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/logs.hpp"

#include <sessionkit/detail/dialects/encoded_entries.hpp>

#include <deque>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

std::size_t heads_read = 0;

bool counting_head(std::string_view line, sk::RecordView& out, std::deque<std::string>& unescaped) {
  ++heads_read;
  return sk::native_dialect().head(line, out, unescaped);
}

std::vector<sk::Entry> entries_of(std::vector<sk::EntryBody> bodies) {
  std::vector<sk::Entry> entries(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    entries[i].id = sk::EntryId("e" + std::to_string(i));
    entries[i].body = std::move(bodies[i]);
  }
  return entries;
}

std::vector<std::string> types_of(sk::detail::Batch const& batch, sk::Dialect const& dialect) {
  std::vector<std::string> types;
  for (sk::RecordView const& record : batch.records(dialect)) types.emplace_back(record.type);
  return types;
}
using Types = std::vector<std::string>;

}

TEST_CASE("entries on their way into a log are not read again for their type") {
  sk::Dialect dialect = sk::native_dialect();
  dialect.head = counting_head;
  auto const entries = entries_of({sk::user("a"), sk::TitleChange{"t"}, sk::Custom{"note"}});
  heads_read = 0;
  auto const batch = sk::detail::make_batch(entries, sk::EntryId("p"), dialect).value();
  CHECK(types_of(batch, dialect) == Types{"message", "session_info", "custom"});
  CHECK(heads_read == 0);
  auto const records = batch.records(dialect);
  CHECK(records[0].parent == "p");
  CHECK(records[1].parent == "e0");
  CHECK(records[1].line == batch.line(1));
}

TEST_CASE("lines of a dialect that names no types are read for them") {
  sk::Dialect dialect = sk::native_dialect();
  dialect.head = counting_head;
  dialect.type_of = nullptr;
  heads_read = 0;
  auto const batch =
      sk::detail::make_batch(entries_of({sk::user("a"), sk::Custom{"note"}}), {}, dialect).value();
  CHECK(types_of(batch, dialect) == Types{"message", "custom"});
  CHECK(heads_read == 2);
}

TEST_CASE("a header's record has the id of its line, and batches are put together") {
  auto batch =
      sk::detail::make_batch(entries_of({sk::Header{"the-session"}}), {}, sk::native_dialect()).value();
  batch.add(
      sk::detail::make_batch(entries_of({sk::user("a"), sk::user("b")}), {}, sk::native_dialect()).value());
  auto const records = batch.records(sk::native_dialect());
  REQUIRE(records.size() == 3);
  CHECK(records[0].id == "the-session");
  CHECK(records[0].type == "session");
  CHECK(records[2].id == "e1");
  CHECK(records[2].line.find("\"b\"") != std::string_view::npos);
}
