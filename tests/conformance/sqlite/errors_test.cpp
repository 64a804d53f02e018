// SPDX-License-Identifier: MIT
// SQLite's errors for a failing disk in our words: what happened, where, and the fix.
#include "sqlite/faulty_vfs.hpp"
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/transcript.hpp"

#include <sessionkit/sqlite/sqlite_store.hpp>

#include <cerrno>
#include <set>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sessionkit_test;
using sk::Errc;
using sk::Position;
using sk::SessionId;

namespace {

SessionId const session = SessionId::parse("s1").value();

struct FailingDisk {
  TempDir dir;
  std::string path = dir / "sessions.db";
  FaultyVfs& vfs = FaultyVfs::get();

  FailingDisk() { vfs.code = SQLITE_IOERR; }
  FailingDisk(FailingDisk const&) = delete;
  FailingDisk& operator=(FailingDisk const&) = delete;
  ~FailingDisk() {
    vfs.arm(-1, false);
    vfs.code = SQLITE_IOERR;
  }
  std::shared_ptr<sk::SessionStore> open(std::chrono::milliseconds wait = std::chrono::milliseconds{5000}) {
    sk::SqliteStoreOptions options;
    options.vfs = FaultyVfs::name();
    options.lock_wait = wait;
    return sk::open_sqlite_store(path, options).value();
  }
  Position start(sk::SessionStore& store) {
    return store.append(session, Batch({header_line("s1"), message_line("m1", "", "hello")}, {}, true))
        .value();
  }
  std::size_t lines(sk::SessionStore& store) {
    return read_all([&](sk::ReadRange const& r) { return store.read(session, r); }).lines.size();
  }
};

}

TEST_CASE("a full disk is no_space, and nothing of the batch is stored") {
  std::set<Errc> reported;
  for (std::int64_t n = 0;; ++n) {
    FailingDisk disk;
    auto store = disk.open();
    Position const end = disk.start(*store);
    disk.vfs.code = SQLITE_FULL;
    disk.vfs.arm(n, true);
    auto const got = store->append(session, Batch({message_line("m2", "m1", "more")}, end, true));
    bool const fired = disk.vfs.arm(-1, false);
    if (!fired) break;
    REQUIRE_FALSE(got);
    reported.insert(got.error().code);
    INFO(got.error().message);
    CHECK(got.error().message.find(disk.path) != std::string::npos);
    if (got.error().code != Errc::outcome_unknown) CHECK(disk.lines(*store) == 2);
    CHECK(store->append(session, Batch({message_line("m2", "m1", "more")}, end, true)).ok());
    CHECK(disk.lines(*store) == 3);
  }
  CHECK(reported.count(Errc::no_space) == 1);
}

TEST_CASE("an uncertain commit is outcome_unknown, and every failure before it is not_written") {
  std::size_t unknown = 0, unwritten = 0;
  for (std::int64_t n = 0;; ++n) {
    FailingDisk disk;
    auto store = disk.open();
    Position const end = disk.start(*store);
    disk.vfs.arm(n, true);
    auto const got = store->append(session, Batch({message_line("m2", "m1", "more")}, end, true));
    if (!disk.vfs.arm(-1, false)) break;
    REQUIRE_FALSE(got);
    INFO(got.error().message);
    CHECK((got.error().code == Errc::outcome_unknown || got.error().code == Errc::not_written));
    (got.error().code == Errc::outcome_unknown ? unknown : unwritten) += 1;
    if (got.error().code == Errc::outcome_unknown)
      CHECK(got.error().message.find("repeat it with the same ids") != std::string::npos);
    else
      CHECK(disk.lines(*store) == 2);
  }
  CHECK(unknown > 0);
  CHECK(unwritten > 0);
}

TEST_CASE(
    "after a failed sync nothing is reported as safe until a checkpoint has brought the log to the disk") {
  FailingDisk disk;
  auto store = disk.open();
  Position end = disk.start(*store);
  end = store->append(session, Batch({message_line("m2", "m1", "not synced")}, end)).value();
  // The last call of a durable append is the sync.
  std::int64_t last = 0;
  {
    FailingDisk other;
    auto twin = other.open();
    Position const twin_end = other.start(*twin);
    Position const more = twin->append(session, Batch({message_line("m2", "m1", "x")}, twin_end)).value();
    other.vfs.arm(-1, false);
    REQUIRE(twin->append(session, Batch({message_line("m3", "m2", "x")}, more, true)).ok());
    last = other.vfs.calls;
  }
  bool failed_sync = false;
  for (std::int64_t n = last - 1; n >= 0 && !failed_sync; --n) {
    disk.vfs.arm(n, true); // and every later attempt
    auto const got = store->append(session, Batch({message_line("m3", "m2", "durable")}, end, true));
    if (got || got.error().code != Errc::outcome_unknown) continue;
    failed_sync = true;
    auto const again = store->append(session, Batch({message_line("m3", "m2", "durable")}, end, true));
    REQUIRE_FALSE(again);
    CHECK(again.error().code == Errc::poisoned);
    CHECK(again.error().message.find("open the store again") != std::string::npos);
  }
  REQUIRE(failed_sync);
  std::uint64_t const syncs = disk.vfs.syncs;
  disk.vfs.arm(-1, false);
  CHECK(store->append(session, Batch({message_line("m3", "m2", "durable")}, end, true)).ok());
  CHECK(disk.vfs.syncs > syncs + 1); // the log's own, and the file's, which has everything then
  CHECK(disk.lines(*store) == 4);
}

