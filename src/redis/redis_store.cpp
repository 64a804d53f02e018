// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_store-inl.hpp>
