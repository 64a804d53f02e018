// SPDX-License-Identifier: MIT
#include "support/catch.hpp"
#include "support/redis_server.hpp"
#include "walkthroughs.hpp"

#include <sessionkit/redis/redis_store.hpp>

using namespace sessionkit_test;

namespace {

StoreToWalk redis_store(std::string const& url) {
  auto const open = [url](sk::Profile const& profile) {
    sk::RedisStoreOptions options;
    options.profile = profile;
    return sk::open_redis_store(url, options).value();
  };
  return {open, open};
}

}

TEST_CASE("ZeroClaw's and blades' hosts and all transcripts on Redis") {
  RedisServer const server;
  SECTION("ZeroClaw") { walk_through_zeroclaw(redis_store(server.url())); }
  SECTION("blades") { walk_through_blades(redis_store(server.url())); }
  SECTION("transcripts") { round_trip_transcripts(redis_store(server.url())); }
}
