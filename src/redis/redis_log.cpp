// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_log-inl.hpp>
