// SPDX-License-Identifier: MIT
// Stores in servers, whatever these promise: what is kept of them are their dumps.
#pragma once
#include <sessionkit/postgres/postgres_store.hpp>
#include <sessionkit/redis/redis_store.hpp>

namespace sessionkit_test {

inline std::shared_ptr<sessionkit::SessionStore> open_server_store(std::string const& url) {
  if (url.rfind("redis://", 0) == 0) {
    sessionkit::RedisStoreOptions options;
    options.accept_weaker = true;
    return sessionkit::open_redis_store(url, options).value();
  }
  sessionkit::PostgresStoreOptions options;
  options.accept_weaker = true;
  return sessionkit::open_postgres_store(url, options).value();
}

}
