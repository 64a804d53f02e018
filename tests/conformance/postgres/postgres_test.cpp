// SPDX-License-Identifier: MIT
#include "kit.hpp"
#include "postgres/servers.hpp"

using namespace sessionkit_test;
using kit::Claim;
using kit::StoreUnderTest;

namespace {

/// Stores behind a connection that can be cut.
struct PostgresStores {
  PostgresServer& server = shared_postgres();
  TcpProxy proxy{server.port()};
  PostgresEye eye{server.url()};
  sk::PostgresStoreOptions options = {};

  sk::Result<std::shared_ptr<sk::SessionStore>> open() {
    return sk::open_postgres_store(server.url(proxy.port()), options);
  }
  // The flushed position of the server's log.
  std::uint64_t flushed() const {
    return std::stoull(eye.ask("SELECT pg_current_wal_flush_lsn() - '0/0'").front());
  }

  StoreUnderTest subject() {
    StoreUnderTest store;
    store.name = "postgres";
    store.open_empty = [this] {
      proxy.fail_call(-1, false);
      options.schema = fresh_schema();
      return open();
    };
    store.open_again = [this] { return open(); };
    store.claims = Claim::persistent | Claim::shared | Claim::shared_between_processes
                   | Claim::transactional_batches | Claim::survives_faults | Claim::durable
                   | Claim::refuses_children;
    store.fail_call = [this](std::int64_t n, bool sticky) { return proxy.fail_call(n, sticky); };
    store.syncs = [this] { return flushed(); };
    return store;
  }
};

}

TEST_CASE("the PostgreSQL store keeps the contract") {
  if (!has_postgres()) return;
  PostgresStores stores;
  conforms(stores.subject());
}
