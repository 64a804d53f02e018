// SPDX-License-Identifier: MIT
// The file under an SQLite store: rows that others change, records that are lost, files that are moved away.
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/transcript.hpp"

#include <sessionkit/copy.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <filesystem>

#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;
using sk::Errc;
using sk::Position;
using sk::SessionId;

namespace {

SessionId const session = SessionId::parse("s1").value();

struct Log {
  TempDir dir;
  std::string path = dir / "sessions.db";
  std::shared_ptr<sk::SessionStore> store = sk::open_sqlite_store(path).value();
  std::vector<std::string> lines{header_line("s1")};
  Position end;

  explicit Log(int messages = 3) {
    for (int i = 0; i < messages; ++i)
      lines.push_back(message_line("m" + std::to_string(i), i ? "m" + std::to_string(i - 1) : "", "text"));
    end = store->append(session, Batch(lines)).value();
  }
  sk::Result<Position> more() {
    return store->append(session, Batch({message_line("more", "m2", "more")}, end, true));
  }
  sk::Result<sk::RecordPage> read(sk::ReadRange::Order order, std::size_t most = 100) {
    sk::ReadRange range;
    range.order = order;
    range.max_records = most;
    return store->read(session, range);
  }
};

}

TEST_CASE("a list ends although another program keeps rewriting its rows") {
  Log log;
  Other other(log.path);
  for (char const* sql :
       {"UPDATE sessions SET status = 'active'", "UPDATE sessions SET status = 'closed'",
        "UPDATE sessions SET title = title", "UPDATE sessions SET session_key = session_key"}) {
    CAPTURE(sql);
    other.ask(sql);
    CHECK(log.store->list({}).value().sessions.size() == 1);
    CHECK(log.store->info(session).value().messages == 3);
    CHECK(other.ask("SELECT stale FROM sessions") == Rows{{"0"}});
  }
}

TEST_CASE("a list ends although a row never matches its stored summary") {
  Log log;
  Other(log.path).ask(
      "CREATE TRIGGER again AFTER UPDATE OF stale ON sessions WHEN NEW.stale = 0 BEGIN UPDATE "
      "sessions SET stale = 1 WHERE session_id = NEW.session_id; END; UPDATE sessions SET "
      "stale = 1");
  CHECK(log.store->list({}).value().sessions.size() == 1);
}

TEST_CASE("records that are missing before the row's end are corrupt, not a shorter log") {
  Log log;
  std::string const id = std::to_string(log.end.value() / 2);
  // Like an index that lost its last entries: the rows exist, but are not found.
  Other(log.path).ask("DROP TRIGGER sessionkit_message_removed; DELETE FROM "
                      "session_messages WHERE id = "
                      + id);
  auto const mentions = [&](sk::Error const& error) {
    INFO(error.message);
    CHECK(error.code == Errc::corrupt);
    CHECK(error.message.find("its row says " + std::to_string(log.end.value())) != std::string::npos);
    CHECK(error.message.find(".recover") != std::string::npos);
  };
  for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
    auto const page = log.read(order);
    REQUIRE_FALSE(page);
    mentions(page.error());
  }
  CHECK(log.read(sk::ReadRange::oldest_first, 2).ok()); // existing entries can be read
  auto const copy =
      sk::copy_session(*log.store, *sk::open_sqlite_store(log.dir / "copy.db").value(), session);
  REQUIRE_FALSE(copy);
  mentions(copy.error());
}

TEST_CASE("records that another program deleted on purpose are not damage") {
  Log log;
  Other(log.path).ask("DELETE FROM session_messages WHERE entry_id = 'm2'");
  for (int looks = 0; looks < 2; ++looks) { // before the summary is folded again, and after
    for (auto const order : {sk::ReadRange::oldest_first, sk::ReadRange::newest_first}) {
      auto const page = log.read(order).value();
      CHECK(page.items().size() == 3);
    }
    CHECK(log.store->info(session).value().messages == 2);
  }
}

TEST_CASE("an append after the log or its index was removed or replaced is never acknowledged") {
  for (char const* const suffix : {"-wal", "-shm"})
    for (bool const replaced : {false, true}) {
      CAPTURE(suffix, replaced);
      Log log;
      std::string const path = log.path + suffix;
      REQUIRE(fs::exists(path));
      fs::rename(path, path + ".old");
      if (replaced) fs::copy_file(path + ".old", path);
      for (auto const& error :
           {log.more().error(), log.store->append(session, Batch({}, log.end, true)).error(),
            log.store->append(SessionId::parse("new").value(), Batch({header_line("new")})).error(),
            log.store->remove(session).error(), log.store->list({}).error(), log.store->info(session).error(),
            log.read(sk::ReadRange::oldest_first).error()}) {
        INFO(error.message);
        CHECK(error.code == Errc::poisoned);
        CHECK(error.message.find(path) != std::string::npos);
        CHECK(error.message.find(replaced ? "replaced" : "removed") != std::string::npos);
      }
    }
}

