// SPDX-License-Identifier: MIT
// Checks what every store must do: start, continue, read, list and remove.
#pragma once
#include <sessionkit/testing/detail/core_checks.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace core_checks_inl { namespace {

void core_start(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const records = t.session(id, 2);
  Position const end = t.must(store->append(id, batch_of(records)), "append of a new session");
  t.expect(Position{} < end, "the end of a log with entries is Position{}");
  expect_log(*store, id, records, "after the first append");
  t.expect(read_log(*store, id).log_end == end, "append answered another end than read does");
  t.expect(read_log(*store, id).dialect == t.dialect.name, "the page names another dialect");
}

void core_continue(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records all = t.session(id, 1);
  Position end = t.must(store->append(id, batch_of(all)), "append of a new session");
  for (std::size_t size : {1U, 3U, 1U, 2U}) {
    Records more;
    for (std::size_t i = 0; i < size; ++i) more.push_back(t.message("more"));
    Position const next = t.must(store->append(id, batch_of(more, end)), "append at the end");
    t.expect(end < next, "the end did not move");
    all.insert(all.end(), more.begin(), more.end());
    expect_log(*store, id, all, "after appending " + std::to_string(size));
    t.expect(read_log(*store, id).log_end == next, "append answered another end than read does");
    end = next;
  }
}

void core_not_found(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("none");
  for (int twice = 0; twice < 2; ++twice) { // asking makes nothing
    t.refused(store->append(id, batch_of({t.message("x")}, Position{7})), Errc::not_found,
              "append behind nothing");
    t.refused(store->read(id, {}), Errc::not_found, "read");
    t.refused(store->info(id), Errc::not_found, "info");
    t.refused(store->remove(id), Errc::not_found, "remove");
    t.expect(list_checked(*store, {}).empty(), "asking for a session listed one");
  }
}

void core_exists(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const records = t.session(id, 1);
  t.must(store->append(id, batch_of(records)), "append of a new session");
  t.refused(store->append(id, batch_of(t.session(id, 2))), Errc::already_exists, "starting it again");
  t.refused(store->append(id, batch_of({t.message("x")})), Errc::already_exists,
            "an entry that expects nothing");
  expect_log(*store, id, records, "after a refused start");
}

void core_both_orders(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const records = t.session(id, 9);
  Position const end = t.must(store->append(id, batch_of(records)), "append");
  for (auto const order : {ReadRange::oldest_first, ReadRange::newest_first})
    for (std::size_t const most : {1U, 2U, 3U, 10U, 11U}) {
      ReadRange range;
      range.order = order;
      range.max_records = most;
      t.expect(t.must(store->read(id, range), "read").log_end == end, "log_end of a page is not the log's");
      WholeLog const log = read_log(*store, id, range);
      t.expect(difference(records, log).empty(),
               "read by " + std::to_string(most) + ": " + difference(records, log));
      t.expect(log.pages >= (records.size() + most - 1) / most,
               "a page holds more records than were asked for");
    }
}

void core_bounded_bytes(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records records = t.session(id, 3);
  records.push_back(t.message(std::string(100000, 'x')));
  for (int i = 0; i < 3; ++i) records.push_back(t.message("short"));
  t.must(store->append(id, batch_of(records)), "append");
  for (auto const order : {ReadRange::oldest_first, ReadRange::newest_first})
    for (std::size_t const most : {1U, 600U, 50000U}) {
      ReadRange range;
      range.order = order;
      range.max_bytes = most;
      RecordPage const page = t.must(store->read(id, range), "read");
      std::size_t bytes = 0;
      for (auto const& item : page.items()) bytes += item.line.size();
      t.expect(!page.items().empty(), "a page of few bytes holds no record");
      t.expect(bytes <= most || page.items().size() == 1, "a page holds more bytes than were asked for");
      WholeLog const log = read_log(*store, id, range);
      t.expect(difference(records, log).empty(), "read by bytes: " + difference(records, log));
    }
}

void core_from_any_end(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const records = t.session(id, 6);
  t.must(store->append(id, batch_of(records)), "append");
  WholeLog const all = read_log(*store, id);
  for (std::size_t i = 0; i < records.size(); ++i) {
    auto const at = static_cast<std::ptrdiff_t>(i) + 1;
    ReadRange behind;
    behind.from = all.ends[i];
    std::string wrong =
        difference(Records(records.begin() + at, records.end()), read_log(*store, id, behind));
    t.expect(wrong.empty(), "from behind record " + std::to_string(i) + ": " + wrong);
    behind.order = ReadRange::newest_first;
    wrong = difference(Records(records.begin(), records.begin() + at), read_log(*store, id, behind));
    t.expect(wrong.empty(), "backwards from record " + std::to_string(i) + ": " + wrong);
  }
  ReadRange start;
  start.from = Position{};
  t.expect(read_log(*store, id, start).records.size() == records.size(),
           "from Position{} on: not all records");
  start.order = ReadRange::newest_first;
  t.expect(read_log(*store, id, start).records.empty(), "backwards from Position{}: something is there");
}

