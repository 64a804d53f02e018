// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "redis/sync_counter.hpp"
#include "support/data.hpp"
#include "support/redis_server.hpp"
#include "support/tcp_proxy.hpp"

#include <sessionkit/redis/redis_store.hpp>

#include <cstring>

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Stores of one server or cluster, each empty one under its own prefix.
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
                   | Claim::transactional_batches | Claim::any_bytes | Claim::refuses_children;
    return store;
  }
};

}

// Each call fails once permanently and once with its answer lost, through a breaking connection.
TEST_CASE("the Redis store keeps the contract") {
  TempDir const dir;
  std::string const syncs = dir / "syncs";
  write_file(syncs, std::string(sizeof(std::uint64_t), '\0'));
  RedisServer const server({"--appendonly", "yes", "--appendfsync", "always"},
                           {"LD_PRELOAD=" + sync_counter(), "SESSIONKIT_SYNCS=" + syncs});
  TcpProxy proxy(server.port());
  RedisStores stores{"redis://127.0.0.1:" + std::to_string(proxy.port())};
  StoreUnderTest store = stores.subject("redis");
  store.claims = store.claims | Claim::survives_faults | Claim::durable;
  store.syncs = [&] {
    std::string const bytes = read_file(syncs);
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data(), sizeof count);
    return count;
  };
  store.fail_call = [&](std::int64_t n, bool sticky) {
    stores.wait =
        std::chrono::milliseconds(200); // for stores opened from now on: without an answer it is waited out
    return proxy.fail_call(n, sticky);
  };
  conforms(store);
}

TEST_CASE("the Redis store keeps the contract in a cluster") {
  RedisCluster cluster;
  RedisStores stores{cluster.url()};
  conforms(stores.subject("redis_cluster"));
}
