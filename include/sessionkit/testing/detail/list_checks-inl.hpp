// SPDX-License-Identifier: MIT
// Checks the order, the filters and the pages of lists.
#pragma once
#include <sessionkit/testing/detail/list_checks.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace testing::detail {

namespace list_checks_inl { namespace {

using Names = std::vector<std::string>;

void list_make(Trial& t, SessionStore& store, std::string const& id, Header about = {}) {
  t.must(store.append(sid(id), batch_of(t.session(sid(id), 1, std::move(about)))), "append of " + id);
}
Names list_many(Trial& t, SessionStore& store, std::size_t count, char const* prefix = "s") {
  Names newest_first;
  for (std::size_t i = 0; i < count; ++i) {
    std::string const id = prefix + std::to_string(i);
    list_make(t, store, id);
    newest_first.insert(newest_first.begin(), id);
  }
  return newest_first;
}
Names listed(SessionStore& store, ListQuery const& query = {}) { return ids_of(list_checked(store, query)); }
void same_names(Names const& expected, Names const& got, std::string const& what) {
  Trial::expect(expected == got, what + ": expected " + joined(expected) + ", got " + joined(got));
}

void pages_of_every_size(Trial& t) {
  auto store = t.empty();
  Names const all = list_many(t, *store, 13);
  for (std::size_t const limit : {1U, 2U, 5U, 12U, 13U, 14U}) {
    ListQuery query;
    query.limit = limit;
    same_names(all, listed(*store, query), "in pages of " + std::to_string(limit));
  }
  ListQuery all_at_once;
  all_at_once.limit = 13;
  t.expect(t.must(store->list(all_at_once), "list").next.empty(), "a `next` though nothing follows");
  all_at_once.limit = static_cast<std::size_t>(-1);
  same_names(all, listed(*store, all_at_once), "with a limit without end");
}

void limit_of_none(Trial& t) {
  auto store = t.empty();
  list_many(t, *store, 2);
  ListQuery query;
  query.limit = 0;
  SessionPage const page = t.must(store->list(query), "list with limit 0");
  t.expect(page.sessions.empty() && page.next.empty(), "limit 0 lists something or has a `next`");
}

void equal_times(Trial& t) {
  auto store = t.empty();
  Names all;
  for (char const* id : {"m", "b", "z", "a", "k", "c"}) {
    list_make(t, *store, id);
    t.tick(-2); // the header's and the message's second
    all.emplace_back(id);
  }
  std::sort(all.begin(), all.end());
  Names first;
  for (std::size_t const limit : {6U, 1U, 2U, 4U}) {
    ListQuery query;
    query.limit = limit;
    Names got = listed(*store, query);
    if (first.empty()) first = got;
    same_names(first, got, "sessions of one time change their order with the size of pages");
    std::sort(got.begin(), got.end());
    same_names(all, got, "sessions of one time");
  }
}

void bad_cursors(Trial& t) {
  auto store = t.empty();
  list_many(t, *store, 3);
  for (std::string const& bad :
       {std::string("x"), std::string("12"), std::string(":"), std::string("\0", 1), std::string("1:../one"),
        std::string("99999999999999999999:one"), std::string("' OR 1=1 --"), std::string(1000, '9')}) {
    ListQuery query;
    query.cursor = bad;
    t.refused(store->list(query), Errc::invalid_argument, "the cursor " + quoted(bad));
  }
}

void stable_under_inserts(Trial& t) {
  auto store = t.empty();
  Names expected = list_many(t, *store, 9);
  ListQuery query;
  query.limit = 2;
  Names got;
  for (int page = 0; page < 40; ++page) {
    SessionPage const now = t.must(store->list(query), "list");
    for (SessionInfo const& info : now.sessions) got.push_back(info.id.str());
    if (now.next.empty()) break;
    query.cursor = now.next;
    list_make(t, *store, "new" + std::to_string(page)); // newer than the rest, so before the cursor
    if (page == 1) {
      Position const end = t.must(store->info(sid("s8")), "info").end; // a listed session moves to the front
      t.must(store->append(sid("s8"), batch_of({t.message("x")}, end)), "append");
    }
  }
  same_names(expected, got, "paging while sessions are made");
}

void cursor_survives_removal(Trial& t) {
  auto store = t.empty();
  Names expected = list_many(t, *store, 6);
  ListQuery query;
  query.limit = 2;
  SessionPage page = t.must(store->list(query), "list");
  query.cursor = page.next;
  t.must(store->remove(page.sessions.at(1).id), "removing the last session of the page");
  t.must(store->remove(sid(expected[3])), "removing one that is to come");
  expected = {expected[2], expected[4], expected[5]};
  same_names(expected, listed(*store, query), "behind a cursor whose session was removed");
}

struct Listable {
  std::string id, key, agent, user;
  bool archived = false;
};

// Sessions of all combinations, newest first; the newest of each key are archived. Fields that the dialect
// cannot represent are empty.
std::vector<Listable> list_of_every_kind(Trial& t, SessionStore& store) {
  bool const archives = t.dialect.can(EntryBody(ArchiveChange{}).index());
  std::vector<Listable> all;
  for (int i = 0; i < 24; ++i) {
    Header about;
    about.key = i % 2 == 0 ? "main:cli:a" : "main:cli:b";
    about.agent = i % 3 == 0 ? "main" : "other";
    about.user = i % 4 < 2 ? "anna" : "";
    std::string const id = "s" + std::to_string(i);
    list_make(t, store, id, about);
    SessionInfo const info = t.must(store.info(sid(id)), "info");
    bool const archived = archives && (i >= 18 || i % 5 == 0);
    if (archived)
      t.must(store.append(sid(id), batch_of({t.entry(ArchiveChange{true})}, info.end)), "archiving");
    all.insert(all.begin(), {id, about.key, about.agent, info.user.empty() ? "" : about.user, archived});
  }
  return all;
}

void filters(Trial& t) {
  auto store = t.empty();
  std::vector<Listable> const made = list_of_every_kind(t, *store);
  using Text = std::optional<std::string>;
  for (Text const& key : {Text("main:cli:a"), Text("main:cli:b"), Text("main:cli:"), Text("main:cli:A"),
                          Text("%"), Text(""), Text()})
    for (Text const& agent : {Text("main"), Text("other"), Text("nobody"), Text()})
      for (Text const& user : {Text("anna"), Text(""), Text()})
        for (std::optional<bool> const archived : {std::optional<bool>(true), {false}, {}})
          for (std::size_t const limit : {1U, 50U}) {
            ListQuery query;
            query.key = key, query.agent = agent, query.user = user, query.archived = archived;
            query.limit = limit;
            Names expected;
            for (Listable const& one : made)
              if ((!key || one.key == *key) && (!agent || one.agent == *agent) && (!user || one.user == *user)
                  && (!archived || one.archived == *archived))
                expected.push_back(one.id);
            same_names(expected, listed(*store, query),
                       "key " + quoted(key.value_or("any")) + ", agent " + quoted(agent.value_or("any"))
                           + ", user " + quoted(user.value_or("any")) + ", "
                           + (archived ? *archived ? "archived" : "not archived" : "archived or not")
                           + ", limit " + std::to_string(limit));
          }
}

void filter_users(Trial& t) {
  auto store = t.empty();
  for (int i = 0; i < 6; ++i) {
    Header about;
    about.user = i % 2 == 0 ? "anna" : "";
    list_make(t, *store, "s" + std::to_string(i), about);
  }
  ListQuery query;
  query.user = "anna";
  query.limit = 2;
  Names const of_anna{"s4", "s2", "s0"};
  if (t.must(store->info(sid("s0")), "info").user.empty()) return; // this dialect's header has no user
  same_names(of_anna, listed(*store, query), "user anna");
  query.user = "";
  same_names({"s5", "s3", "s1"}, listed(*store, query), "no user");
}

void filter_archived(Trial& t) {
  if (!t.dialect.can(EntryBody(ArchiveChange{}).index())) return;
  auto store = t.empty();
  list_many(t, *store, 4);
  auto const archive = [&](char const* id, bool archived) {
    Position const end = t.must(store->info(sid(id)), "info").end;
    t.must(store->append(sid(id), batch_of({t.entry(ArchiveChange{archived})}, end)), "append");
  };
  archive("s1", true);
  archive("s2", true);
  ListQuery query;
  query.archived = true;
  same_names({"s2", "s1"}, listed(*store, query), "archived");
  query.archived = false;
  same_names({"s3", "s0"}, listed(*store, query), "not archived");
  archive("s1", false);
  same_names({"s1", "s3", "s0"}, listed(*store, query), "not archived any more");
  query.archived.reset();
  same_names({"s1", "s2", "s3", "s0"}, listed(*store, query), "archived or not");
}

void keys_have_many(Trial& t) {
  auto store = t.empty();
  Header about;
  about.key = "main:cli:user";
  for (char const* id : {"first", "second", "third"}) list_make(t, *store, id, about);
  ListQuery query;
  query.key = about.key;
  query.limit = 1;
  auto const newest = [&] { return t.must(store->list(query), "list").sessions.at(0).id.str(); };
  t.expect(newest() == "third", "the newest session of a key is not first");
  Position const end = t.must(store->info(sid("first")), "info").end;
  t.must(store->append(sid("first"), batch_of({t.message("x")}, end)), "append");
  t.expect(newest() == "first", "the session of a key that was written last is not first");
  t.must(store->remove(sid("first")), "remove");
  t.expect(newest() == "third", "a removed session hides the others of its key");
}

void last_order_by_entry(Trial& t) {
  auto store = t.empty();
  list_make(t, *store, "new");
  t.tick(-100);
  list_make(t, *store, "old"); // written later, of an earlier time
  same_names({"new", "old"}, listed(*store), "the order is that of the last entries' times");
}

}}

