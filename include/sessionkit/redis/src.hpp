// SPDX-License-Identifier: MIT
/// All definitions of the Redis store, for a program that compiles them itself. Include this in exactly one
/// .cpp. The program also includes <sessionkit/src.hpp> in one .cpp, or links the library. The definitions
/// need hiredis 0.14 and {fmt}.
#pragma once
#include <sessionkit/redis/detail/redis_connection-inl.hpp>
#include <sessionkit/redis/detail/redis_log-inl.hpp>
#include <sessionkit/redis/detail/redis_scripts-inl.hpp>
#include <sessionkit/redis/detail/redis_servers-inl.hpp>
#include <sessionkit/redis/detail/redis_store-inl.hpp>
#include <sessionkit/redis/detail/redis_url-inl.hpp>
