// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/logs.hpp"

#include <sessionkit/file_store.hpp>

#include <set>

using namespace sessionkit_test;

namespace {

sk::RecordPage::Item item(std::string_view id, std::string_view line, std::uint64_t end) {
  sk::RecordPage::Item made;
  made.id = id;
  made.line = line;
  made.end = sk::Position{end};
  return made;
}
sk::Append batch_of(std::vector<std::pair<std::string_view, std::string_view>> const& records) {
  sk::Append batch;
  for (auto const& [id, line] : records) {
    sk::RecordView view;
    view.id = id;
    view.line = line;
    batch.records.push_back(view);
  }
  return batch;
}

}

TEST_CASE("a batch already in the log after the expected end is recognised, complete or in part") {
  auto const batch = batch_of({{"a", "1"}, {"b", "2"}});
  CHECK(sk::match_batch(batch, {}).value().present == 0);
  auto const whole =
      sk::match_batch(batch, {item("a", "1", 5), item("b", "2", 7), item("x", "9", 9)}).value();
  CHECK(whole.present == 2);
  CHECK(whole.end == sk::Position{7});
  auto const part = sk::match_batch(batch, {item("a", "1", 5)}).value();
  CHECK(part.present == 1);
  CHECK(sk::match_batch(batch, {item("x", "9", 3), item("a", "1", 5), item("b", "2", 7)}).value().present
        == 2);
}

TEST_CASE("foreign entries are a conflict, and one of our ids with other bytes is already_exists") {
  auto const batch = batch_of({{"a", "1"}, {"b", "2"}});
  CHECK(sk::match_batch(batch, {item("x", "9", 3)}).error().code == sk::Errc::conflict);
  CHECK(sk::match_batch(batch, {item("a", "1", 3), item("x", "9", 5)}).error().code == sk::Errc::conflict);
  CHECK(sk::match_batch(batch, {item("b", "other", 3)}).error().code == sk::Errc::already_exists);
}

TEST_CASE("pages list every session once, newest first, also if times are equal") {
  std::vector<sk::SessionInfo> all;
  for (int i = 0; i < 97; ++i) {
    auto info = sk::make_session_info(sid("s" + std::to_string(i)));
    info.updated = sk::from_unix_ms(i / 10 - 5); // before 1970 and after
    all.push_back(info);
  }
  sk::ListQuery query;
  query.limit = 7;
  std::set<std::string> seen;
  sk::Timestamp last = sk::from_unix_ms(1000);
  do {
    auto const page = sk::page_of(all, query).value();
    CHECK(page.sessions.size() <= 7);
    for (auto const& info : page.sessions) {
      REQUIRE(seen.insert(info.id.str()).second);
      CHECK(info.updated <= last);
      last = info.updated;
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  CHECK(seen.size() == all.size());
}

TEST_CASE("a cursor that no page returned is refused instead of starting again") {
  std::vector<sk::SessionInfo> const all{sk::make_session_info(sid("one"))};
  sk::ListQuery query;
  for (char const* alien : {"x", "12", ":one", "12:", "12x:one", "--1:one", "- 1:one", "+1:one", "1: one",
                            "99999999999999999999:one", "1:../one"}) {
    INFO(alien);
    query.cursor = alien;
    auto const page = sk::page_of(all, query);
    REQUIRE_FALSE(page);
    CHECK(page.error().code == sk::Errc::invalid_argument);
    CHECK(sk::make_memory_store()->list(query).error().code == sk::Errc::invalid_argument);
  }
}

TEST_CASE("a limit of 0 lists nothing and gives no cursor") {
  sk::ListQuery query;
  query.limit = 0;
  auto const page = sk::page_of({sk::make_session_info(sid("one"))}, query).value();
  CHECK(page.sessions.empty());
  CHECK(page.next.empty());
}

TEST_CASE(
    "the memory store keeps the order, refuses stale ends and answers a repeated batch with its old end") {
  auto store = sk::make_memory_store();
  auto const id = sid("m");
  auto first = batch_of({{"h", "{}"}});
  auto const one = store->append(id, first).value();
  CHECK(store->append(id, first).value() == one);
  auto more = batch_of({{"a", "{\"x\":1}"}});
  CHECK(store->append(id, more).error().code == sk::Errc::already_exists);
  more.expected = one;
  auto const two = store->append(id, more).value();
  CHECK(store->append(id, more).value() == two);
  auto other = batch_of({{"b", "{}"}});
  other.expected = one;
  CHECK(store->append(id, other).error().code == sk::Errc::conflict);
  other.expected = two;
  CHECK(store->append(sid("none"), other).error().code == sk::Errc::not_found);
  store->append(id, other).value();

  sk::ReadRange range;
  range.order = sk::ReadRange::newest_first;
  range.max_records = 2;
  auto page = store->read(id, range).value();
  REQUIRE(page.items().size() == 2);
  CHECK(page.items()[0].id == "b");
  CHECK(page.more);
  range.from = page.next;
  page = store->read(id, range).value();
  REQUIRE(page.items().size() == 1);
  CHECK(page.items()[0].id == "h");
  CHECK_FALSE(page.more);
  store->remove(id).value();
  CHECK(store->read(id, {}).error().code == sk::Errc::not_found);
}

TEST_CASE("an append for a log that was removed and created again with equal lengths is a conflict") {
  TempDir dir;
  auto const files = sk::open_file_store(dir.path()).value();
  for (auto const& store : {sk::make_memory_store(), files}) {
    auto const id = sid("s");
    std::string const h = log_header("s"), a = message_line("a", "", "user", "old"),
                      b = message_line("b", "", "user", "new"), c = message_line("c", "a", "user", "more");
    REQUIRE(a.size() == b.size());
    store->append(id, batch_of({{"s", h}, {"a", a}})).value();
    sk::SessionInfo const known = store->info(id).value();
    auto stale = batch_of({{"c", c}});
    stale.expected = known.end;
    stale.expected_crc = known.end_crc;
    store->remove(id).value();
    auto const end = store->append(id, batch_of({{"s", h}, {"b", b}})).value();
    REQUIRE(end == known.end);
    CHECK(store->append(id, stale).error().code == sk::Errc::conflict);
    auto const two = store->read(id, {}).value();
    CHECK(two.items().size() == 2);
    stale.expected_crc = store->info(id).value().end_crc;
    CHECK(store->append(id, stale).ok());
    CHECK(store->append(id, stale).ok()); // repeating it stays safe
    auto const three = store->read(id, {}).value();
    CHECK(three.items().size() == 3);
  }
  // By other stores; this one knows its last write.
  std::string const d = message_line("d", "c", "user", "x");
  auto stale = batch_of({{"d", d}});
  sk::SessionInfo const known = files->info(sid("s")).value();
  stale.expected = known.end;
  stale.expected_crc = known.end_crc;
  std::string log = read_file(dir / "s.jsonl");
  log[log.size() - 100] ^= 1;
  write_file(dir / "s.jsonl", log);
  CHECK(sk::open_file_store(dir.path()).value()->append(sid("s"), stale).error().code == sk::Errc::conflict);
  log[log.size() - 100] ^= 1;
  write_file(dir / "s.jsonl", log.substr(0, log.size() - 1)); // its newline is missing: the same entry
  stale.expected = sk::Position{log.size() - 1};
  CHECK(sk::open_file_store(dir.path()).value()->append(sid("s"), stale).ok());
}
