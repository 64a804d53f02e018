// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_url-inl.hpp>
