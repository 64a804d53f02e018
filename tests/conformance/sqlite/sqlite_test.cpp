// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "sqlite/faulty_vfs.hpp"
#include "support/data.hpp"
#include "walkthroughs.hpp"

#include <sessionkit/sqlite/sqlite_store.hpp>

#include <optional>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

struct SqliteFiles {
  std::optional<TempDir> dir = {};
  sk::SqliteStoreOptions options = {};

  SqliteFiles() { options.vfs = FaultyVfs::name(); }
  std::string path() const { return *dir / "sessions.db"; }
  sk::Result<std::shared_ptr<sk::SessionStore>> open() { return sk::open_sqlite_store(path(), options); }

  StoreUnderTest subject(std::string name = "sqlite") {
    StoreUnderTest store;
    store.name = std::move(name);
    store.open_empty = [this] {
      dir.emplace();
      return open();
    };
    store.open_again = [this] { return open(); };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::transactional_batches | Claim::survives_faults | Claim::durable | Claim::any_bytes
                   | Claim::refuses_children;
    store.fail_call = [](std::int64_t n, bool sticky) { return FaultyVfs::get().arm(n, sticky); };
    store.syncs = [] { return FaultyVfs::get().syncs; };
    return store;
  }
};

}

TEST_CASE("the SQLite store keeps the contract") {
  SqliteFiles files;
  conforms(files.subject());
}

TEST_CASE("ZeroClaw's and blades' hosts on SQLite") {
  TempDir const dir;
  auto const open = [&dir](sk::Profile const& profile) {
    sk::SqliteStoreOptions options;
    options.profile = profile;
    return sk::open_sqlite_store(dir / "sessions.db", options).value();
  };
  SECTION("ZeroClaw") { walk_through_zeroclaw(open); }
  SECTION("blades") { walk_through_blades(open); }
}
