// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_connection-inl.hpp>
