// SPDX-License-Identifier: MIT
/// The Redis store for programs that take it without its library: include this in exactly one .cpp, beside
/// <sessionkit/src.hpp> or linked with the library. Needs hiredis 0.14 and {fmt}.
#pragma once
#include <sessionkit/redis/impl/redis_connection.ipp>
#include <sessionkit/redis/impl/redis_log.ipp>
#include <sessionkit/redis/impl/redis_scripts.ipp>
#include <sessionkit/redis/impl/redis_servers.ipp>
#include <sessionkit/redis/impl/redis_store.ipp>
#include <sessionkit/redis/impl/redis_url.ipp>
