// SPDX-License-Identifier: MIT
// ZeroClaw's databases of both kinds, made by hand from its documents.
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <functional>
#include <vector>

#include <sys/stat.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
using sk::SessionId;

namespace {

std::vector<std::string> texts(sk::Session& session) {
  std::vector<std::string> out;
  for (sk::Entry const& entry : session.path().value())
    if (auto const* message = entry.as<sk::Message>())
      out.push_back((message->role == sk::Role::user ? "user: " : "assistant: ") + message->text());
  return out;
}

SessionId sid_of(std::string const& id) { return SessionId::parse(id).value(); }

}

TEST_CASE("a database of ZeroClaw's is read, continued, and still answers ZeroClaw's own queries") {
  for (bool const with_index : {true, false}) {
    CAPTURE(with_index);
    TempDir dir;
    std::string const path = dir / "sessions.db";
    ZeroClaw claw(path, with_index);
    claw.start(claw.a, "direct:telegram:u1", "2025-11-04T08:00:00+00:00");
    claw.say(claw.a, "user", "hello", "2025-11-04T08:00:01+00:00",
             R"('{"source":"voice","n":9007199254740993}')");
    claw.say(claw.a, "assistant", "hi there", "2025-11-04T08:00:02+00:00");
    claw.start(claw.b, "group:telegram:g1", "2025-11-04T09:00:00+00:00");
    claw.say(claw.b, "user", "in a group", "2025-11-04T09:00:01+00:00");
    Rows const before = claw.messages(claw.a);

    auto store = sk::open_sqlite_store(path).value();
    CHECK(store->profile().name == "zeroclaw");
    sk::SessionPage const page = store->list({}).value();
    REQUIRE(page.sessions.size() == 2);
    CHECK(page.sessions[0].id.str() == claw.b);
    CHECK(page.sessions[1].key == "direct:telegram:u1");
    CHECK(page.sessions[1].messages == 2);
    CHECK(page.sessions[1].first_user_text == "hello");
    CHECK(page.sessions[1].updated == sk::parse_rfc3339("2025-11-04T08:00:02Z").value());

    auto session = sk::Session::open(store, sid_of(claw.a)).value();
    CHECK(texts(session) == std::vector<std::string>{"user: hello", "assistant: hi there"});
    auto const entries = session.path().value();
    CHECK(entries.front().as<sk::Message>()->metadata.str().find(R"("source":"voice","n":9007199254740993)")
          != std::string::npos);

    // We continue it, and ZeroClaw reads the result.
    sk::Message asked = sk::user("and now?");
    asked.metadata = sk::RawJson::from(R"({"source":"web","tokens":[1.0,null]})");
    session.append(asked).value();
    session.append(sk::assistant("now as well")).value();
    Rows expected = before;
    expected.push_back({"user", "and now?", R"({"source":"web","tokens":[1.0,null]})"});
    expected.push_back({"assistant", "now as well", "-"});
    CHECK(claw.messages(claw.a) == expected);

    // It continues that.
    claw.say(claw.a, "user", "back here", "2025-11-04T10:00:00+00:00");
    CHECK(store->info(sid_of(claw.a)).value().messages == 5);
    CHECK(store->list({}).value().sessions.at(0).id.str() == claw.a);
    session.append(sk::assistant("and there")).value();
    auto again = sk::Session::open(store, sid_of(claw.a)).value();
    CHECK(texts(again)
          == std::vector<std::string>{"user: hello", "assistant: hi there", "user: and now?",
                                      "assistant: now as well", "user: back here", "assistant: and there"});
    CHECK(claw.messages(claw.a).size() == 6);
    CHECK(claw.db.ask("PRAGMA user_version") == Rows{{with_index ? "7" : "12"}});
    CHECK(claw.db.ask("PRAGMA integrity_check") == Rows{{"ok"}});

    // A session of ours in its tables.
    auto ours = sk::Session::resume(store, "thread:slack:c:t").value();
    ours.append(sk::user("new")).value();
    ours.append(sk::assistant("one")).value();
    CHECK(claw.messages(ours.id().str()) == Rows{{"user", "new", "-"}, {"assistant", "one", "-"}});
    if (with_index)
      CHECK(claw.db.ask("SELECT active_session_id FROM session_index WHERE session_key = 'thread:slack:c:t'")
            == Rows{{ours.id().str()}});
    else
      CHECK(
          claw.db.ask("SELECT inbound_key, status FROM sessions WHERE session_id = '" + ours.id().str() + "'")
          == Rows{{"thread:slack:c:t", "active"}});
  }
}

