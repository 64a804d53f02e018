// SPDX-License-Identifier: MIT
#include <sessionkit/redis/detail/redis_scripts-inl.hpp>
