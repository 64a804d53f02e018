// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_servers-inl.hpp>