TEST_CASE("the copy of ZeroClaw's database stays unchanged, and only the first adoption makes one") {
  TempDir dir;
  std::string const path = dir / "sessions.db", copy = path + ".before-sessionkit";
  {
    ZeroClaw claw(path, true);
    claw.start(claw.a, "k", "2025-11-04T08:00:00Z");
    claw.say(claw.a, "user", "hello", "2025-11-04T08:00:01Z");
  }
  std::string const bytes = read_file(path);
  { auto store = sk::open_sqlite_store(path).value(); }
  struct stat mode = {};
  REQUIRE(::stat(copy.c_str(), &mode) == 0);
  CHECK((mode.st_mode & 07777U) == 0600);
  {
    Other old(copy);
    CHECK(old.ask("SELECT content FROM session_messages") == Rows{{"hello"}});
    CHECK(old.ask("SELECT count(*) FROM pragma_table_info('sessions')") == Rows{{"7"}});
    CHECK(old.ask("PRAGMA user_version") == Rows{{"7"}});
  }
  std::string const kept = read_file(copy);
  CHECK(kept.size() == bytes.size());
  { auto store = sk::open_sqlite_store(path).value(); }
  CHECK(read_file(copy) == kept);
  CHECK(::access((copy + ".part").c_str(), F_OK) != 0);
}

TEST_CASE("a change by another program in its columns is reported") {
  TempDir dir;
  ZeroClaw claw(dir / "sessions.db", true);
  claw.start(claw.a, "k", "2025-11-04T08:00:00Z");
  claw.say(claw.a, "user", "hello", "2025-11-04T08:00:01Z");
  auto store = sk::open_sqlite_store(dir / "sessions.db").value();
  SessionId const a = sid_of(claw.a);
  CHECK(store->info(a).value().title.empty());
  claw.db.ask("UPDATE sessions SET title = 'A title', status = 'archived'");
  CHECK(store->info(a).value().title == "A title");
  CHECK(store->info(a).value().archived);
  auto session = sk::Session::open(store, a).value();
  session.set_title("Another").value();
  session.set_archived(false).value();
  CHECK(claw.db.ask("SELECT title, status FROM sessions") == Rows{{"Another", "active"}});
  CHECK(claw.messages(claw.a).size() == 1); // titles are no messages
  claw.say(claw.a, "user", "second", "2025-11-04T08:00:02Z");
  claw.db.ask("DELETE FROM session_messages WHERE content = 'hello'");
  CHECK(store->info(a).value().messages == 1);
  CHECK(store->info(a).value().first_user_text == "second");
  claw.db.ask("DELETE FROM sessions");
  CHECK(store->info(a).error().code == sk::Errc::not_found);
  CHECK(store->list({}).value().sessions.empty());
  CHECK(claw.db.ask("SELECT count(*) FROM session_entries") == Rows{{"0"}});
}

TEST_CASE("a summary of ZeroClaw's is a compaction, and a compaction of ours is a summary to ZeroClaw") {
  TempDir dir;
  ZeroClaw claw(dir / "sessions.db", true);
  claw.start(claw.a, "k", "2025-11-04T08:00:00Z");
  claw.say(claw.a, "user", "old question", "2025-11-04T08:00:01Z");
  claw.say(claw.a, "assistant", "old answer", "2025-11-04T08:00:02Z");
  claw.db.ask("INSERT INTO session_state VALUES('" + claw.a
              + "', 'compaction_after_message_id', '2', '2025-11-04T08:00:03Z')");
  claw.say(claw.a, "assistant", "[Session Compaction Summary]\nthey talked", "2025-11-04T08:00:03Z");
  claw.say(claw.a, "user", "new question", "2025-11-04T08:00:04Z");
  auto store = sk::open_sqlite_store(dir / "sessions.db").value();
  auto session = sk::Session::open(store, sid_of(claw.a)).value();
  sk::Context const context = session.context().value();
  REQUIRE(context.compaction);
  CHECK(context.compaction->as<sk::Compaction>()->summary == "they talked");

  session.append(sk::assistant("new answer")).value();
  std::vector<sk::Entry> const path = session.path().value();
  sk::EntryId kept;
  for (sk::Entry const& entry : path)
    if (auto const* message = entry.as<sk::Message>(); message && message->text() == "new answer")
      kept = entry.id;
  sk::Compaction compaction;
  compaction.summary = "they talked more";
  compaction.first_kept = kept;
  session.append_entry(compaction).value();
  Rows const state =
      claw.db.ask("SELECT value_json FROM session_state WHERE key = 'compaction_after_message_id'");
  CHECK(state == Rows{{"4"}}); // the new question was summarised, the answer was kept
  Rows const loaded = claw.messages(claw.a, state.at(0).at(0));
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[0] == Row{"assistant", "new answer", "-"});
  CHECK(loaded[1]
        == Row{"assistant", "[Session Compaction Summary]\nthey talked more",
               R"({"kind":"compaction_summary","after":4})"});
}

