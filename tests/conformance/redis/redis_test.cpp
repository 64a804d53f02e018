// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "support/redis_server.hpp"

#include <sessionkit/redis/redis_store.hpp>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Stores of one server or cluster, each empty one under a prefix of its own.
struct RedisStores {
  std::string url;
  int prefixes = 0;

  sk::Result<std::shared_ptr<sk::SessionStore>> open() const {
    sk::RedisStoreOptions options;
    options.prefix = "test" + std::to_string(prefixes) + ":";
    return sk::open_redis_store(url, options);
  }
  StoreUnderTest subject(std::string name) {
    StoreUnderTest store;
    store.name = std::move(name);
    store.open_empty = [this] {
      ++prefixes;
      return open();
    };
    store.open_again = [this] { return open(); };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::transactional_batches | Claim::any_bytes;
    return store;
  }
};

}

TEST_CASE("the Redis store keeps the contract") {
  RedisServer const server;
  RedisStores stores{server.url()};
  conforms(stores.subject("redis"));
}

TEST_CASE("the Redis store keeps the contract in a cluster") {
  RedisCluster cluster;
  RedisStores stores{cluster.url()};
  conforms(stores.subject("redis_cluster"));
}