TEST_CASE("a database that others hold is timed_out, and the error says how long the store waited") {
  FailingDisk disk;
  auto store = disk.open(std::chrono::milliseconds{20});
  Position const end = disk.start(*store);
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(disk.path.c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  auto const got = store->append(session, Batch({message_line("m2", "m1", "more")}, end));
  REQUIRE_FALSE(got);
  CHECK(got.error().code == Errc::timed_out);
  CHECK(got.error().message.find("within 20 ms") != std::string::npos);
  CHECK(disk.lines(*store) == 2); // a reader does not wait
  CHECK(store->list({}).value().sessions.size() == 1);
  REQUIRE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(store->append(session, Batch({message_line("m2", "m1", "more")}, end)).ok());
  sqlite3_close(other);
}

TEST_CASE("a waiting writer tries again every few milliseconds, so that no writer is always first") {
  FailingDisk disk;
  auto store = disk.open(std::chrono::milliseconds{200});
  Position const end = disk.start(*store);
  Other other(disk.path);
  other.ask("BEGIN IMMEDIATE");
  disk.vfs.arm(-1, false);
  CHECK(store->append(session, Batch({message_line("m2", "m1", "more")}, end)).error().code
        == Errc::timed_out);
  CAPTURE(disk.vfs.calls);
  CHECK(disk.vfs.calls >= 2 * 40); // pauses of 5 ms at most, two calls each time
}

TEST_CASE("an error says what was done, and gives the system's errno only if the system refused") {
  FailingDisk disk;
  auto store = disk.open();
  disk.start(*store);
  Other(disk.path).ask("ALTER TABLE sessions RENAME TO gone");
  std::pair<sk::Error, char const*> const reported[] = {
      {store->info(session).error(), "cannot find the session: no such table"},
      {store->list({}).error(), "cannot look for what others wrote: no such table"},
      {store->remove(session).error(), "cannot remove the session: no such table"}};
  for (auto const& [error, sentence] : reported) {
    INFO(error.message);
    CHECK(error.system == 0);
    CHECK(error.message.find(sentence) != std::string::npos);
  }
  REQUIRE(::mkdir((disk.dir / "folder.db-wal").c_str(), 0700) == 0);
  auto const opened = sk::open_sqlite_store(disk.dir / "folder.db");
  REQUIRE_FALSE(opened);
  INFO(opened.error().message);
  CHECK(opened.error().system == EISDIR);
}

TEST_CASE("a damaged database is corrupt and is not created again") {
  FailingDisk disk;
  {
    auto store = disk.open();
    disk.start(*store);
  }
  std::string bytes = read_file(disk.path);
  for (std::size_t at = 4096 + 100; at < bytes.size(); ++at) bytes[at] = static_cast<char>(at * 7);
  write_file(disk.path, bytes);
  sk::SqliteStoreOptions options;
  auto const opened = sk::open_sqlite_store(disk.path, options);
  if (opened) {
    auto const page = (*opened)->read(session, {});
    REQUIRE_FALSE(page);
    CHECK(page.error().code == Errc::corrupt);
    CHECK(page.error().message.find(".recover") != std::string::npos);
  } else {
    CHECK(opened.error().code == Errc::corrupt);
  }
}

TEST_CASE("a forked child of an SQLite store gets forked, and takes nothing from its parent") {
  FailingDisk disk;
  auto store = disk.open();
  Position const end = disk.start(*store);
  pid_t const child = ::fork();
  if (child == 0) {
    bool const refused =
        store->append(session, Batch({message_line("x", "m1", "x")}, end)).error().code == Errc::forked
        && store->read(session, {}).error().code == Errc::forked
        && store->info(session).error().code == Errc::forked && store->list({}).error().code == Errc::forked
        && store->remove(session).error().code == Errc::forked;
    store.reset();
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(store->append(session, Batch({message_line("m2", "m1", "more")}, end)).ok());
  CHECK(disk.lines(*store) == 3);
}

TEST_CASE("a line that is longer than max_line is refused") {
  FailingDisk disk;
  sk::SqliteStoreOptions options;
  options.max_line = 1000;
  auto store = sk::open_sqlite_store(disk.path, options).value();
  Position const end = disk.start(*store);
  auto const got = store->append(session, Batch({message_line("m2", "m1", std::string(1000, 'x'))}, end));
  REQUIRE_FALSE(got);
  CHECK(got.error().code == Errc::invalid_argument);
  CHECK(got.error().message.find("max_line") != std::string::npos);
}