void core_beyond_the_end(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records const records = t.session(id, 2);
  Position const end = t.must(store->append(id, batch_of(records)), "append");
  ReadRange range;
  range.from = end;
  t.expect(read_log(*store, id, range).records.empty(), "after the last record: something is there");
  RecordPage const page = t.must(store->read(id, range), "read at the end");
  t.expect(page.log_end == end, "log_end is another at the end of the log");
  t.expect(!page.more && page.next == end, "an empty page at the end does not say where to continue");
  Records const more{t.message("later")};
  t.must(store->append(id, batch_of(more, end)), "append");
  range.from = page.next;
  t.expect(difference(more, read_log(*store, id, range)).empty(),
           "from the old end on: not what was appended since");
}

void core_page_owns(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Records records = t.session(id, 20);
  t.must(store->append(id, batch_of(records)), "append");
  RecordPage page = t.must(store->read(id, {}), "read");
  RecordPage const moved = std::move(page);
  t.must(store->remove(id), "remove");
  store.reset();
  for (std::size_t i = 0; i < records.size(); ++i)
    t.expect(moved.items().size() > i && moved.items()[i].line == records[i].line,
             "the lines of a page changed when the store was closed");
}

void core_info(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Header about;
  about.key = "main:cli:user";
  about.agent = "main";
  Position end = t.must(store->append(id, batch_of(t.session(id, 2, about))), "append");
  SessionInfo info = t.must(store->info(id), "info");
  t.expect(info.id == id && info.key == about.key && info.agent == about.agent,
           "id, key or agent is another");
  t.expect(info.entries == 2 && info.messages == 2 && info.turns == 2, "the counts are wrong");
  t.expect(info.end == end, "info ends elsewhere than the log");
  t.expect(info.updated == t.now(), "`updated` is not the time of the last entry");
  end = t.must(store->append(id, batch_of({t.message("x")}, end)), "append");
  info = t.must(store->info(id), "info");
  t.expect(info.messages == 3 && info.end == end && info.updated == t.now(), "info did not follow an append");
}

void core_list(Trial& t) {
  auto store = t.empty();
  std::vector<std::string> newest_first;
  for (char const* name : {"b", "a", "d", "c"}) {
    t.must(store->append(sid(name), batch_of(t.session(sid(name), 1))), "append");
    newest_first.insert(newest_first.begin(), name);
  }
  t.expect(ids_of(list_checked(*store, {})) == newest_first,
           "listed: " + joined(ids_of(list_checked(*store, {}))));
  Position const end = t.must(store->info(sid("a")), "info").end;
  t.must(store->append(sid("a"), batch_of({t.message("x")}, end)), "append");
  newest_first = {"a", "c", "d", "b"};
  t.expect(ids_of(list_checked(*store, {})) == newest_first,
           "after an append to a, listed: " + joined(ids_of(list_checked(*store, {}))));
}

void core_remove(Trial& t) {
  auto store = t.empty();
  Records const kept = t.session(sid("kept"), 1), gone = t.session(sid("gone"), 3);
  t.must(store->append(sid("kept"), batch_of(kept)), "append");
  Position const end = t.must(store->append(sid("gone"), batch_of(gone)), "append");
  t.must(store->remove(sid("gone")), "remove");
  t.refused(store->read(sid("gone"), {}), Errc::not_found, "read of a removed session");
  t.refused(store->info(sid("gone")), Errc::not_found, "info of a removed session");
  t.refused(store->remove(sid("gone")), Errc::not_found, "removing it twice");
  t.refused(store->append(sid("gone"), batch_of({t.message("x")}, end)), Errc::not_found,
            "an append to a removed session");
  t.expect(ids_of(list_checked(*store, {})) == std::vector<std::string>{"kept"},
           "a removed session is listed");
  expect_log(*store, sid("kept"), kept, "after removing another session");
}

void core_make_again(Trial& t) {
  auto store = t.empty();
  SessionId const id = sid("s1");
  Header about;
  about.key = "old";
  t.must(store->append(id, batch_of(t.session(id, 5, about))), "append");
  t.expect(t.must(store->info(id), "info").key == "old", "the key is another");
  t.must(store->remove(id), "remove");
  about.key = "new";
  Records const fresh = t.session(id, 1, about);
  t.must(store->append(id, batch_of(fresh)), "making it again");
  expect_log(*store, id, fresh, "made again");
  SessionInfo const info = t.must(store->info(id), "info");
  t.expect(info.messages == 1 && info.key == "new", "the new session has something of the removed one");
}