TEST_CASE("what others stored in a new log stays when a store closes whose log was removed") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  SessionId const theirs = SessionId::parse("theirs").value();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  pid_t const child = ::fork(); // SQLite shares the index of the log among all connections of a process
  if (child == 0) {
    char go = 0;
    if (::read(ends[0], &go, 1) != 1) ::_exit(2);
    auto other = sk::open_sqlite_store(path);
    bool const stored = other && (*other)->append(theirs, Batch({header_line("theirs")}, {}, true)).ok();
    if (other) other->reset();
    ::_exit(stored ? 0 : 1);
  }
  auto store = sk::open_sqlite_store(path).value();
  Position const end = store->append(session, Batch({header_line("s1")}, {}, true)).value();
  fs::remove(path + "-wal");
  fs::remove(path + "-shm");
  REQUIRE(::write(ends[1], "x", 1) == 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  for (int const each : ends) ::close(each);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  CHECK(store->append(session, Batch({message_line("m", "", "x")}, end, true)).error().code
        == Errc::poisoned);
  store.reset();
  CHECK(sk::open_sqlite_store(path).value()->info(theirs).ok());
}

TEST_CASE("nothing that SQLite does to its log by itself is taken for its removal") {
  Log log;
  for (int round = 0; round < 20; ++round) {
    Other(log.path).ask("PRAGMA wal_checkpoint(TRUNCATE)");
    {
      auto const another = sk::open_sqlite_store(log.path).value(); // opens, reads and closes
      REQUIRE(another->list({}).ok());
    }
    if (round % 5 == 0) Other(log.path).ask("VACUUM");
    auto const stored = log.store->append(
        session, Batch({message_line("r" + std::to_string(round), "", "x")}, log.end, true));
    REQUIRE(stored.ok());
    log.end = *stored;
    REQUIRE(log.read(sk::ReadRange::newest_first).ok());
  }
  log.store.reset(); // the last one: the log goes
  CHECK_FALSE(fs::exists(log.path + "-wal"));
  log.store = sk::open_sqlite_store(log.path).value();
  CHECK(log.store->append(session, Batch({message_line("last", "", "x")}, log.end, true)).ok());
}

TEST_CASE("an append to a removed or replaced file is never acknowledged") {
  for (bool const replaced : {false, true}) {
    CAPTURE(replaced);
    Log log;
    if (replaced) {
      Other(log.path).ask("VACUUM INTO '" + (log.dir / "copy.db") + "'");
      fs::rename(log.dir / "copy.db", log.path);
    } else {
      for (char const* suffix : {"", "-wal", "-shm"}) fs::remove(log.path + suffix);
    }
    for (auto const& error :
         {log.more().error(), log.store->append(session, Batch({}, log.end, true)).error(),
          log.store->remove(session).error(), log.store->list({}).error(), log.store->info(session).error(),
          log.read(sk::ReadRange::oldest_first).error()}) {
      INFO(error.message);
      CHECK(error.code == Errc::poisoned);
      CHECK(error.message.find(replaced ? "replaced" : "removed") != std::string::npos);
      CHECK(error.message.find("open the store again") != std::string::npos);
    }
  }
}

TEST_CASE("no file of a database has a word of a session that was removed permanently") {
  TempDir dir;
  std::string const path = dir / "sessions.db", word = "Unforgettable";
  auto const store = sk::open_sqlite_store(path).value();
  sk::NewSession about;
  about.id = session;
  auto talk = sk::Session::create(store, about).value();
  for (int i = 0; i < 100; ++i) talk.append(sk::user(word + std::string(3000, 'x'))).value();
  talk.set_title(word).value();
  sk::Session::create(store).value().append(sk::user("kept")).value();
  auto const has_word = [&] {
    bool found = false;
    for (auto const& file : fs::directory_iterator(dir.path()))
      found = found || read_file(file.path().string()).find(word) != std::string::npos;
    return found;
  };
  CHECK(has_word());
  REQUIRE(store->remove_permanently(session).ok());
  CHECK_FALSE(has_word());
  CHECK(store->remove_permanently(session).error().code == Errc::not_found);
  CHECK(store->list({}).value().sessions.size() == 1);
}
