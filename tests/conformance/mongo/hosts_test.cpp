// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "mongo/servers.hpp"
#include "support/long_form.hpp"

using namespace sessionkit_test;

TEST_CASE("programs of hosts built on a store work on MongoDB") {
  if (!has_mongo()) return;
  sk::MongoStoreOptions options;
  options.prefix = fresh_prefix();
  options.durability = sk::Durability::os;
  OpenStore const open = [&options] { return sk::open_mongo_store(shared_mongo(), options).value(); };
  SECTION("every fixture goes there and back, and is the same") { copies_every_fixture(open); }
  SECTION("keys, ids and state that mean harm are kept") {
    keeps_hostile_names(open, long_form() ? 10000 : 1000);
  }
  SECTION("typed state survives") { keeps_typed_state(open); }
  SECTION("sessions go as a whole, when they are idle or old") { forgets_whole_sessions(open); }
  SECTION("a key that several processes resume at once has one session") {
    gives_each_key_one_session(open, long_form() ? 1000 : 40);
  }
}