void add_list_checks(std::vector<Check>& all) {
  auto const add = [&](std::string_view name, std::string_view sentence, void (*run)(Trial&)) {
    all.push_back({{name, Tier::contract, sentence, Claim::none}, run});
  };
  add("pages_of_lists",
      "pages of any size list every session once, in order; `next` is empty where no more come",
      list_checks_inl::pages_of_every_size);
  add("limit_0", "limit 0 lists none and has no `next`", list_checks_inl::limit_of_none);
  add("equal_times", "sessions of one time are listed once each, in an order that stays",
      list_checks_inl::equal_times);
  add("bad_cursors", "invalid_argument if the cursor is not the `next` of a page",
      list_checks_inl::bad_cursors);
  add("stable_pages", "paging neither skips nor repeats while sessions are made and written",
      list_checks_inl::stable_under_inserts);
  add("cursor_outlives", "a cursor is good when the session it names was removed",
      list_checks_inl::cursor_survives_removal);
  add("filters",
      "list gives the sessions of a key, an agent, a user, archived or not, in any combination, and these "
      "alone",
      list_checks_inl::filters);
  add("filters_users", "the sessions of a user, and those of none", list_checks_inl::filter_users);
  add("filters_archived", "a session moves between the lists as it is archived and taken back",
      list_checks_inl::filter_archived);
  add("many_of_a_key", "a key has any number of sessions; the one written last comes first",
      list_checks_inl::keys_have_many);
  add("order_of_entries", "the order is that of the entries' times, not of the calls",
      list_checks_inl::last_order_by_entry);
}

}}}