TEST_CASE("state is stored in ZeroClaw's own table, and removed with the session") {
  TempDir dir;
  auto store = sk::open_sqlite_store(dir / "new/folder/sessions.db").value();
  auto session = sk::Session::create(store).value();
  session.set_state("n", sk::RawJson::from("9007199254740993")).value();
  session.set_state("x", sk::RawJson::from("1.0")).value();
  session.set_state("gone", sk::RawJson::from("null")).value();
  session.remove_state("gone").value();
  Other db(dir / "new/folder/sessions.db");
  CHECK(db.ask("SELECT key, value_json FROM session_state ORDER BY key")
        == Rows{{"n", "9007199254740993"}, {"x", "1.0"}});
  CHECK(store->info(session.id()).value().state.at("n").str() == "9007199254740993");
  store->remove(session.id()).value();
  CHECK(db.ask("SELECT count(*) FROM session_state") == Rows{{"0"}});
}

TEST_CASE("files that are not a database of ours are refused and left alone") {
  TempDir dir;
  auto const refused = [&](std::string const& name) {
    auto const store = sk::open_sqlite_store(dir / name);
    return store ? sk::Errc{} : store.error().code;
  };
  write_file(dir / "text.db", std::string(5000, 'x'));
  CHECK(refused("text.db") == sk::Errc::corrupt);
  CHECK(read_file(dir / "text.db") == std::string(5000, 'x'));
  { Other(dir / "other.db").ask("CREATE TABLE sessions(id TEXT); CREATE TABLE notes(x)"); }
  CHECK(refused("other.db") == sk::Errc::unsupported);
  CHECK(Other(dir / "other.db").ask("SELECT count(*) FROM sqlite_schema") == Rows{{"2"}});
  { auto store = sk::open_sqlite_store(dir / "newer.db").value(); }
  { Other(dir / "newer.db").ask("PRAGMA user_version = 99"); }
  CHECK(refused("newer.db") == sk::Errc::unsupported_version);
  { Other(dir / "wide.db").ask("PRAGMA encoding = 'UTF-16'; CREATE TABLE x(y)"); }
  CHECK(refused("wide.db") == sk::Errc::unsupported);
  REQUIRE(::symlink((dir / "newer.db").c_str(), (dir / "link.db").c_str()) == 0);
  CHECK(refused("link.db") == sk::Errc::unsafe_path);
  CHECK(refused("") == sk::Errc::unsafe_path); // the folder
  CHECK(sk::open_sqlite_store(":memory:").error().code == sk::Errc::invalid_argument);
  sk::SqliteStoreOptions options;
  options.create = false;
  CHECK(sk::open_sqlite_store(dir / "none.db", options).error().code == sk::Errc::not_found);
}

TEST_CASE("the files of a database are accessible to their owner only") {
  TempDir dir;
  mode_t const before = ::umask(0);
  auto store = sk::open_sqlite_store(dir / "x/sessions.db").value();
  auto session = sk::Session::create(store).value();
  session.append(sk::user("secret")).value();
  ::umask(before);
  for (char const* name : {"x/sessions.db", "x/sessions.db-wal", "x/sessions.db-shm"}) {
    CAPTURE(name);
    struct stat found = {};
    REQUIRE(::stat((dir / name).c_str(), &found) == 0);
    CHECK((found.st_mode & 07777U) == 0600);
  }
}

