// SPDX-License-Identifier: MIT
#include <sessionkit/src.hpp>
#ifdef with_sqlite
#include <sessionkit/sqlite/src.hpp>
#endif
#ifdef with_redis
#include <sessionkit/redis/src.hpp>
#endif
#ifdef with_postgres
#include <sessionkit/postgres/src.hpp>
#endif
#ifdef with_mongo
#include <sessionkit/mongo/src.hpp>
#endif
