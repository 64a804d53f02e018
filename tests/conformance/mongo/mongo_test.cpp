// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "mongo/servers.hpp"

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Stores behind a connection that can be cut, each empty one under its own prefix.
struct MongoStores {
  std::string url = shared_mongo();
  TcpProxy proxy{port_of(url)};
  sk::MongoStoreOptions options = {};

  sk::Result<std::shared_ptr<sk::SessionStore>> open() {
    return sk::open_mongo_store(url_through(proxy), options);
  }

  // Not `durable`: the server that the tests start syncs nothing.
  StoreUnderTest subject() {
    StoreUnderTest store;
    store.name = "mongo";
    store.open_empty = [this] {
      proxy.fail_call(-1, false);
      options.prefix = fresh_prefix();
      auto const patient = options.wait;
      options.wait = sk::MongoStoreOptions().wait; // a server with many collections makes new ones slowly
      auto const made = open();
      options.wait = patient;
      return made ? open() : made;
    };
    store.open_again = [this] { return open(); };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::transactional_batches | Claim::survives_faults | Claim::any_bytes
                   | Claim::refuses_children;
    // For stores opened from now on: without an answer it is waited out.
    store.fail_call = [this](std::int64_t n, bool sticky) {
      options.wait = std::chrono::milliseconds(200);
      return proxy.fail_call(n, sticky);
    };
    return store;
  }
};

}

TEST_CASE("the MongoDB store keeps the contract") {
  if (!has_mongo()) return;
  MongoStores stores;
  conforms(stores.subject());
}