TEST_CASE("the session that ZeroClaw would continue answers for a key, whichever was updated last") {
  for (bool const with_index : {true, false}) {
    CAPTURE(with_index);
    TempDir dir;
    std::string const path = dir / "sessions.db", key = "direct:telegram:u1";
    ZeroClaw claw(path, with_index);
    claw.start(claw.a, key, "2025-11-04T10:00:00+00:00");
    claw.say(claw.a, "user", "first talk", "2025-11-04T10:00:01+00:00");
    // `/new`, while the first session still answers: its last row is younger than the second session.
    claw.db.ask("UPDATE sessions SET status = 'inactive' WHERE session_id = '" + claw.a + "'");
    claw.start(claw.b, key, "2025-11-04T11:00:00+00:00");
    claw.say(claw.a, "assistant", "late answer", "2025-11-04T11:00:05+00:00");

    auto store = sk::open_sqlite_store(path).value();
    CHECK(store->list({}).value().sessions.at(0).id.str() == claw.a); // updated last
    auto session = sk::Session::resume(store, key).value();
    CHECK(session.id().str() == claw.b);
    session.append(sk::user("second talk")).value();
    session.append(sk::assistant("yes")).value();
    CHECK(claw.messages(claw.a).size() == 2);
    CHECK(claw.messages(claw.b).size() == 2);

    // A new session of ours retires the one before, and ZeroClaw's own rule finds it.
    sk::NewSession about;
    about.key = key;
    auto const ours = sk::Session::create(store, about).value().id();
    std::string const column = with_index ? "session_key" : "inbound_key";
    CHECK(claw.db.ask("SELECT session_id FROM sessions WHERE " + column + " = '" + key
                      + "' AND status = 'active' ORDER BY created_at DESC LIMIT 1")
          == Rows{{ours.str()}});
    if (with_index)
      CHECK(claw.db.ask("SELECT active_session_id FROM session_index WHERE session_key = '" + key + "'")
            == Rows{{ours.str()}});
    CHECK(sk::Session::resume(store, key).value().id() == ours);

    // ZeroClaw begins another: that one answers in our programs too, in a store that is open.
    std::string const c = "33333333-3333-4333-8333-333333333333";
    claw.db.ask("UPDATE sessions SET status = 'inactive' WHERE session_id = '" + ours.str() + "'");
    claw.start(c, key, "2099-11-04T12:00:00+00:00");
    CHECK(sk::Session::resume(store, key).value().id().str() == c);
    // An archived one does not answer; where nobody is active, a session is begun.
    sk::Session::open(store, sid_of(c)).value().set_archived(true).value();
    if (with_index) // ZeroClaw would continue the archived one as long as its index names it
      CHECK(claw.db.ask("SELECT active_session_id FROM session_index WHERE session_key = '" + key + "'")
            == Rows{});
    auto const begun = sk::Session::resume(store, key).value().id();
    CHECK(begun.str() != c);
    CHECK(sk::Session::resume(store, key).value().id() == begun);

    // The session that is archived passes the key on to the newest one that is active.
    std::string const d = "44444444-4444-4444-8444-444444444444";
    claw.start(d, key, "2024-11-04T12:00:00+00:00");
    if (with_index) claw.db.ask("UPDATE session_index SET active_session_id = '" + begun.str() + "'");
    sk::Session::open(store, begun).value().set_archived(true).value();
    if (with_index)
      CHECK(claw.db.ask("SELECT active_session_id FROM session_index WHERE session_key = '" + key + "'")
            == Rows{{d}});
    CHECK(sk::Session::resume(store, key).value().id().str() == d);

    // It gets the key back only if no other session has it.
    auto const key_of = [&] {
      return claw.db.ask("SELECT active_session_id FROM session_index WHERE session_key = '" + key + "'");
    };
    sk::Session::open(store, begun).value().set_archived(false).value();
    if (with_index) CHECK(key_of() == Rows{{d}});
    sk::Session::open(store, begun).value().set_archived(true).value();
    sk::Session::open(store, sid_of(d)).value().set_archived(true).value();
    if (with_index) CHECK(key_of() == Rows{});
    sk::Session::open(store, sid_of(d)).value().set_archived(false).value();
    if (with_index) CHECK(key_of() == Rows{{d}});
    store->remove(sid_of(d)).value(); // all others are archived or inactive
    if (with_index) CHECK(key_of() == Rows{});
  }
}

TEST_CASE("a database remembers the profile that was named when it was made") {
  TempDir dir;
  sk::SqliteStoreOptions how;
  how.profile = sk::profiles::zeroclaw;
  sk::open_sqlite_store(dir / "named.db", how).value();
  sk::open_sqlite_store(dir / "plain.db").value();
  CHECK(sk::open_sqlite_store(dir / "named.db").value()->profile().name == "zeroclaw");
  how.profile = sk::profiles::ai_panel;
  CHECK(sk::open_sqlite_store(dir / "named.db", how).value()->profile().name == "ai_panel");
  CHECK(sk::open_sqlite_store(dir / "named.db").value()->profile().name == "zeroclaw");
  CHECK(sk::open_sqlite_store(dir / "plain.db", how).value()->profile().name == "ai_panel");
  CHECK(sk::open_sqlite_store(dir / "plain.db").value()->profile().name == "native");
  how.profile = sk::profiles::ephemeral; // it would store nothing for the next program
  sk::open_sqlite_store(dir / "brief.db", how).value();
  CHECK(sk::open_sqlite_store(dir / "brief.db").value()->profile().name == "native");
  how.profile->name = "of-a-host";
  sk::open_sqlite_store(dir / "own.db", how).value();
  CHECK(sk::open_sqlite_store(dir / "own.db").value()->profile().name == "native");
}
