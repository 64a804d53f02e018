// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The scripts; each store has a set of its own, because servers give the names.
struct RedisScripts {
  RedisScripts();
  RedisScript append, start, claim, unclaim, bar, look, keep_row, touch, remove, announce, settle, sweep,
      list, about;
  std::vector<RedisScript*> all();
};

}}}
