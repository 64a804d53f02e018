// SPDX-License-Identifier: MIT
#include <sessionkit/redis/impl/redis_servers.ipp>
