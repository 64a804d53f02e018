// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "support/redis_server.hpp"
#include "support/tcp_proxy.hpp"

#include <sessionkit/redis/redis_store.hpp>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Stores of one server or cluster, each empty one under a prefix of its own.
struct RedisStores {
  std::string url;
  std::chrono::milliseconds wait{5000};
  int prefixes = 0;

  sk::Result<std::shared_ptr<sk::SessionStore>> open() const {
    sk::RedisStoreOptions options;
    options.wait = wait;
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

// Each call fails once for good and once with its answer lost, through a line that breaks.
TEST_CASE("the Redis store keeps the contract") {
  RedisServer const server;
  TcpProxy proxy(server.port());
  RedisStores stores{"redis://127.0.0.1:" + std::to_string(proxy.port()), std::chrono::milliseconds(100)};
  StoreUnderTest store = stores.subject("redis");
  store.claims = store.claims | Claim::survives_faults;
  store.fail_call = [&](std::int64_t n, bool sticky) { return proxy.fail_call(n, sticky); };
  conforms(store);
}

TEST_CASE("the Redis store keeps the contract in a cluster") {
  RedisCluster cluster;
  RedisStores stores{cluster.url()};
  conforms(stores.subject("redis_cluster"));
}