void core_reopen(Trial& t) {
  auto store = t.empty();
  SessionId const a = sid("a"), b = sid("b");
  Records of_a = t.session(a, 3), of_b = t.session(b, 1);
  Position const end = t.must(store->append(a, batch_of(of_a)), "append");
  t.must(store->append(b, batch_of(of_b)), "append");
  SessionInfo const before = t.must(store->info(a), "info");
  store.reset();
  store = t.again();
  expect_log(*store, a, of_a, "opened again");
  expect_log(*store, b, of_b, "opened again");
  SessionInfo const after = t.must(store->info(a), "info");
  t.expect(difference(before, after).empty(), "info changed: " + difference(before, after));
  t.expect(ids_of(list_checked(*store, {})) == std::vector<std::string>{"b", "a"}, "the list changed");
  of_a.push_back(t.message("later"));
  t.must(store->append(a, batch_of({of_a.back()}, end)), "appending to it");
  store.reset();
  store = t.again();
  expect_log(*store, a, of_a, "opened once more");
  t.must(store->remove(b), "remove");
  store.reset();
  t.expect(ids_of(list_checked(*t.again(), {})) == std::vector<std::string>{"a"},
           "a removed session came back");
}

void core_dialects(Trial& t) {
  auto store = t.empty();
  for (char const* const name : {"native", "panel", "flat"}) {
    Trial words(t.subject, t.options, *find_dialect(name));
    SessionId const id = sid(std::string("of_") + name);
    Records all = words.session(id, 2);
    Position const end =
        t.must(store->append(id, batch_of(all)), std::string("append of ") + name + " lines");
    all.push_back(words.message("one more"));
    t.must(store->append(id, batch_of({all.back()}, end)), std::string("append of a ") + name + " line");
    expect_log(*store, id, all, std::string(name) + " lines");
    t.expect(read_log(*store, id).dialect == name,
             std::string(name) + " lines are called " + read_log(*store, id).dialect);
    t.expect(t.must(store->info(id), "info").messages == 3,
             std::string(name) + " lines are not counted as messages: `fold` needs their dialect");
  }
}

void core_empty_stores_are_empty(Trial& t) {
  auto first = t.empty();
  t.must(first->append(sid("s1"), batch_of(t.session(sid("s1"), 1))), "append");
  first.reset();
  auto second = t.empty();
  t.refused(second->read(sid("s1"), {}), Errc::not_found, "a session of another store");
  t.expect(list_checked(*second, {}).empty(), "a new store lists sessions");
}

}}

void add_core_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&),
                       Claim needs = Claim::none) {
    all.push_back({{name, Tier::core, sentence, needs}, run});
  };
  add("starts_a_session", "append starts a session and answers the new end; read gives what was written",
      core_checks_inl::core_start);
  add("continues_a_session", "an append at the end adds behind it and answers the new end",
      core_checks_inl::core_continue);
  add("missing_session", "append, read, info and remove of a session that does not exist are not_found",
      core_checks_inl::core_not_found);
  add("existing_session", "Position{}: the session must not exist yet, else already_exists",
      core_checks_inl::core_exists);
  add("reads_both_orders", "read gives the records in the order asked for, at most so many at once",
      core_checks_inl::core_both_orders);
  add("bounds_bytes", "a page holds so many bytes of lines at most, and at least one record",
      core_checks_inl::core_bounded_bytes);
  add("reads_from_any_end", "oldest first: what ends behind `from`; newest first: what ends at or before it",
      core_checks_inl::core_from_any_end);
  add("reads_beyond_the_end", "a page at the end is empty and says where to continue",
      core_checks_inl::core_beyond_the_end);
  add("page_owns_its_bytes", "a page's views are valid as long as it, wherever it is moved",
      core_checks_inl::core_page_owns);
  add("info_follows", "info is up to date with the log", core_checks_inl::core_info);
  add("lists_newest_first", "list gives the sessions newest first by last entry", core_checks_inl::core_list);
  add("removes", "a removed session is gone, and no other", core_checks_inl::core_remove);
  add("makes_again", "a removed session can be made again and has nothing of the old one",
      core_checks_inl::core_make_again);
  add("dialects", "a log stays in the dialect of its first line, and its summary is folded in it",
      core_checks_inl::core_dialects);
  add("empty_is_empty", "(of the kit) stores opened empty share nothing",
      core_checks_inl::core_empty_stores_are_empty);
  add("opens_again", "what was acknowledged is there when the store is opened again",
      core_checks_inl::core_reopen, Claim::persistent);
}

}}}
