// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"

#include <sessionkit/sqlite/sqlite_store.hpp>

#include <filesystem>

using namespace sessionkit_test;
namespace sk = sessionkit;

namespace {

struct Database {
  TempDir dir;

  OpenStore open() const {
    return [this] {
      sk::SqliteStoreOptions options;
      options.durability = sk::Durability::os;
      return sk::open_sqlite_store(dir / "root/sessions.db", options).value();
    };
  }
};

}

TEST_CASE("every fixture goes through an SQLite file and comes back unchanged") {
  Database const database;
  copies_every_fixture(database.open());
}

TEST_CASE("malicious keys, ids and state are kept in an SQLite file and touch no other file") {
  Database const database;
  auto const before = (std::filesystem::create_directories(database.dir / "root"),
                       files_below(database.dir.path(), database.dir / "root"));
  keeps_hostile_names(database.open(), long_form() ? 10000 : 2500);
  CHECK(files_below(database.dir.path(), database.dir / "root") == before);
}

TEST_CASE("typed state survives in an SQLite file") {
  Database const database;
  keeps_typed_state(database.open());
}

TEST_CASE("idle or old sessions are removed completely from an SQLite file") {
  Database const database;
  forgets_whole_sessions(database.open());
}

TEST_CASE("a key that several processes resume at once has one session in an SQLite file") {
  Database const database;
  gives_each_key_one_session(database.open(), long_form() ? 1000 : 40);
}
