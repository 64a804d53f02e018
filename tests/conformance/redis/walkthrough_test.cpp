// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/redis_server.hpp"
#include "walkthroughs.hpp"

#include <sessionkit/redis/redis_store.hpp>

using namespace sessionkit_test;

namespace {

OpenAs redis_store(std::string const& url) {
  return [url](sk::Profile const& profile) {
    sk::RedisStoreOptions options;
    options.profile = profile;
    return sk::open_redis_store(url, options).value();
  };
}

}

TEST_CASE("ZeroClaw's and blades' hosts on Redis") {
  RedisServer const server;
  SECTION("ZeroClaw") { walk_through_zeroclaw(redis_store(server.url())); }
  SECTION("blades") { walk_through_blades(redis_store(server.url())); }
}
