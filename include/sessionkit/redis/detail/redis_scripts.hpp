// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/redis/detail/redis_servers.hpp>

#include <vector>

namespace sessionkit { inline namespace v0 { namespace detail {

/// The Lua scripts. Each store has its own set, because `RedisScript::sha`, the name of a script, comes from
/// the servers of the store.
struct RedisScripts {
  RedisScripts();
  RedisScript append, start, claim, unclaim, bar, look, keep_row, touch, remove, announce, settle, sweep,
      list, about;
  std::vector<RedisScript*> all();
};

}}}
