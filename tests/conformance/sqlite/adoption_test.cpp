// SPDX-License-Identifier: MIT
// Other programs' databases: what is changed, reported and kept; and files that may not be
// written.
#include "sqlite/zeroclaw.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/session.hpp>
#include <sessionkit/sqlite/sqlite_store.hpp>

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

using namespace sessionkit_test;
namespace sk = sessionkit;
namespace fs = std::filesystem;
using sk::Errc;
using sk::SessionId;

namespace {

void make_zeroclaw(std::string const& path, std::string const& said) {
  ZeroClaw claw(path, true);
  claw.start(claw.a, "k", "2025-11-04T08:00:00Z");
  claw.say(claw.a, "user", said, "2025-11-04T08:00:01Z");
}

std::vector<std::string> names_in(TempDir const& dir) {
  std::vector<std::string> names;
  for (auto const& file : fs::directory_iterator(dir.path()))
    names.push_back(file.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

sk::Result<std::shared_ptr<sk::SessionStore>> open(std::string const& path, bool create, bool adopt = true) {
  sk::SqliteStoreOptions options;
  options.create = create;
  options.adopt = adopt;
  return sk::open_sqlite_store(path, options);
}

/// A user to whom file modes apply.
struct AsNobody {
  uid_t before = ::geteuid();
  AsNobody() {
    if (before == 0) REQUIRE(::seteuid(65534) == 0);
  }
  AsNobody(AsNobody const&) = delete;
  AsNobody& operator=(AsNobody const&) = delete;
  ~AsNobody() { (void)::seteuid(before); }
};

/// A database in a folder that nobody may write.
struct SealedOff {
  TempDir dir;
  std::string folder = dir / "sealed%?#", path = folder + "/sessions.db";
  SessionId id = SessionId::parse("x").value();

  SealedOff() {
    auto session = sk::Session::create(sk::open_sqlite_store(path).value()).value();
    session.append(sk::user("kept")).value();
    id = session.id();
  }
  SealedOff(SealedOff const&) = delete;
  SealedOff& operator=(SealedOff const&) = delete;
  void seal() const {
    REQUIRE(::chmod(path.c_str(), 0444) == 0);
    REQUIRE(::chmod(folder.c_str(), 0555) == 0);
    REQUIRE(::chmod(dir.path().c_str(), 0755) == 0);
  }
  ~SealedOff() { (void)::chmod(folder.c_str(), 0700); }
};

}

TEST_CASE("the adoption of a database is reported once, with the copy's name") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  make_zeroclaw(path, "hello");
  std::vector<sk::Event> events;
  sk::SqliteStoreOptions options;
  options.create = false;
  options.on_event = [&](sk::Event const& event) { events.push_back(event); };
  sk::open_sqlite_store(path, options).value();
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == sk::Event::database_adopted);
  CHECK(events[0].message.find(path + ".before-sessionkit") != std::string::npos);
  sk::open_sqlite_store(path, options).value();
  sk::open_sqlite_store(dir / "new.db", {}).value();
  CHECK(events.size() == 1);
}

TEST_CASE("each database that is adopted under a name is kept") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  std::vector<std::string> const copies{path + ".before-sessionkit", path + ".before-sessionkit-2",
                                        path + ".before-sessionkit-3"};
  for (std::string const& copy : copies) {
    fs::remove(path);
    make_zeroclaw(path, copy);
    open(path, false).value();
  }
  for (std::string const& copy : copies)
    CHECK(Other(copy).ask("SELECT content FROM session_messages") == Rows{{copy}});
}

TEST_CASE(
    "a copy has the mode of its original, and no copy is left of a database that could not be adopted") {
  TempDir dir;
  std::string const path = dir / "sessions.db";
  make_zeroclaw(path, "hello");
  open(path, true).value();
  CHECK(read_file(path).substr(18, 2) == "\x02\x02"); // a write-ahead log
  CHECK(read_file(path + ".before-sessionkit").substr(18, 2) == "\x01\x01");

  std::string const taken = dir / "taken.db";
  make_zeroclaw(taken, "hello");
  Other(taken).ask("CREATE TABLE session_entries(x)");
  CHECK_FALSE(open(taken, true));
  CHECK_FALSE(fs::exists(taken + ".before-sessionkit"));
  CHECK(read_file(taken).substr(18, 2) == "\x01\x01");
}

TEST_CASE("another program's file is refused before a byte of it is changed") {
  TempDir dir;
  std::string const path = dir / "places.db";
  Other(path).ask(
      "CREATE TABLE moz_places(id INTEGER PRIMARY KEY, url TEXT); INSERT INTO moz_places VALUES(1, 'u')");
  std::string const bytes = read_file(path);
  for (bool const create : {true, false}) {
    CHECK(open(path, create).error().code == Errc::unsupported);
    CHECK(read_file(path) == bytes);
  }
  CHECK(names_in(dir) == std::vector<std::string>{"places.db"});
}

TEST_CASE("a store that may neither adopt nor create changes nothing") {
  TempDir dir;
  std::string const path = dir / "sessions.db", empty = dir / "empty.db";
  make_zeroclaw(path, "hello");
  write_file(empty, "");
  std::string const bytes = read_file(path);
  sk::Error const refused = open(path, false, false).error();
  CHECK(refused.code == Errc::unsupported);
  CHECK(refused.message.find("adopt it") != std::string::npos);
  CHECK(open(empty, false).error().code == Errc::not_found);
  CHECK(read_file(path) == bytes);
  CHECK(read_file(empty).empty());
  CHECK(names_in(dir) == std::vector<std::string>{"empty.db", "sessions.db"});
  open(path, false).value();
  CHECK(open(path, false, false).ok()); // it is ours as well now
}

TEST_CASE("a read-only database is read, and an append says why it cannot be written") {
  SealedOff const at;
  at.seal();
  AsNobody const nobody;
  CHECK_FALSE(open(at.path, true));
  auto store = open(at.path, false).value();
  CHECK(store->list({}).value().sessions.size() == 1);
  CHECK(store->info(at.id).value().messages == 1);
  auto session = sk::Session::open(store, at.id).value();
  CHECK(session.path().value().size() == 1);
  auto const refused = session.append(sk::user("more"));
  REQUIRE_FALSE(refused);
  INFO(refused.error().message);
  CHECK(refused.error().code == Errc::not_written);
  CHECK(refused.error().message.find("cannot be written") != std::string::npos);
  CHECK(store->remove(at.id).error().code == Errc::io_error);
}

TEST_CASE("a read-only database is read while its owner writes it") {
  SealedOff const at;
  auto const owner = open(at.path, true).value();
  for (char const* suffix : {"-wal", "-shm"}) REQUIRE(::chmod((at.path + suffix).c_str(), 0444) == 0);
  at.seal();
  auto const seen = [&] {
    AsNobody const nobody;
    return open(at.path, false).value()->info(at.id).value().messages;
  };
  CHECK(seen() == 1);
  sk::Session::open(owner, at.id).value().append(sk::user("more")).value();
  CHECK(seen() == 2);
}
