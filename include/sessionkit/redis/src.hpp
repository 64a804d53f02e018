// SPDX-License-Identifier: MIT
/// The Redis store for programs that compile it themselves: include this in exactly one .cpp, beside
/// <sessionkit/src.hpp> or linked with the library. Needs hiredis 0.14 and {fmt}.
#pragma once
#include <sessionkit/redis/detail/redis_connection-inl.hpp>
#include <sessionkit/redis/detail/redis_log-inl.hpp>
#include <sessionkit/redis/detail/redis_scripts-inl.hpp>
#include <sessionkit/redis/detail/redis_servers-inl.hpp>
#include <sessionkit/redis/detail/redis_store-inl.hpp>
#include <sessionkit/redis/detail/redis_url-inl.hpp>
