// SPDX-License-Identifier: MIT
#include <sessionkit/redis/redis_store.hpp>

#include <cstdlib>

namespace {

// Used before main: a server that does not exist.
bool const asked = [] {
  // [redis]
  auto const store = sessionkit::open_redis_store("redis://127.0.0.1:1");
  auto const sessions =
      sessionkit::reindex_redis_store("redis://127.0.0.1:1"); // the lists again, from the logs
  // [redis]
  if (sessions || sessions.error().code != sessionkit::Errc::unavailable) std::abort();
  if (store || store.error().code != sessionkit::Errc::unavailable) std::abort();
  return true;
}();

}
