// SPDX-License-Identifier: MIT
#include "hosts.hpp"
#include "support/catch.hpp"
#include "support/long_form.hpp"
#include "support/redis_server.hpp"

#include <sessionkit/redis/redis_store.hpp>

using namespace sessionkit_test;
namespace sk = sessionkit;

TEST_CASE("programs of hosts built on a store work on Redis") {
  RedisServer const server;
  OpenStore const open = [&server] {
    sk::RedisStoreOptions options;
    options.durability = sk::Durability::os;
    return sk::open_redis_store(server.url(), options).value();
  };
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
